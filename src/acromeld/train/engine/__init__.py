# SPDX-License-Identifier: Apache-2.0
"""The training engine: plans, schedule, phases, checkpoints and the loop that uses them."""
