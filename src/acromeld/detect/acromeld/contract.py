# SPDX-License-Identifier: Apache-2.0
"""What the runtime must know of a trained model: how to read a page for it and how to name its answers.

The model's own contract (`acromeld.model.contract`) has more; its JSON travels inside the ONNX file, and this
is the part of it that matters without torch.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from acromeld.pdf.page import PageNeeds

Size = tuple[PositiveInt, PositiveInt]
"""Height and width in pixels, the order of the paper and of image tensors."""

SQUARE_ASPECT = 1.15
"""Pages whose sides differ by less than this factor go on the square canvas (the paper: "approximately")."""

SOURCES = ("visual", "structure", "free")
"""Origin of a query by its position: the three sources in this order."""

PageEvidence = Annotated[float, Field(ge=0, le=8, exclude_if=lambda exponent: not exponent)]
EvidenceScores = Annotated[int, Field(ge=1, le=64, exclude_if=lambda count: count == 1)]

_RASTER_LONG_SIDE = 1600
"""Enough to read rules and boxes off a scan; smaller canvases are averaged down from it."""


class Canvases(BaseModel):
    """The three letterbox canvases, ``(height, width)``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    portrait: Size
    landscape: Size
    square: Size

    def for_page(self, width: float, height: float) -> Size:
        """The canvas of a page of the given displayed size."""
        if max(width, height) < SQUARE_ASPECT * min(width, height):
            return self.square
        return self.portrait if height > width else self.landscape

    @property
    def longest_side(self) -> int:
        """Of all three, in pixels."""
        return max(*self.portrait, *self.landscape, *self.square)


class RuntimeContract(BaseModel):
    """The part of a model contract that reading and decoding need; the rest of the JSON is passed over.

    Attributes:
        channels: Image channels, 3 for RGB or 1 for grey.
        max_tokens: Page token and primitives of a page.
        max_evidence: Derived tokens of a page on top of that; 0 for the paper's kinds alone.
        descriptor: Columns of a token's descriptor.
        opinions: Whether derived tokens are the candidates of FFGBT with what it thinks of them.
        spread_opinions: Whether every place is heard before a second candidate of a place is; else the
            likeliest candidates are. Left out of the JSON where it is not so, as before there was a choice.
        page_evidence: Exponent e with which the best scores of a page, b on average, count for all of them,
            s * b**e: a page where nothing is certain is hardly a form. 0 for the paper's score, and then not
            in the JSON.
        evidence_scores: How many of the best scores those are; left out of the JSON where it is one.
        signing: Whether the file has a second look at places to sign (`acromeld.detect.acromeld.signing`);
            left out of the JSON where it has not.
        appraisal: Whether it has one at every place (`acromeld.detect.acromeld.appraisal`); the same.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    canvases: Canvases
    channels: int
    max_tokens: PositiveInt
    max_evidence: int
    descriptor: PositiveInt = 32
    opinions: bool = False
    spread_opinions: bool = Field(default=False, exclude_if=lambda spread: not spread)
    page_evidence: PageEvidence = 0.0
    evidence_scores: EvidenceScores = 1
    signing: bool = Field(default=False, exclude_if=lambda signing: not signing)
    appraisal: bool = Field(default=False, exclude_if=lambda appraisal: not appraisal)
    visual_queries: PositiveInt
    structure_queries: PositiveInt
    free_queries: PositiveInt

    @property
    def needs(self) -> PageNeeds:
        """What to read of each page: one picture that serves the canvas and the structure of scans."""
        long_side = max(_RASTER_LONG_SIDE, self.canvases.longest_side)
        return PageNeeds(raster_long_side=long_side, colour=self.channels == 3)

    @property
    def origins(self) -> tuple[str, ...]:
        """Source of each query, in the order of the model's answers."""
        counts = (self.visual_queries, self.structure_queries, self.free_queries)
        return tuple(name for name, count in zip(SOURCES, counts, strict=True) for _ in range(count))
