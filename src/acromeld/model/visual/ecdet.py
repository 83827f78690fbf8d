# SPDX-License-Identifier: Apache-2.0
"""ECDet-L with its query features exposed: the paper's visual branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor, nn

from acromeld.model.boxes import valid_boxes
from acromeld.model.visual.backbone import Backbone
from acromeld.model.visual.decoder import Decoder
from acromeld.model.visual.encoder import HybridEncoder
from acromeld.model.visual.interface import VisualOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets


class EcdetL(nn.Module):
    """Module names are those of the published state dict, so that it loads by name."""

    def __init__(self, classes: int, queries: int, denoising: int) -> None:
        super().__init__()
        self.backbone = Backbone()
        self.encoder = HybridEncoder()
        self.decoder = Decoder(classes, queries, denoising)

    def forward(self, images: Tensor, targets: Sequence[Targets] | None = None) -> VisualOutput:
        """RGB images ``(B, 3, H, W)`` in 0..1; denoising queries only in training mode with targets."""
        levels = self.encoder(self.backbone(images))
        features, last, native = self.decoder(levels, targets if self.training else None)
        return VisualOutput(features, valid_boxes(last.boxes), last.logits, native)
