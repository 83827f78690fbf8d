# SPDX-License-Identifier: Apache-2.0
"""Where the marked text of a tagged page stands: which word belongs to which structure element.

Only starting points of text are followed through the content stream, not glyph widths: that is enough to give
each word, whose exact box the reader knows, to the run it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pikepdf

from acromeld.form.objects import as_dict, dict_at, int_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pikepdf import Dictionary, Object, Page

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.frame import PageFrame
    from acromeld.pdf.page import Words

Matrix = tuple[float, float, float, float, float, float]
Owner = tuple[int, int]
"""/StructParents of the stream, and MCID."""

_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_MAX_DEPTH = 8
_MAX_RUNS = 50_000
_MAX_BYTES = 4_000_000
"""Content of a page in all. A parsed instruction takes up to a hundred times the bytes it was read from."""

_MAX_PAIRS = 2_000_000
"""Words times runs that are looked at in one go."""

_SHOWS = ("Tj", "TJ", "'", '"')
_FOLLOWED = ("BDC", "BMC", "EMC", "Do", "q", "Q", "cm", "BT", "Tm", "Td", "TD", "T*", "TL", "Tf", *_SHOWS)
_GUESSED_ADVANCE = 0.5
"""Width of a character in font sizes, for text that goes on where the last string ended."""


@dataclass(frozen=True)
class MarkedRuns:
    """Starting points ``(n, 2)`` of marked strings on the displayed page, and their owners."""

    point: Floats
    owner: tuple[Owner, ...]

    def of_words(self, words: Words) -> list[Owner | None]:
        """The owner of each word: the run on its line that starts last before it."""
        if not self.owner:
            return [None] * len(words)
        step = max(_MAX_PAIRS // len(self.owner), 1)
        rows = (slice(first, first + step) for first in range(0, len(words), step))
        return [owner for some in rows for owner in self._of(words.box[some], words.size[some])]

    def _of(self, box: Boxes, size: Floats) -> list[Owner | None]:
        size = np.maximum(size, 1.0)
        x, y = self.point[:, 0], self.point[:, 1]
        on_line = (y >= box[:, 1:2]) & (y <= box[:, 3:] + 0.35 * size[:, None])
        before = on_line & (x <= box[:, :1] + 0.5 * size[:, None])
        # Text from right to left starts at its right end: then the nearest start on the line will do.
        gap = np.where(before, box[:, :1] - x, np.where(on_line, 1e6 + np.abs(box[:, :1] - x), np.inf))
        best = gap.argmin(axis=1)
        found = np.isfinite(gap[np.arange(len(box)), best])
        return [self.owner[run] if known else None for run, known in zip(best, found, strict=True)]


def marked_runs(page: Page, frame: PageFrame) -> MarkedRuns:
    """Read the content of a page; content that is too much or cannot be parsed has no marked text."""
    reader = _Reader()
    try:
        reader.read(page.obj, as_dict(page.resources), _key_of(page.obj), _IDENTITY, _MAX_DEPTH)
    except (pikepdf.PdfError, RuntimeError, ValueError, TypeError):
        return MarkedRuns(np.zeros((0, 2)), ())
    points = np.array(reader.points, dtype=np.float64).reshape(-1, 2)
    shown = frame.to_display(np.hstack([points, points]))[:, :2] if len(points) else points
    return MarkedRuns(shown, tuple(reader.owners))


class _Reader:
    """Collects the runs of a page from its content stream and the forms it draws."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float]] = []
        self.owners: list[Owner] = []
        self._left = _MAX_BYTES

    def read(self, stream: Object, resources: Dictionary | None, key: int, ctm: Matrix, depth: int) -> None:
        """Follow one stream whose marked content is listed under ``key``."""
        state, marks = _State(ctm), list[int | None]()
        self._left -= _length(stream)
        if self._left < 0:
            raise ValueError("too much content")
        for instruction in pikepdf.parse_content_stream(stream, " ".join(_FOLLOWED)):
            code, operands = str(instruction.operator), list(instruction.operands)
            if code in ("BDC", "BMC"):
                marks.append(_mcid(operands, resources))
            elif code == "EMC":
                del marks[-1:]
            elif code == "Do" and depth:
                self._draw(operands[0], resources, state.ctm, depth - 1)
            elif code in _SHOWS:
                state.before_showing(code)
                self._note(state, key, marks)
                state.advance(operands[-1])
            else:
                state.follow(code, operands)
            if len(self.points) >= _MAX_RUNS:
                return

    def _note(self, state: _State, key: int, marks: list[int | None]) -> None:
        mcid = next((mark for mark in reversed(marks) if mark is not None), None)
        if mcid is not None:
            matrix = _times(state.text, state.ctm)
            self.points.append((matrix[4], matrix[5]))
            self.owners.append((key, mcid))

    def _draw(self, name: object, resources: Dictionary | None, ctm: Matrix, depth: int) -> None:
        drawn = (dict_at(resources, "/XObject") or pikepdf.Dictionary()).get(str(name))
        if isinstance(drawn, pikepdf.Stream) and drawn.get("/Subtype") == "/Form":
            placed = _times(_matrix(drawn.get("/Matrix")), ctm)
            inner = as_dict(drawn.get("/Resources")) or resources
            self.read(drawn, inner, _key_of(drawn.stream_dict), placed, depth)


