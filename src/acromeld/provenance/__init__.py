# SPDX-License-Identifier: Apache-2.0
"""Digests, create-only records, run identity, frozen candidates and the external gate.

Paper, "Content-addressed provenance": every number in a report walks back by SHA-256 to data, code,
configuration, weights and operating point. Start at `acromeld.provenance.candidate` for freezing, at
`acromeld.provenance.gate` for the one external evaluation a candidate gets.
"""
