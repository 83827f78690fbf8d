# SPDX-License-Identifier: Apache-2.0
"""What every raster branch hands to the query set, and to its own criterion."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class HeadOutput:
    """Predictions of one ECDet head over its queries.

    Attributes:
        logits: ``(B, Q, C)``.
        boxes: ``(B, Q, 4)`` ``cxcywh``.
        corners: ``(B, Q, 4 * 33)`` distribution logits of the four sides; decoder layers only.
        anchors: ``(B, Q, 4)`` fixed boxes the distributions refer to; decoder layers only.
    """

    logits: Tensor
    boxes: Tensor
    corners: Tensor | None = None
    anchors: Tensor | None = None


@dataclass(frozen=True)
class DenoisingPlan:
    """Which denoising queries stand for which targets.

    Attributes:
        groups: How many copies of each target there are (each with a positive and a negative query).
        positive: Per page, ``(groups * n,)`` query rows of the positive copies.
        target: Per page, ``(groups * n,)`` target rows, in the same order.
    """

    groups: int
    positive: tuple[Tensor, ...]
    target: tuple[Tensor, ...]


@dataclass(frozen=True)
class EcdetNative:
    """Everything the native ECDet criterion supervises; first layer first."""

    layers: tuple[HeadOutput, ...]
    preliminary: HeadOutput
    encoder: HeadOutput
    denoising_layers: tuple[HeadOutput, ...] = ()
    denoising_preliminary: HeadOutput | None = None
    plan: DenoisingPlan | None = None


@dataclass(frozen=True)
class DenseNative:
    """Predictions at every cell of the dense detector, levels one after the other.

    Attributes:
        logits: ``(B, N, C)``.
        boxes: ``(B, N, 4)`` ``cxcywh``, not cut to the canvas.
        grids: Rows and columns of each level.
    """

    logits: Tensor
    boxes: Tensor
    grids: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class VisualOutput:
    """V, B^v and P^v of the paper: ``(B, Q, d)``, ``(B, Q, 4)`` valid ``cxcywh`` and ``(B, Q, C)``.

    ``native`` is there when the branch ran for training, none when its results come from a cache. ``fine``
    ``(B, C, H, W)`` is the branch's finest map, for contracts whose queries look at the picture again.
    """

    features: Tensor
    boxes: Tensor
    logits: Tensor
    native: EcdetNative | DenseNative | None = None
    fine: Tensor | None = None
