# SPDX-License-Identifier: Apache-2.0
"""Candidates before decoding, one JSON line a page: what calibration needs and inference shards hold.

Prediction lines say what was kept; these say what there was to choose from, with origin and link vectors, so
that every operating point, every suppression and its reason can be computed again later. Numbers are written
so that they come back bit for bit; link vectors are little-endian float32 in base64.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import CAP, FLOOR
from acromeld.errors import BadFields
from acromeld.evaluate.pages import PageKey, PredictedPage
from acromeld.evaluate.predictions import numbered_lines
from acromeld.fields import KINDS, DetectorRef

if TYPE_CHECKING:
    import os

    from acromeld.geometry import Floats

SCHEMA = "acromeld.candidates/1"


def candidate_line(page: PredictedPage) -> str:
    """One compact JSON line; candidates below the raw floor are left out, nothing can revive them."""
    found = page.candidates
    alive = np.flatnonzero(found.score >= FLOOR)
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "document": page.document,
        "page": {"index": page.index, "width": page.width, "height": page.height},
        "box": found.box[alive].tolist(),
        "kind": found.kind[alive].tolist(),
        "score": found.score[alive].tolist(),
        "origin": [found.origin[index] for index in alive],
    }
    if page.cap != CAP:
        record["cap"] = page.cap
    if page.detector is not None:
        record["detector"] = page.detector.model_dump(mode="json", exclude_none=True)
    if found.quality is not None:
        record["quality"] = found.quality[alive].tolist()
    if found.link is not None:
        record["link"] = base64.b64encode(found.link[alive].astype("<f4").tobytes()).decode("ascii")
    return json.dumps(record, separators=(",", ":"))


def parse_candidates(line: bytes | str, where: str = "the line") -> PredictedPage:
    """One candidate line; anything malformed raises `BadFields`."""
    try:
        return _page(json.loads(line))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadFields(f"{where} is not a valid candidate line: {error!r}.") from None


def read_candidates(path: str | os.PathLike[str]) -> dict[PageKey, PredictedPage]:
    """All pages of a file of candidate lines; a page that comes twice is an error."""
    pages: dict[PageKey, PredictedPage] = {}
    for number, line in numbered_lines(Path(path)):
        where = f"{Path(path).name}, line {number}"
        page = parse_candidates(line, where)
        if page.key in pages:
            raise BadFields(f"{where} repeats page {page.index + 1} of document {page.document[:12]}.")
        pages[page.key] = page
    return pages


def holds_candidates(path: str | os.PathLike[str]) -> bool:
    """Whether the first line of a file is a candidate line rather than a prediction line."""
    first = next(numbered_lines(Path(path)), (0, b""))[1]
    return SCHEMA.encode() in first[:200]


def _page(data: dict[str, Any]) -> PredictedPage:
    if data["schema"] != SCHEMA:
        raise ValueError(f"format {data['schema']!r} is not {SCHEMA!r}")
    box = np.array(data["box"], dtype=np.float64).reshape(-1, 4)
    kind = np.array(data["kind"], dtype=np.int64)
    score = np.array(data["score"], dtype=np.float64)
    origin = tuple(str(text) for text in data["origin"])
    if not len(box) == len(kind) == len(score) == len(origin):
        raise ValueError("box, kind, score and origin differ in length")
    if not (np.isfinite(box).all() and ((score >= 0) & (score <= 1)).all() and np.isin(kind, _KINDS).all()):
        raise ValueError("a box, score or kind is out of range")
    quality = np.array(data["quality"], dtype=np.float64) if "quality" in data else None
    candidates = PageCandidates(box, kind, score, origin, quality, _link(data.get("link"), len(box)))
    detector = DetectorRef.model_validate(data["detector"]) if "detector" in data else None
    place = data["page"]
    return PredictedPage(
        str(data["document"]),
        int(place["index"]),
        float(place["width"]),
        float(place["height"]),
        candidates,
        decoded=False,
        detector=detector,
        cap=int(data.get("cap", CAP)),
    )


_KINDS = np.arange(len(KINDS))


def _link(text: str | None, count: int) -> Floats | None:
    if text is None:
        return None
    flat = np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float64)
    return flat.reshape(count, -1) if count else np.zeros((0, 1))
