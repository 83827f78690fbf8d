# SPDX-License-Identifier: Apache-2.0
"""Detectors: pages in, candidate fields out.

A detector never opens files. It gets `Page` objects and returns one `PageCandidates` per page: every
candidate above the raw floor, before class thresholds and suppression. `acromeld.detect.decoding` turns
these into fields.
"""
