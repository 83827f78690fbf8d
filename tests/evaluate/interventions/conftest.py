# SPDX-License-Identifier: Apache-2.0
"""These tests are collected only where torch is installed (the train extra); the report's head says so."""

from __future__ import annotations

import importlib.util

WITH_TORCH = importlib.util.find_spec("torch") is not None
collect_ignore_glob = [] if WITH_TORCH else ["test_*.py"]

if WITH_TORCH:
    import torch

    # Small tensors gain nothing from a second thread, and tests share the machine.
    torch.set_num_threads(1)


def pytest_report_header() -> str:
    return "intervention tests: " + ("collected" if WITH_TORCH else "left out, torch is not installed")
