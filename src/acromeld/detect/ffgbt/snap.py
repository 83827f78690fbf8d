# SPDX-License-Identifier: Apache-2.0
"""SnapNet-E3: moves a box from where the evidence is to where authors put the widget.

A small multi-layer perceptron on the candidate's own features (distances to rules and words among them) gives
four offsets in points, one per side. Trees cannot say "as far as the rule is", because that is a line and not
a step; a network can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes

    Layers = dict[str, npt.NDArray[np.float32]]

REACH = 40.0
"""Points a side may move at the most."""

UNIT = 8.0
"""Points that an output of 1 stands for."""

_CLIP = 5.0
_MIN_SIDE = 3.0


def standardise(features: npt.NDArray[np.float32], layers: Layers) -> npt.NDArray[np.float32]:
    """Features as the network wants them: centred, scaled, and without outliers."""
    scaled = (features - layers["mean"]) / layers["spread"]
    clipped: npt.NDArray[np.float32] = np.clip(scaled, -_CLIP, _CLIP)
    return clipped


def snap(box: Boxes, features: npt.NDArray[np.float32], layers: Layers) -> Boxes:
    """Moved boxes ``(n, 4)``; a box that would collapse stays where it was."""
    hidden = standardise(features, layers)
    depth = sum(name.startswith("weight") for name in layers)
    for layer in range(depth - 1):
        hidden = np.maximum(hidden @ layers[f"weight{layer}"] + layers[f"bias{layer}"], 0.0)
    offset = hidden @ layers[f"weight{depth - 1}"] + layers[f"bias{depth - 1}"]
    moved = box + np.clip(offset * UNIT, -REACH, REACH)
    sound = (moved[:, 2:] - moved[:, :2] >= _MIN_SIDE).all(1)
    return np.where(sound[:, None], moved, box)
