# SPDX-License-Identifier: Apache-2.0
"""Settings of the whole suite: property tests draw the same examples on every run, with no time limit."""

from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("deterministic")