class _State:
    """The part of the graphics state that says where text stands."""

    def __init__(self, ctm: Matrix) -> None:
        self.ctm = ctm
        self.text = self._line = _IDENTITY
        self._size, self._leading = 1.0, 0.0
        self._kept: list[Matrix] = []

    def follow(self, code: str, operands: Sequence[object]) -> None:
        """Obey an operator that moves something; all others are passed over."""
        if code == "q":
            self._kept.append(self.ctm)
        elif code == "Q" and self._kept:
            self.ctm = self._kept.pop()
        elif code == "cm":
            self.ctm = _times(_matrix(operands), self.ctm)
        elif code == "BT":
            self.text = self._line = _IDENTITY
        elif code == "Tm":
            self.text = self._line = _matrix(operands)
        elif code in ("Td", "TD"):
            x, y = _numbers(operands)
            self._leading = -y if code == "TD" else self._leading
            self._move(x, y)
        elif code == "T*":
            self._move(0.0, -self._leading)
        elif code == "TL":
            (self._leading,) = _numbers(operands)
        elif code == "Tf":
            (self._size,) = _numbers(operands[1:])

    def before_showing(self, code: str) -> None:
        """The two quotation marks go to the next line first."""
        if code in ("'", '"'):
            self._move(0.0, -self._leading)

    def advance(self, shown: object) -> None:
        """Go on by a guess of how wide the shown text is."""
        strings = list(shown) if isinstance(shown, pikepdf.Array) else [shown]
        count = sum(len(bytes(item)) for item in strings if isinstance(item, pikepdf.String))
        self.text = _times((1.0, 0.0, 0.0, 1.0, count * _GUESSED_ADVANCE * self._size, 0.0), self.text)

    def _move(self, x: float, y: float) -> None:
        self.text = self._line = _times((1.0, 0.0, 0.0, 1.0, x, y), self._line)


def _key_of(node: Dictionary) -> int:
    """/StructParents of a page or form; -1, which nothing is listed under, where it has none."""
    return int_at(node, "/StructParents") if "/StructParents" in node else -1


def _length(stream: Object) -> int:
    """Bytes of the content of a page or form, decoded."""
    if isinstance(stream, pikepdf.Stream):
        return len(stream.read_bytes())
    contents = stream.get("/Contents")
    parts = contents if isinstance(contents, pikepdf.Array) else [contents]
    return sum(len(part.read_bytes()) for part in parts if isinstance(part, pikepdf.Stream))


def _mcid(operands: Sequence[object], resources: Dictionary | None) -> int | None:
    """The MCID of a marked-content sequence, given in place or among the resources."""
    properties = operands[1] if len(operands) > 1 else None
    if isinstance(properties, pikepdf.Name):
        properties = (dict_at(resources, "/Properties") or pikepdf.Dictionary()).get(str(properties))
    found = as_dict(properties)
    return int_at(found, "/MCID") if found is not None and "/MCID" in found else None


def _numbers(operands: Iterable[object]) -> list[float]:
    return [float(value) for value in operands]  # type: ignore[arg-type]


def _matrix(operands: object) -> Matrix:
    values = _numbers(operands) if isinstance(operands, Iterable) else []
    return (*values,) if len(values) == 6 else _IDENTITY  # type: ignore[return-value]


def _times(first: Matrix, then: Matrix) -> Matrix:
    """The transformation that does one and then the other."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)
