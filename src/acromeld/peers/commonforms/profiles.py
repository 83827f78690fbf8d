# SPDX-License-Identifier: Apache-2.0
"""The two published networks and the two ways of running them that we compare with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from acromeld.errors import InputNotFound

ModelName = Literal["l", "s"]
ProfileName = Literal["packaged", "plain1216"]

FLOOR = 0.01
"""Scores above this are emitted; the tool itself keeps those above 0.3, average precision needs the rest."""

LIMIT = 300
"""Detections kept of a page, by score."""

STRIDE = 32
"""Coarsest cell of the networks; canvas sides are multiples of it."""


@dataclass(frozen=True)
class Published:
    """A network as published: the file inside the wheel, and the digest that identifies it."""

    file: str
    sha256: str


WHEEL = "commonforms==0.1.3"

MODELS: dict[ModelName, Published] = {
    "l": Published("FFDNet-L.pt", "2a69102275c8950b04c7f7281f01e1f8ee7aa88179ac450b8df25819c07b8275"),
    "s": Published("FFDNet-S.pt", "21716bf478a5c8a515bc67c3e1c59b3d97c0e3225823e7afd95c7fe732286163"),
}


@dataclass(frozen=True)
class Profile:
    """How a page becomes detections.

    Attributes:
        name: What the profile is called in prediction lines.
        dpi: Render resolution in dots per inch of PDF units, or none.
        short_side: Render with this many pixels on the shorter side, or none.
        long_side: The letterbox fits the page into a square of this many pixels.
        augment: Three passes (test-time augmentation) instead of one.
        nms_iou: Overlap above which the weaker of two boxes of one class is dropped.
    """

    name: ProfileName
    dpi: float | None
    short_side: int | None
    long_side: int
    augment: bool
    nms_iou: float


PROFILES: dict[ProfileName, Profile] = {
    "packaged": Profile("packaged", 144.0, None, 1600, True, 0.1),
    "plain1216": Profile("plain1216", None, 1680, 1216, False, 0.7),
}


def published(model: str) -> Published:
    """The network called ``l`` or ``s``; anything else is told to the user."""
    for name, entry in MODELS.items():
        if name == model:
            return entry
    raise InputNotFound(f"There is no CommonForms model {model!r}; choose from {', '.join(MODELS)}.")


def profile_named(name: str) -> Profile:
    """The profile of that name; anything else is told to the user."""
    for profile in PROFILES.values():
        if profile.name == name:
            return profile
    raise InputNotFound(f"There is no CommonForms profile {name!r}; choose from {', '.join(PROFILES)}.")
