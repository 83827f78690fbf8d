# SPDX-License-Identifier: Apache-2.0
"""Primitives -> tokens: descriptor, two-stage selection, derived evidence."""
