# SPDX-License-Identifier: Apache-2.0
"""Prediction lines of any system as arrays.

The format is the one of ``acromeld detect --raw`` (`acromeld.fields.PageLine`). Five thousand pages of nine
hundred boxes are 4.5 million pydantic models, so a line is first checked by hand on whole arrays; only a line
that fails goes through `acromeld.fields.parse_line`, whose sentence then names the mistake.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.detect.candidates import PageCandidates
from acromeld.errors import BadFields, InputNotFound
from acromeld.evaluate.pages import PageKey, PredictedPage
from acromeld.fields import KINDS, SCHEMA, DetectorRef, OperatingPoint, PageLine, parse_line

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import numpy.typing as npt

_KIND_INDEX = {kind.value: index for index, kind in enumerate(KINDS)}
_FIELD_KEYS = frozenset({"kind", "box", "score", "id", "quality", "origin"})
_LINE_KEYS = frozenset({"schema", "document", "detector", "operating_point", "page", "fields", "notes"})


class _Unusual(Exception):
    """The fast check cannot vouch for a line; the full parser decides."""


def read_predictions(path: str | os.PathLike[str]) -> dict[PageKey, PredictedPage]:
    """All pages of a JSONL file; a page that comes twice is an error, because one of them is wrong."""
    pages: dict[PageKey, PredictedPage] = {}
    for number, line in numbered_lines(Path(path)):
        where = f"{Path(path).name}, line {number}"
        page = parse_page(line, where)
        if page.key in pages:
            raise BadFields(f"{where} repeats page {page.index + 1} of document {page.document[:12]}.")
        pages[page.key] = page
    return pages


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Non-empty lines with their 1-based numbers."""
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None


def parse_page(line: bytes | str, where: str = "the line") -> PredictedPage:
    """One prediction line as arrays; anything malformed raises `BadFields`."""
    try:
        return _fast(json.loads(line))
    except (_Unusual, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return _careful(parse_line(line, where))


def _fast(data: dict[str, Any]) -> PredictedPage:
    """The common case, checked on arrays; every doubt is `_Unusual` or an ordinary lookup error."""
    page, document, fields = data["page"], data["document"], data["fields"]
    tidy = (
        data["schema"] == SCHEMA
        and data.keys() <= _LINE_KEYS
        and _strings(data.get("notes", []))
        and document.keys() == {"name", "sha256"}
        and _strings(list(document.values()))
        and page.keys() == {"index", "width", "height"}
        and type(page["index"]) is int
        and page["index"] >= 0
        and type(fields) is list
        and all(field.keys() <= _FIELD_KEYS for field in fields)
    )
    digest = document["sha256"]
    if not tidy or len(digest) != 64 or digest.strip("0123456789abcdef"):
        raise _Unusual
    candidates = _arrays(fields)
    width, height = float(page["width"]), float(page["height"])
    if not (0 < width < np.inf and 0 < height < np.inf):
        raise _Unusual
    if data.get("operating_point") is not None:
        OperatingPoint.model_validate(data["operating_point"])
    named = data.get("detector")
    detector = None if named is None else DetectorRef.model_validate(named)
    return PredictedPage(digest, page["index"], width, height, candidates, detector=detector)


def _strings(values: object) -> bool:
    return type(values) is list and all(type(value) is str for value in values)


def _arrays(fields: list[dict[str, Any]]) -> PageCandidates:
    if not fields:
        return PageCandidates.empty()
    box = np.array([field["box"] for field in fields])
    score = np.array([field.get("score", 1.0) for field in fields])
    quality = np.array([0.0 if field.get("quality") is None else field["quality"] for field in fields])
    origin = tuple("" if field.get("origin") is None else field["origin"] for field in fields)
    names = [field.get("id") for field in fields]
    sound = (
        box.shape == (len(fields), 4)
        and box.dtype.kind in "if"
        and bool(np.isfinite(box).all())
        and bool((box[:, 2:] > box[:, :2]).all())
        and _unit_range(score)
        and _unit_range(quality)
        and _strings([*origin, *(name for name in names if name is not None)])
    )
    if not sound:
        raise _Unusual
    kind = np.array([_KIND_INDEX[field["kind"]] for field in fields], dtype=np.int64)
    return PageCandidates(box.astype(np.float64), kind, score.astype(np.float64), origin)


def _unit_range(values: npt.NDArray[Any]) -> bool:
    """Numbers between 0 and 1, not strings or gaps that numpy took for something else."""
    return values.dtype.kind in "if" and values.ndim == 1 and bool(((values >= 0) & (values <= 1)).all())


def _careful(line: PageLine) -> PredictedPage:
    fields = [
        {"kind": field.kind.value, "box": field.box, "score": field.score, "origin": field.origin}
        for field in line.fields
    ]
    place = line.page
    return PredictedPage(
        line.document.sha256,
        place.index,
        place.width,
        place.height,
        _arrays(fields),
        detector=line.detector,
    )
