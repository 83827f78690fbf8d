# SPDX-License-Identifier: Apache-2.0
"""What the label scorer is told about a pair of field and text, one column per fact."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.label_candidates import FAR, Direction, headings
from acromeld.form.describe.surroundings import NO_CELL
from acromeld.form.describe.texts import has_words, tokens
from acromeld.structure.intervals import blocks

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.form.describe.label_candidates import Candidates
    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.geometry import Boxes, Floats

    Index = npt.NDArray[np.intp]

_NUMBERED = re.compile(r"^\(?\d+|^[A-Za-z][.)]\s")
_FAR_AWAY = 999.0


def texts_of(around: Surroundings, found: Candidates) -> list[str]:
    """The spoken text of each candidate."""
    piece_text, paragraph_text = around.spoken
    paragraph = around.pieces.paragraph
    return [
        paragraph_text[paragraph[piece]] if whole else piece_text[piece]
        for piece, whole in zip(found.piece.tolist(), found.whole.tolist(), strict=True)
    ]


def boxes_of(around: Surroundings, found: Candidates) -> Boxes:
    """The box of each candidate's text, ``(c, 4)``."""
    whole = around.paragraphs.box[around.pieces.paragraph[found.piece]]
    return np.where(found.whole[:, None], whole, around.pieces.box[found.piece])


def describe_candidates(around: Surroundings, found: Candidates) -> dict[str, Floats]:
    """Columns ``(c,)`` by name."""
    columns = _geometry(around, found)
    columns |= _print(around, found)
    columns |= _neighbours(around, found)
    columns |= _obstacles(around, found)
    return columns | _alternatives(around, found, columns)


def matrix(columns: dict[str, Floats]) -> npt.NDArray[np.float32]:
    """Columns side by side, ``(c, features)``."""
    return np.stack(list(columns.values()), axis=1).astype(np.float32)


def _geometry(around: Surroundings, found: Candidates) -> dict[str, Floats]:
    field, text = around.field[found.field], boxes_of(around, found)
    x0, y0, x1, y1 = field.T
    a0, b0, a1, b1 = text.T
    shared = np.minimum(x1, a1) - np.maximum(x0, a0)
    columns = {f"rank {each.name.lower()}": found.rank[:, each] for each in Direction}
    return {name: value.astype(np.float64) for name, value in columns.items()} | {
        "choice": around.choice[found.field].astype(np.float64),
        "signature": around.signature[found.field].astype(np.float64),
        "grouped": around.grouped[found.field].astype(np.float64),
        "gap left": x0 - a1,
        "gap right": a0 - x1,
        "gap above": y0 - b1,
        "gap below": b0 - y1,
        "shared width": shared / np.maximum(np.minimum(x1 - x0, a1 - a0), 1.0),
        "left edges": a0 - x0,
        "right edges": a1 - x1,
        "centres": (a0 + a1 - x0 - x1) / 2,
        "baselines": b1 - y1,
        "middles": (b0 + b1 - y0 - y1) / 2,
        "field width": x1 - x0,
        "field height": y1 - y0,
        "text width": a1 - a0,
        "place across": x0 / around.width,
        "place down": y0 / around.height,
        "from the right": np.full(len(found), float(around.backward)),
        "same cell": _same_cell(around, found),
    }


def _same_cell(around: Surroundings, found: Candidates) -> Floats:
    """1 in the same table cell, 0 in different ones, -1 where there are none."""
    cell, other = around.field_cell[found.field], around.piece_cell[found.piece]
    return np.where((cell == NO_CELL) & (other == NO_CELL), -1.0, (cell == other).astype(np.float64))


def _print(around: Surroundings, found: Candidates) -> dict[str, Floats]:
    """How the text is printed and worded."""
    pieces, texts = around.pieces, texts_of(around, found)
    raw = [pieces.text[piece].rstrip() for piece in found.piece.tolist()]
    count = np.array([len(tokens(text)) for text in texts], dtype=np.float64)
    lines = around.paragraphs.lines[pieces.paragraph[found.piece]]
    printed = Counter(around.spoken[0]) + Counter(
        text for text, long in zip(around.spoken[1], around.paragraphs.lines > 1, strict=True) if long
    )

    def each(test: list[bool]) -> Floats:
        return np.array(test, dtype=np.float64)

    return {
        "size": pieces.size[found.piece] / around.size,
        "weight": pieces.weight[found.piece],
        "heading": headings(around)[found.piece].astype(np.float64),
        "option": around.option[found.piece].astype(np.float64),
        "words": count,
        "times printed": np.array([float(printed[text]) for text in texts]),
        "letters": np.array([float(len(text)) for text in texts]),
        "lines": lines.astype(np.float64),
        "line": pieces.line[found.piece].astype(np.float64),
        "last line": (pieces.line[found.piece] == lines - 1).astype(np.float64),
        "whole": found.whole.astype(np.float64),
        "colon": each([text.endswith((":", "：")) for text in raw]),
        "question": each([text.endswith("?") for text in texts]),
        "stop": each([text.endswith(".") for text in texts]),
        "bracket": each([text.startswith("(") for text in texts]),
        "capitals": each([text.isupper() for text in texts]),
        "begins small": each([text[:1].islower() for text in texts]),
        "numbered": each([_NUMBERED.match(text) is not None for text in texts]),
        "no words": each([not has_words(text) for text in texts]),
    }


