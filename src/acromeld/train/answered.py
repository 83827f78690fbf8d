# SPDX-License-Identifier: Apache-2.0
"""Training pages with what a network answers for them: what second looks are learned from.

What the network answers depends on FFGBT's opinion, so every page is judged by an FFGBT that never saw it, as
in the training of the network. A network that was trained for long knows its training pages better than
others; where it is the mean of two networks of one half of the pages each, every page is shown to the one
that did not learn from it.
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
from acromeld.train.data.halves import half_of

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
    """Where documents, the network and its experts are.

    Attributes:
        pdf: Folder of the documents.
        weights: The network to learn about.
        experts: Folder of a cross-fitted FFGBT.
        halves: The networks that learned from the first and from the second half (`train.data.halves`) and
            whose mean it is; none if it was trained in one piece.
    """

    pdf: Path
    weights: Path
    experts: Path
    halves: tuple[Path, Path] | None = None

    def network(self, group: str | None = None) -> Weights:
        """The network, or the half of it that never learned from a group; processes share the cores."""
        if self.halves is None or group is None:
            return _network(self.weights)
        return _network(self.halves[1 - half_of(group)])

    def ask(self, document: DocumentRow, page: Page) -> tuple[Seen, Tokens]:
        """What the network says of a page of a document, and the tokens it read."""
        network = self.network(document.final_group)
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
