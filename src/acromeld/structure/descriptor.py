# SPDX-License-Identifier: Apache-2.0
"""The 32 numbers that describe a primitive to the structure encoder.

`DESCRIPTOR` is the whole definition: position in the table is position in the vector. Values are scaled to
about 0..1; what does not apply to a kind is 0. Nothing here depends on annotations or form fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.kinds import TokenKind
from acromeld.structure.marks import mark_sized

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes
    from acromeld.pdf.page import Primitives, Shapes, Words

    Descriptors = npt.NDArray[np.float32]

DESCRIPTOR: tuple[tuple[str, str], ...] = (
    ("centre x", "share of the page width"),
    ("centre y", "share of the page height"),
    ("width", "share of the page width"),
    ("height", "share of the page height"),
    ("log width", "log(1 + points) / 8"),
    ("log height", "log(1 + points) / 8"),
    ("log aspect", "log(width / height) / 6, clipped to -1..1, points floored at 0.5"),
    ("horizontal rule", "1 if at most 2.5 pt high and at least 4 times as wide"),
    ("vertical rule", "1 if at most 2.5 pt wide and at least 4 times as high"),
    ("small square", "1 if both sides are 4 to 26 pt and within a factor of 1.6"),
    ("stroke width", "points / 4, clipped to 1; shapes"),
    ("filled", "1 if filled; shapes"),
    ("fill luminance", "0 black to 1 white, 1 when not filled; shapes"),
    ("stroke luminance", "0 black to 1 white, 1 when not stroked; shapes"),
    ("dashed", "1 if stroked with a dash pattern; shapes"),
    ("log segments", "log(1 + segments) / 6; shapes"),
    ("log curves", "log(1 + curves) / 6; shapes"),
    ("font size", "points / 24, clipped to 2; words"),
    ("font weight", "weight / 1000; words"),
    ("symbol font", "1 if the characters are pictures; words"),
    ("visible", "1 unless the text is invisible; words"),
    ("upright", "1 if it reads along the displayed page; words"),
    ("log characters", "log(1 + characters) / 5; words"),
    ("letters", "share of the characters; words"),
    ("digits", "share of the characters; words"),
    ("upper case", "share of the characters; words"),
    ("blank run", "share of underscores and leader dots; words"),
    ("ends with colon", "1 if so; words"),
    ("content order", "position in the content stream among primitives of its sort, 0..1"),
    ("words on page", "log(1 + words) / 8; page token"),
    ("shapes on page", "log(1 + shapes) / 8; page token"),
    ("inferred", "1 if read off the raster instead of the file"),
)
"""Name and meaning of each dimension."""

SIZE = len(DESCRIPTOR)
_AT = {name: index for index, (name, _) in enumerate(DESCRIPTOR)}
BLANK = frozenset("_.·…")


def page_descriptor(primitives: Primitives, width: float, height: float, *, inferred: bool) -> Descriptors:
    """The page token's row, shape ``(1, 32)``."""
    out = _geometry(np.array([[0.0, 0.0, width, height]]), width, height)
    out[:, _AT["words on page"]] = np.log1p(len(primitives.words)) / 8
    out[:, _AT["shapes on page"]] = np.log1p(len(primitives.shapes)) / 8
    out[:, _AT["inferred"]] = inferred
    return out


def word_descriptors(words: Words, rows: npt.NDArray[np.intp], width: float, height: float) -> Descriptors:
    """Descriptors of the chosen words, shape ``(len(rows), 32)``."""
    out = _geometry(words.box[rows], width, height)
    out[:, _AT["font size"]] = np.minimum(words.size[rows] / 24, 2.0)
    out[:, _AT["font weight"]] = words.weight[rows] / 1000
    out[:, _AT["symbol font"]] = words.symbolic[rows]
    out[:, _AT["visible"]] = words.visible[rows]
    out[:, _AT["upright"]] = words.upright[rows]
    out[:, _AT["content order"]] = rows / max(len(words) - 1, 1)
    first = _AT["log characters"]
    texts = [words.text[row] for row in rows]
    out[:, first : first + 6] = np.array([_characters(text) for text in texts]).reshape(-1, 6)
    return out


def _characters(text: str) -> tuple[float, float, float, float, float, float]:
    """Log length, shares of letters, digits, upper case and blank-run characters, final colon."""
    count = max(len(text), 1)
    return (
        float(np.log1p(len(text))) / 5,
        sum(map(str.isalpha, text)) / count,
        sum(map(str.isdigit, text)) / count,
        sum(map(str.isupper, text)) / count,
        sum(character in BLANK for character in text) / count if len(text) > 1 else 0.0,
        float(text.endswith((":", "："))),
    )


def shape_descriptors(shapes: Shapes, rows: npt.NDArray[np.intp], width: float, height: float) -> Descriptors:
    """Descriptors of the chosen shapes, shape ``(len(rows), 32)``."""
    out = _geometry(shapes.box[rows], width, height)
    out[:, _AT["stroke width"]] = np.minimum(shapes.stroke[rows] / 4, 1.0)
    out[:, _AT["filled"]] = shapes.filled[rows]
    out[:, _AT["fill luminance"]] = shapes.fill[rows]
    out[:, _AT["stroke luminance"]] = shapes.ink[rows]
    out[:, _AT["dashed"]] = shapes.dashed[rows]
    out[:, _AT["log segments"]] = np.log1p(shapes.segments[rows]) / 6
    out[:, _AT["log curves"]] = np.log1p(shapes.curves[rows]) / 6
    out[:, _AT["content order"]] = rows / max(len(shapes) - 1, 1)
    return out


def _geometry(box: Boxes, width: float, height: float) -> Descriptors:
    out = np.zeros((len(box), SIZE), dtype=np.float32)
    side = box[:, 2:] - box[:, :2]
    page = np.array([width, height])
    out[:, 0:2] = (box[:, :2] + box[:, 2:]) / 2 / page
    out[:, 2:4] = side / page
    out[:, 4:6] = np.log1p(np.maximum(side, 0.0)) / 8
    floored = np.maximum(side, 0.5)
    out[:, 6] = np.clip(np.log(floored[:, 0] / floored[:, 1]) / 6, -1, 1)
    out[:, 7] = is_rule(side[:, 0], side[:, 1])
    out[:, 8] = is_rule(side[:, 1], side[:, 0])
    out[:, 9] = mark_sized(side)
    return out


def is_rule(along: npt.NDArray[np.float64], across: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Thin and long."""
    rule: npt.NDArray[np.bool_] = (across <= 2.5) & (along >= 4 * across) & (along > 2.5)
    return rule


KIND_OF_SHAPE = np.array(
    [TokenKind.LINE, TokenKind.RECTANGLE, TokenKind.PATH, TokenKind.IMAGE], dtype=np.int8
)
"""Token kind by `acromeld.pdf.page.ShapeKind`."""
