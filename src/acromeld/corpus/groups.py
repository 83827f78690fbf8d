# SPDX-License-Identifier: Apache-2.0
"""Provenance groups: documents that share an origin and must never straddle a role boundary.

The manifest says what its makers knew. On top of that the builder finds near-duplicates itself, in two
independent ways, and joins the groups of each pair:

- **text**: five-word runs of the whole document, Jaccard similarity at least 0.7. Whole documents, because a
  privacy notice or a page of instructions shared by two different forms is boilerplate, not provenance.
- **layout**: one page of each with at least 8 widgets, whose boxes coincide (same kind, IoU at least 0.7) so
  that matched over all is at least 0.8. Pages, because a form bound into a packet, or filed in another
  language, is the same form whatever the text around it says.

Both are transitive through union-find, so thresholds err on the side of certainty.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from acromeld import geometry
from acromeld.corpus.sketch import hash_items, minhash, similar_pairs, similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from acromeld.corpus.scan import DocumentScan, PageScan
    from acromeld.corpus.sketch import Hashes

TEXT_SIMILARITY = 0.7
LAYOUT_SIMILARITY = 0.8
LAYOUT_WIDGETS = 8
_BOX_IOU = 0.7
_GRID = 12.0
_LAYOUT_SKETCH = 64
_BAND = 4
_LAYOUT_BAND = 3
_BUCKET = 64


@dataclass(frozen=True)
class Link:
    """Two documents (content hashes in order) found to be near-duplicates, and by what."""

    first: str
    second: str
    how: str
    similarity: float


@dataclass(frozen=True)
class Grouping:
    """Final group of every document, the links behind it, and what merging did.

    Attributes:
        group: Content hash to final group; a final group is named by its smallest manifest group.
        links: Every near-duplicate pair found, whether or not its groups were already one.
        merged: How many groups each way of linking removed, text before layout.
    """

    group: Mapping[str, str]
    links: tuple[Link, ...] = ()
    merged: Mapping[str, int] = field(default_factory=dict)


def group_documents(manifest_group: Mapping[str, str], links: Iterable[Link]) -> Grouping:
    """Union of the manifest's groups over all links; the result depends on neither order."""
    ordered = tuple(sorted(set(links), key=lambda link: (link.how != "text", link.first, link.second)))
    forest = _Forest(manifest_group.values())
    merged: Counter[str] = Counter({"text": 0, "layout": 0})
    for link in ordered:
        merged[link.how] += forest.join(manifest_group[link.first], manifest_group[link.second])
    group = {sha256: forest.root(name) for sha256, name in manifest_group.items()}
    return Grouping(group, ordered, dict(merged))


class _Forest:
    """Union-find over names whose root is always the smallest name, whatever the order of joins."""

    def __init__(self, names: Iterable[str]) -> None:
        self._parent = {name: name for name in names}

    def root(self, name: str) -> str:
        while self._parent[name] != name:
            self._parent[name] = self._parent[self._parent[name]]
            name = self._parent[name]
        return name

    def join(self, a: str, b: str) -> int:
        """Join two sets; 1 when they were apart."""
        low, high = sorted((self.root(a), self.root(b)))
        self._parent[high] = low
        return int(low != high)


def text_links(scans: Iterable[DocumentScan]) -> list[Link]:
    """Pairs of documents whose texts are near-duplicates."""
    sketches = {scan.sha256: scan.sketch for scan in scans if scan.sketch is not None}
    links = []
    for first, second in sorted(similar_pairs(sketches, _BAND, _BUCKET)):
        alike = similarity(sketches[first], sketches[second])
        if alike >= TEXT_SIMILARITY:
            links.append(Link(first, second, "text", alike))
    return links


def layout_links(scans: Iterable[DocumentScan]) -> list[Link]:
    """Pairs of documents that have a page of widgets in common; the best page pair gives the similarity."""
    pages = {
        f"{scan.sha256}/{index:05d}": page
        for scan in scans
        for index, page in enumerate(scan.pages)
        if len(page.widgets) >= LAYOUT_WIDGETS
    }
    best: dict[tuple[str, str], float] = {}
    for a, b in _layout_candidates(pages):
        pair = (a.partition("/")[0], b.partition("/")[0])
        if pair[0] != pair[1]:
            best[pair] = max(best.get(pair, 0.0), layout_similarity(pages[a], pages[b]))
    return [
        Link(*pair, "layout", alike) for pair, alike in sorted(best.items()) if alike >= LAYOUT_SIMILARITY
    ]


def layout_similarity(a: PageScan, b: PageScan) -> float:
    """Widgets that coincide over all widgets of two pages, ``m / (n_a + n_b - m)``.

    Widgets coincide when they have one kind and IoU at least 0.7, matched one-to-one, best pairs first.
    Points are compared as they are: the same form on A4 and on Letter is found by its text.
    """
    kinds_a, kinds_b = _kinds(a), _kinds(b)
    overlaps = geometry.iou(_boxes(a), _boxes(b)) * (kinds_a[:, None] == kinds_b[None, :])
    matched = _match(overlaps)
    return matched / (len(kinds_a) + len(kinds_b) - matched)


def _match(overlaps: geometry.Floats) -> int:
    rows, columns = np.nonzero(overlaps >= _BOX_IOU)
    order = np.argsort(-overlaps[rows, columns], kind="stable")
    used_rows: set[int] = set()
    used_columns: set[int] = set()
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if row not in used_rows and column not in used_columns:
            used_rows.add(row)
            used_columns.add(column)
    return len(used_rows)


def _layout_candidates(pages: Mapping[str, PageScan]) -> list[tuple[str, str]]:
    """Page pairs worth comparing: alike on either of two grids half a cell apart.

    Boxes are rounded to cells of 12 pt for hashing; a shift of a point or two that crosses the cells of
    one grid for many boxes leaves most of them in place on the other.
    """
    pairs: set[tuple[str, str]] = set()
    for shift in (0.0, _GRID / 2):
        sketches = {key: _layout_sketch(page, shift) for key, page in pages.items()}
        pairs |= similar_pairs(sketches, _LAYOUT_BAND, _BUCKET)
    return sorted(pairs)


def _layout_sketch(page: PageScan, shift: float) -> Hashes:
    cells = np.floor((_boxes(page) + shift) / _GRID).astype(int).tolist()
    items = {f"{kind} {cell}".encode() for (kind, _), cell in zip(page.widgets, cells, strict=True)}
    return minhash(hash_items(items), _LAYOUT_SKETCH)


def _boxes(page: PageScan) -> geometry.Boxes:
    return geometry.as_boxes([box for _, box in page.widgets])


def _kinds(page: PageScan) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    return np.array([kind for kind, _ in page.widgets])


def near_duplicates(scans: Sequence[DocumentScan]) -> list[Link]:
    """All near-duplicate pairs among the scanned documents."""
    return text_links(scans) + layout_links(scans)
