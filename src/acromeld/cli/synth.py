# SPDX-License-Identifier: Apache-2.0
"""``acromeld synth``: a folder of synthetic forms with native widgets."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from acromeld.cli.console import page_progress
from acromeld.corpus.synth import generate_corpus
from acromeld.corpus.synth.grammars import shares
from acromeld.errors import AcromeldError, OutputProblem
from acromeld.provenance.digests import sha256_file

Count = Annotated[int, Parameter(validator=validators.Number(gte=1))]


def synth(
    out: Path,
    /,
    *,
    seed: int,
    documents: Count = 5000,
    fonts: Literal["system", "builtin"] = "system",
    weigh: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    workers: Count = 1,
) -> int:
    """Make synthetic forms; the same seed, fonts and weights give the same bytes.

    Args:
        out: Folder to make; gets ``pdf/`` and ``manifest.jsonl``.
        seed: Seed of the whole corpus.
        documents: How many.
        fonts: ``builtin`` for bytes that do not depend on installed fonts.
        weigh: Other shares of some kinds of pages, like ``"dense table=8"``; by default those of the paper.
        workers: Processes; the result does not depend on it.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise OutputProblem(f"{out} exists already and is not an empty folder.")
    weights = _weights(weigh or [])
    began = time.perf_counter()
    with page_progress("Drawing forms") as progress:
        rows = generate_corpus(
            out, seed, documents, workers=workers, fonts=fonts, weigh=weights, progress=progress
        )
    seconds = time.perf_counter() - began
    pages = sum(row["pages"] for row in rows)
    fields = sum(sum(row["fields"].values()) for row in rows)
    print(
        f"{out}: {len(rows):,} documents, {pages:,} pages, {fields:,} fields; {seconds:.1f} s, "
        f"{pages / seconds:.1f} pages/s; manifest {sha256_file(out / 'manifest.jsonl')}."
    )
    return 0


def _weights(given: list[str]) -> dict[str, float]:
    """Weights by name of the grammar, from ``NAME=WEIGHT``; refused before anything is written."""
    try:
        weights = {name.strip(): float(weight) for name, weight in (item.rsplit("=", 1) for item in given)}
    except ValueError:
        raise AcromeldError("--weigh takes NAME=WEIGHT, like 'dense table=8'.") from None
    shares(weights)
    return weights
