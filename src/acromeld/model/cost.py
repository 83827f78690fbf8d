# SPDX-License-Identifier: Apache-2.0
"""What one forward pass costs, counted without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from acromeld.model.acromeld import AcroMeld
from acromeld.model.batch import TokenBatch

if TYPE_CHECKING:
    from acromeld.model.contract import ModelContract


def forward_gflops(contract: ModelContract, canvas: tuple[int, int], tokens: int) -> float:
    """GFLOPs (two per multiply-add, attention included) of one page with that many tokens."""
    with torch.device("meta"):
        model = AcroMeld(contract).eval()
        images = torch.empty(1, contract.channels, *canvas)
        batch = TokenBatch(
            kind=torch.empty(1, tokens, dtype=torch.int64),
            box=torch.empty(1, tokens, 4),
            descriptor=torch.empty(1, tokens, contract.descriptor),
            text=torch.empty(1, tokens, contract.text_bytes, dtype=torch.uint8),
            available=torch.empty(1, tokens, dtype=torch.bool),
            mask=torch.empty(1, tokens, dtype=torch.bool),
        )
        counter = FlopCounterMode(display=False)
        # The fused kernels are opaque to the counter; the plain ones are two matrix products it sees.
        with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), counter:
            model(images, batch)
    return float(counter.get_total_flops()) / 1e9
