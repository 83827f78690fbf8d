# SPDX-License-Identifier: Apache-2.0
"""Training: matching and losses of the paper, and the engine that uses them."""