def _neighbours(around: Surroundings, found: Candidates) -> dict[str, Floats]:
    """Other fields: between field and text, nearer to the text, and how many look to the same text."""
    text, own = around.pieces.box[found.piece], around.field[found.field]
    own_gap = _gap(own, text)
    nearer, between = np.zeros(len(found)), np.zeros(len(found))
    for part in blocks(len(found), 2 * max(len(around.field), 1)):
        gap = _gap(around.field[None], text[part, None])
        nearer[part] = (gap < own_gap[part, None] - 0.5).sum(1)
        between[part] = _between(own[part], text[part], around.field)
    first = (found.rank == 0) & ~found.whole[:, None]
    columns = {"nearer fields": nearer, "fields between": between}
    for each in (Direction.LEFT, Direction.RIGHT, Direction.ABOVE, Direction.BELOW):
        looking = np.bincount(found.piece[first[:, each]], minlength=len(around.pieces))
        columns[f"looked at from {each.name.lower()}"] = looking[found.piece].astype(np.float64)
    return columns


def _gap(a: Boxes, b: Boxes) -> Floats:
    """Distance between boxes, broadcast over leading axes."""
    across = np.maximum(np.maximum(a[..., 0] - b[..., 2], b[..., 0] - a[..., 2]), 0.0)
    down = np.maximum(np.maximum(a[..., 1] - b[..., 3], b[..., 1] - a[..., 3]), 0.0)
    gap: Floats = np.hypot(across, down)
    return gap


def _between(field: Boxes, text: Boxes, others: Boxes) -> Floats:
    """How many other fields the straight way from text to field crosses, ``(c,)``."""
    x, y = (others[:, 0] + others[:, 2]) / 2, (others[:, 1] + others[:, 3]) / 2
    low, high = np.minimum(field, text), np.maximum(field, text)
    across = (x > low[:, None, 2]) & (x < high[:, None, 0])
    across &= (others[:, 1] < field[:, None, 3]) & (others[:, 3] > field[:, None, 1])
    down = (y > low[:, None, 3]) & (y < high[:, None, 1])
    down &= (others[:, 0] < field[:, None, 2]) & (others[:, 2] > field[:, None, 0])
    count: Floats = (across | down).sum(1).astype(np.float64)
    return count


def _obstacles(around: Surroundings, found: Candidates) -> dict[str, Floats]:
    """Rules that lie between field and text."""
    field, text = around.field[found.field], around.pieces.box[found.piece]
    flat, upright = around.rules.horizontal, around.rules.vertical
    out = {"rules across": np.zeros(len(found)), "rules down": np.zeros(len(found))}
    x, y = (field[:, 0] + field[:, 2]) / 2, (field[:, 1] + field[:, 3]) / 2
    for part in blocks(len(found), len(flat) + len(upright) + 1):
        top = np.minimum(text[part, 3], field[part, 3])[:, None] - 1
        bottom = np.maximum(text[part, 1], field[part, 1])[:, None] + 1
        middle = x[part, None]
        met = (flat.at > top) & (flat.at < bottom) & (flat.low < middle) & (flat.high > middle)
        out["rules across"][part] = met.sum(1)
        left = np.minimum(text[part, 2], field[part, 2])[:, None] - 1
        right = np.maximum(text[part, 0], field[part, 0])[:, None] + 1
        middle = y[part, None]
        met = (upright.at > left) & (upright.at < right) & (upright.low < middle) & (upright.high > middle)
        out["rules down"][part] = met.sum(1)
    return out


def _alternatives(around: Surroundings, found: Candidates, columns: dict[str, Floats]) -> dict[str, Floats]:
    """How near the nearest text of each direction is, for the field and for the typical field of the page."""
    out: dict[str, Floats] = {}
    for each in (Direction.LEFT, Direction.RIGHT, Direction.ABOVE, Direction.BELOW, Direction.INSIDE):
        name = each.name.lower()
        gap = columns.get(f"gap {name}", np.zeros(len(found)))
        nearest = np.full(len(around.field), _FAR_AWAY)
        first = found.rank[:, each] == 0
        nearest[found.field[first]] = gap[first]
        out[f"nearest {name}"] = nearest[found.field]
        for label, kind in (("text", ~around.choice), ("choice", around.choice)):
            usual = np.median(nearest[kind]) if kind.any() else _FAR_AWAY
            out[f"usual {name} of {label}"] = np.full(len(found), usual)
    out["found in"] = (found.rank < FAR).sum(1).astype(np.float64)
    return out
