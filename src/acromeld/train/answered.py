# SPDX-License-Identifier: Apache-2.0
"""Training pages with what a network answers for them: what second looks are learned from.

What the network answers depends on FFGBT's opinion, so every page is judged by an FFGBT that never saw it, as
in the training of the network.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.detect.acromeld.inputs import feed, read_inputs
from acromeld.detect.acromeld.seen import look
from acromeld.detect.acromeld.weights import read_weights
from acromeld.evaluate.truth import role_pages, role_targets
from acromeld.train.data.experts import expert_for, load_expert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from acromeld.corpus.index import DocumentRow
    from acromeld.detect.acromeld.seen import Seen
    from acromeld.detect.acromeld.weights import Weights
    from acromeld.evaluate.pages import TargetPage
    from acromeld.pdf.page import Page
    from acromeld.structure.tokens import Tokens

Found = TypeVar("Found")


@dataclass(frozen=True)
class Job:
    """A document and the truth of its pages."""

    document: DocumentRow
    pages: tuple[TargetPage, ...]


@dataclass(frozen=True)
class Reader:
    """Where documents, the network and its experts are."""

    pdf: Path
    weights: Path
    experts: Path

    def network(self) -> Weights:
        """One thread: the processes share the cores."""
        return _network(self.weights)

    def ask(self, document: DocumentRow, page: Page) -> tuple[Seen, Tokens]:
        """What the network says of a page of a document, and the tokens it read."""
        network = self.network()
        expert = load_expert(expert_for(document, self.experts))
        inputs = read_inputs(page, network.contract, expert=expert)
        return look(network.answers(feed(inputs)), inputs.place), inputs.tokens


@cache
def _network(path: Path) -> Weights:
    return read_weights(path, threads=1)


def training_jobs(index_path: Path, limit: int | None = None) -> tuple[list[Job], str]:
    """The train-real documents of a sealed index, at most ``limit``, and the digest of the index."""
    with open_index(index_path) as index:
        documents = list(index.documents(Role.TRAIN_REAL))[:limit]
        targets = role_targets(index, role_pages(index, Role.TRAIN_REAL))
        digest = index.digest
    pages: dict[str, list[TargetPage]] = {}
    for _, target in sorted(targets.items()):
        pages.setdefault(target.document, []).append(target)
    return [Job(row, tuple(pages.get(row.sha256, ()))) for row in documents], digest


def collect(
    work: Callable[[Job], list[Found]],
    jobs: Sequence[Job],
    *,
    workers: int,
    progress: Callable[[int, int], None],
) -> list[Found]:
    """What ``work`` finds in all documents, in the order of the jobs."""
    found: list[Found] = []
    with ProcessPoolExecutor(workers) as pool:
        for done, pages in enumerate(pool.map(work, jobs, chunksize=4), 1):
            found += pages
            progress(done, len(jobs))
    return found
