# SPDX-License-Identifier: Apache-2.0
"""What is known about one page: its frame, its picture, and the primitives it was drawn from.

These are plain arrays without a PDF handle behind them, so a page can cross process borders, be cached, or be
made up in a test. All coordinates are displayed points (`PageFrame`), origin at the top left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.frame import PageFrame

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]


class ShapeKind(IntEnum):
    """Drawn primitives. Lines and rectangles are axis-aligned; everything else is a path."""

    LINE = 0
    RECT = 1
    PATH = 2
    IMAGE = 3


@dataclass(frozen=True)
class Words:
    """Words in content order, one row each.

    Attributes:
        box: ``(n, 4)`` tight boxes around the glyphs.
        text: The characters. A run of underscores or dots is a word of its own.
        size: ``(n,)`` font size in displayed points.
        weight: ``(n,)`` font weight, 400 is regular, 700 bold.
        visible: ``(n,)`` false for text drawn in render mode 3 (OCR layers) or fully transparent.
        symbolic: ``(n,)`` true when the font is a symbol font (Dingbats, Wingdings and their like), where
            the characters are pictures and do not mean what they say.
        upright: ``(n,)`` true when the word reads left to right or right to left on the displayed page.
    """

    box: Boxes
    text: tuple[str, ...]
    size: Floats
    weight: Floats
    visible: Flags
    symbolic: Flags
    upright: Flags

    def __len__(self) -> int:
        return len(self.text)

    def take(self, rows: npt.NDArray[np.bool_]) -> Words:
        """The chosen rows."""
        columns = {name: column[rows] for name, column in vars(self).items() if name != "text"}
        return Words(text=tuple(compress(self.text, rows)), **columns)

    @classmethod
    def empty(cls) -> Words:
        """No words."""
        none, no = np.zeros(0), np.zeros(0, dtype=np.bool_)
        return cls(np.zeros((0, 4)), (), none, none, no, no, no)


@dataclass(frozen=True)
class Shapes:
    """Drawn primitives in content order, one row each.

    A path object with several subpaths gives one row per subpath, so a grid drawn as one path is its lines.

    Attributes:
        kind: ``(n,)`` of `ShapeKind`.
        box: ``(n, 4)`` geometry without stroke width; a line has a zero-height or zero-width box.
        stroke: ``(n,)`` displayed stroke width, 0 when not stroked.
        filled: ``(n,)`` true when filled.
        fill: ``(n,)`` luminance of the fill, 0 black to 1 white; 1 when not filled.
        ink: ``(n,)`` luminance of the stroke; 1 when not stroked.
        segments: ``(n,)`` number of straight segments and curves.
        curves: ``(n,)`` how many of these are curves.
        dashed: ``(n,)`` true when stroked with a dash pattern.
    """

    kind: npt.NDArray[np.int8]
    box: Boxes
    stroke: Floats
    filled: Flags
    fill: Floats
    ink: Floats
    segments: npt.NDArray[np.int32]
    curves: npt.NDArray[np.int32]
    dashed: Flags

    def __len__(self) -> int:
        return len(self.kind)

    def take(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Shapes:
        """The chosen rows, by mask or by index."""
        return Shapes(**{name: column[rows] for name, column in vars(self).items()})

    @classmethod
    def empty(cls) -> Shapes:
        """No shapes."""
        none, no, count = np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int32)
        return cls(np.zeros(0, dtype=np.int8), np.zeros((0, 4)), none, no, none, none, count, count, no)


@dataclass(frozen=True)
class Primitives:
    """Words and shapes of a page."""

    words: Words = field(default_factory=Words.empty)
    shapes: Shapes = field(default_factory=Shapes.empty)

    def __len__(self) -> int:
        return len(self.words) + len(self.shapes)


@dataclass(frozen=True)
class Raster:
    """The page as pixels, annotations and widgets not drawn.

    Attributes:
        pixels: ``(h, w)`` grey or ``(h, w, 3)`` RGB, uint8.
        scale: Pixels per displayed point.
    """

    pixels: npt.NDArray[np.uint8]
    scale: float


@dataclass(frozen=True)
class PageNeeds:
    """What is to be read of each page, so that nothing is rendered for nothing.

    Attributes:
        raster_long_side: Pixels of the longer side of the raster; none when no picture is needed.
        colour: RGB instead of grey.
        primitives: Whether words and shapes are needed.
        cropped_words: Also words that were cropped away, which the file says and the page does not show.
    """

    raster_long_side: int | None = None
    colour: bool = False
    primitives: bool = True
    cropped_words: bool = False


@dataclass(frozen=True)
class Page:
    """One page as the detectors see it. ``primitives`` is none when they could not be had."""

    index: int
    frame: PageFrame
    raster: Raster | None = None
    primitives: Primitives | None = None
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """Displayed width in points."""
        return self.frame.width

    @property
    def height(self) -> float:
        """Displayed height in points."""
        return self.frame.height

    @property
    def skipped(self) -> bool:
        """Whether nothing of it could be read; the notes say why."""
        return self.raster is None and self.primitives is None
