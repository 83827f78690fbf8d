# SPDX-License-Identifier: Apache-2.0
"""Does our runner give what the peer's own toolkit gives? Both on the same pictures, compared box by box."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pypdfium2

from acromeld.geometry import as_boxes, iou
from acromeld.pdf.source import load_source, open_pikepdf, page_frame
from acromeld.peers.commonforms import environment
from acromeld.peers.commonforms.isolated import REFERENCE
from acromeld.peers.commonforms.postprocess import Detections
from acromeld.peers.commonforms.profiles import FLOOR, LIMIT, profile_named
from acromeld.peers.commonforms.render import render
from acromeld.peers.commonforms.run import detect, open_peer
from acromeld.peers.commonforms.steps import command

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from acromeld.peers.commonforms.profiles import ModelName, Profile, ProfileName
    from acromeld.peers.commonforms.run import Document

    Pixels = npt.NDArray[np.uint8]

_SAME = 0.5


@dataclass(frozen=True)
class Agreement:
    """How two answers for one picture differ.

    Attributes:
        ours: Detections of our runner.
        theirs: Detections of the toolkit.
        matched: Pairs of one class, one to one.
        pixels: Largest difference of a coordinate among the pairs, in picture pixels.
        pixels_kept: The same among pairs the tool itself would keep (score above 0.3).
        score: Largest difference of a score among the pairs.
        unmatched: Highest score of a detection without a partner on either side, 0 when all have one.
    """

    ours: int
    theirs: int
    matched: int
    pixels: float
    pixels_kept: float
    score: float
    unmatched: float


def compare(ours: Detections, theirs: Detections) -> Agreement:
    """Pair the detections of one class by overlap, best pairs first, and measure what is left."""
    pairs = _pairs(ours, theirs)
    left, right = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    pixels = np.abs(ours.box[left] - theirs.box[right]).max(axis=1, initial=0.0)
    alone = [np.delete(ours.score, left), np.delete(theirs.score, right)]
    return Agreement(
        ours=len(ours),
        theirs=len(theirs),
        matched=len(pairs),
        pixels=float(pixels.max(initial=0.0)),
        pixels_kept=float(pixels[ours.score[left] > 0.3].max(initial=0.0)),
        score=float(np.abs(ours.score[left] - theirs.score[right]).max(initial=0.0)),
        unmatched=float(np.concatenate(alone).max(initial=0.0)),
    )


def _pairs(ours: Detections, theirs: Detections) -> list[tuple[int, int]]:
    overlap = iou(ours.box, theirs.box) * (ours.kind[:, None] == theirs.kind[None, :])
    rows, columns = np.nonzero(overlap >= _SAME)
    order = np.argsort(-overlap[rows, columns], kind="stable")
    return _one_to_one(list(zip(rows[order].tolist(), columns[order].tolist(), strict=True)))


def _one_to_one(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs whose two sides were not taken by an earlier pair."""
    rows: dict[int, int] = {}
    taken: set[int] = set()
    for row, column in pairs:
        if row not in rows and column not in taken:
            rows[row] = column
            taken.add(column)
    return list(rows.items())


def verify(
    pages: Iterable[tuple[Document, int]],
    model: ModelName = "s",
    profile: ProfileName = "plain1216",
    *,
    folder: Path | None = None,
    threads: int = 1,
) -> list[Agreement]:
    """Run both on the same rendered pages; one `Agreement` a page."""
    peer = open_peer(model, profile, folder=folder, threads=threads)
    pictures = [_picture(document, index, peer.profile) for document, index in pages]
    theirs = _reference(pictures, model, profile_named(profile), environment.load(folder), threads)
    return [compare(detect(peer, picture), other) for picture, other in zip(pictures, theirs, strict=True)]


def _picture(document: Document, index: int, profile: Profile) -> Pixels:
    source = load_source(document)
    with open_pikepdf(source) as pdf:
        frame = page_frame(pdf.pages[index])
    with pypdfium2.PdfDocument(source.data, password=source.password) as opened:
        return render(opened[index], frame, profile).pixels


def _reference(
    pictures: Sequence[Pixels], model: ModelName, profile: Profile, made: environment.Artifacts, threads: int
) -> list[Detections]:
    """The toolkit's own detections, from a process of the peer's environment."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        program, job, output = work / "reference.py", work / "job.json", work / "output.jsonl"
        program.write_text(REFERENCE)
        for number, picture in enumerate(pictures):
            np.save(work / f"{number}.npy", picture)
        job.write_text(
            json.dumps(_job(work, len(pictures), made.checkpoint(model), output, profile, threads))
        )
        command(
            [environment.interpreter(made.folder), "-I", program, job],
            "The toolkit's own prediction",
            environment.isolation(made.folder),
        )
        return [_detections(row) for row in output.read_text().splitlines()]


def _job(
    work: Path, count: int, weights: Path, output: Path, profile: Profile, threads: int
) -> dict[str, object]:
    settings = {
        "imgsz": profile.long_side,
        "conf": FLOOR,
        "iou": profile.nms_iou,
        "max_det": LIMIT,
        "augment": profile.augment,
    }
    return {
        "weights": str(weights),
        "pictures": [str(work / f"{number}.npy") for number in range(count)],
        "output": str(output),
        "settings": settings,
        "threads": threads,
    }


def _detections(row: str) -> Detections:
    data = json.loads(row)
    return Detections(
        as_boxes(data["box"]),
        np.asarray(data["score"], dtype=np.float64),
        np.asarray(data["kind"], dtype=np.intp),
    )


def table(agreements: Sequence[Agreement]) -> str:
    """The comparison as a Markdown table, one row a page."""
    head = "| page | ours | theirs | matched | box px | box px > 0.3 | score | highest unmatched |"
    rows = [head, "|---|---|---|---|---|---|---|---|"]
    for number, page in enumerate(agreements, 1):
        ours, theirs, matched, *floats = asdict(page).values()
        cells = [number, ours, theirs, matched, *(f"{value:.5f}" for value in floats)]
        rows.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(rows)
