# SPDX-License-Identifier: Apache-2.0
"""Does the exported graph find what torch finds? Both read the same pages and are decoded alike.

    python tools/onnx_parity.py WEIGHTS.pt FILE.pdf ... [--pages 50] [--half] [--threads 1]

One page of each of so many files, both chosen by a seed. The final sets must be the same: the same number of
fields, each with its twin of the same class within 0.1 pt and a score within 1e-3. The worst differences are
printed, and the exit code is 1 if a page fails. Instead of WEIGHTS.pt, ``paper`` or ``compact`` stands for
random weights; those find nothing, so only the answers of the single queries are compared.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from acromeld.detect.acromeld.detector import as_candidates, load_expert
from acromeld.detect.acromeld.inputs import feed, read_inputs
from acromeld.detect.acromeld.weights import INPUTS, OUTPUTS, Weights, read_weights
from acromeld.detect.decoding import decode
from acromeld.errors import AcromeldError
from acromeld.fields import OperatingPoint
from acromeld.model.acromeld import AcroMeld
from acromeld.model.contract import CONTRACTS
from acromeld.model.export import ForDecoding, export_onnx, round_to_half
from acromeld.model.saved import load_model
from acromeld.pdf.document import open_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acromeld.detect.acromeld.inputs import PageInputs
    from acromeld.detect.candidates import PageCandidates

    Answers = dict[str, np.ndarray]

BOX_LIMIT = 0.1
SCORE_LIMIT = 1e-3


@dataclass(frozen=True)
class Difference:
    """How far two final sets are apart; ``unpaired`` fields have no twin of their class nearby."""

    fields: int
    unpaired: int
    box: float
    score: float

    @property
    def fine(self) -> bool:
        return self.unpaired == 0 and self.box <= BOX_LIMIT and self.score <= SCORE_LIMIT


def main() -> int:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("weights", help="WEIGHTS.pt, or the name of a contract")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--half", action="store_true", help="round the weights to half precision first")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--threshold", type=float, default=0.4, help="score from which on a field is one")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    known = CONTRACTS.get(given.weights)
    model = load_model(Path(given.weights)) if known is None else AcroMeld(known).eval()
    if given.half:
        round_to_half(model)
    exported = export(model, given.threads)
    point = OperatingPoint(
        text=given.threshold, choice=given.threshold, signature=given.threshold, nms=0.7, link=0.8
    )
    print(f"contract {model.contract.name}  weights {exported.digest}", flush=True)
    pages = chosen_pages(given.files, given.pages, given.seed, exported)
    found = [compare(name, inputs, model, exported, point) for name, inputs in pages]
    return summary(found)


def export(model: AcroMeld, threads: int) -> Weights:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        path.write_bytes(export_onnx(model))
        print(f"{path.stat().st_size / 1e6:.1f} MB", end="  ")
        return read_weights(path, threads)


def chosen_pages(
    files: list[Path], count: int, seed: int, weights: Weights
) -> Iterator[tuple[str, PageInputs]]:
    """One page of each of ``count`` files; files that cannot be read are passed over."""
    draw, left, expert = random.Random(seed), count, load_expert(weights)
    for file in draw.sample(sorted(files), len(files)):
        if left == 0:
            return
        try:
            with open_document(file) as document:
                index = draw.randrange(len(document))
                page = document.read_page(index, weights.contract.needs)
        except AcromeldError:
            continue
        left -= 1
        yield f"{file.stem[:12]} page {index + 1}", read_inputs(page, weights.contract, expert=expert)


def compare(
    name: str, inputs: PageInputs, model: AcroMeld, weights: Weights, point: OperatingPoint
) -> Difference:
    given = feed(inputs)
    with torch.no_grad():
        parts = ForDecoding(model)(*(torch.from_numpy(given[part]) for part in INPUTS))
    ours = {part: answer[0].numpy() for part, answer in zip(OUTPUTS, parts, strict=True)}
    answers = weights.session.run(list(OUTPUTS), given)
    theirs = {part: answer[0] for part, answer in zip(OUTPUTS, answers, strict=True)}
    a, b = (as_candidates(answer, inputs.place, weights.contract) for answer in (ours, theirs))
    difference = final_difference(a, b, point)
    print(
        f"{name}: {len(inputs.tokens)} tokens, {difference.fields} fields, unpaired {difference.unpaired}, "
        f"box {difference.box:.2g} pt, score {difference.score:.2g}; {query_difference(ours, theirs)}"
        + ("" if difference.fine else "  <- DIFFERS"),
        flush=True,
    )
    return difference


def final_difference(a: PageCandidates, b: PageCandidates, point: OperatingPoint) -> Difference:
    """Each field of one set with the nearest unused one of the other, classes kept apart."""
    rows, columns = decode(a, point).kept, decode(b, point).kept
    apart = np.abs(a.box[rows][:, None] - b.box[columns][None]).max(axis=2, initial=0.0)
    apart[a.kind[rows][:, None] != b.kind[columns][None]] = np.inf
    unpaired, box, score = abs(len(rows) - len(columns)), 0.0, 0.0
    for row in range(min(len(rows), len(columns))):
        twin = int(apart[row].argmin())
        if apart[row, twin] > 1.0:
            unpaired += 1
            continue
        box = max(box, float(apart[row, twin]))
        score = max(score, abs(float(a.score[rows[row]] - b.score[columns[twin]])))
        apart[:, twin] = np.inf
    return Difference(len(rows), unpaired, box, score)


def query_difference(ours: Answers, theirs: Answers) -> str:
    """Each query with its most similar counterpart: how many agree, and how well the median one does."""
    a, b = (np.concatenate([x[n].reshape(len(x["quality"]), -1) for n in OUTPUTS], 1) for x in (ours, theirs))
    apart = np.array([np.abs(row - b).max(1).min() for row in a])
    return f"queries within 1e-3: {(apart < 1e-3).sum()} of {len(apart)}, median {np.median(apart):.1g}"


def summary(found: list[Difference]) -> int:
    failed = sum(not page.fine for page in found)
    print(
        f"{len(found)} pages, {sum(page.fields for page in found)} fields; "
        f"unpaired {sum(page.unpaired for page in found)}; "
        f"worst box {max(page.box for page in found):.2g} pt, "
        f"worst score {max(page.score for page in found):.2g}; pages that differ: {failed}"
    )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
