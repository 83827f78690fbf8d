# SPDX-License-Identifier: Apache-2.0
"""The AcroMELD model in PyTorch: one set of modules, sized by a contract (`paper` or `compact`)."""

from __future__ import annotations

import os

# Some virtual machines announce AMX and kill a process at its first such instruction, so oneDNN does without;
# whoever knows better sets the variable.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
