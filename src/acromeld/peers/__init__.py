# SPDX-License-Identifier: Apache-2.0
"""Other people's detectors, run for comparison in environments of their own; nothing of ours imports them."""
