# SPDX-License-Identifier: Apache-2.0
"""Training of FFGBT from the sealed index: examples, label table, trees, snap network, export."""
