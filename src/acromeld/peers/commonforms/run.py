# SPDX-License-Identifier: Apache-2.0
"""CommonForms on documents: raw prediction lines, the same as any detector of ours would leave."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import pypdfium2

from acromeld.errors import InputNotFound, NotAPdf
from acromeld.fields import KINDS, DetectorRef, DocumentFields, DocumentRef, Field, PageFields, PageRef
from acromeld.pdf.source import load_source, open_pikepdf, page_frame
from acromeld.peers.commonforms import environment
from acromeld.peers.commonforms.augment import answer
from acromeld.peers.commonforms.cache import PageCache
from acromeld.peers.commonforms.network import open_network
from acromeld.peers.commonforms.postprocess import candidates, suppress
from acromeld.peers.commonforms.preprocess import fit, letterbox
from acromeld.peers.commonforms.profiles import profile_named, published
from acromeld.peers.commonforms.render import render

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from acromeld.pdf.frame import PageFrame
    from acromeld.pdf.source import Source
    from acromeld.peers.commonforms.augment import Network
    from acromeld.peers.commonforms.postprocess import Detections
    from acromeld.peers.commonforms.profiles import ModelName, Profile, ProfileName

    Document = str | os.PathLike[str] | bytes | Source

_FLUSH_EVERY = 16


@dataclass(frozen=True)
class PageDone:
    """What ``progress`` is told: the page, how long it took from PDF to fields, or that it was known."""

    document: DocumentRef
    index: int
    seconds: float
    cached: bool


@dataclass(frozen=True)
class Peer:
    """One network run one way. The network is opened when the first page needs it.

    Attributes:
        model: ``l`` or ``s``.
        profile: How pages are rendered, passed and suppressed.
        weights: Digest of the published checkpoint.
        opener: Gives the network.
    """

    model: ModelName
    profile: Profile
    weights: str
    opener: Callable[[], Network] = field(repr=False)

    @cached_property
    def network(self) -> Network:
        """The opened network."""
        return self.opener()

    @property
    def ref(self) -> DetectorRef:
        """How prediction lines name it."""
        return DetectorRef(name=f"commonforms-{self.model}:{self.profile.name}", weights=self.weights)


def open_peer(
    model: ModelName = "l",
    profile: ProfileName = "plain1216",
    *,
    folder: Path | None = None,
    threads: int | None = None,
) -> Peer:
    """A peer from the finished environment; `PeerUnavailable` when there is none."""
    published(model)
    chosen = profile_named(profile)
    artifacts = environment.load(folder)
    return Peer(model, chosen, artifacts.weights[model], lambda: open_network(artifacts, model, threads))


def predict(
    documents: Iterable[Document],
    model: ModelName = "l",
    profile: ProfileName = "plain1216",
    pages: Mapping[str, Sequence[int]] | None = None,
    cache: Path | None = None,
    progress: Callable[[PageDone], None] | None = None,
    *,
    folder: Path | None = None,
    threads: int | None = None,
) -> Iterator[str]:
    """Raw prediction lines, one a page, documents and pages in the order given.

    Args:
        documents: Paths, bytes or sources.
        model: ``l`` or ``s``.
        profile: ``plain1216`` or ``packaged``.
        pages: Page indices by document hash; documents not named are left out. None means every page.
        cache: Folder of known predictions, read first and added to; by default beside the environment.
        progress: Told of every page.
        folder: The peer's environment, by default the one in the user's cache.
        threads: Threads of the network, by default as many as there are cores.
    """
    peer = open_peer(model, profile, folder=folder, threads=threads)
    kept = cache or (folder or environment.default_folder()) / "predictions"
    yield from predict_with(peer, documents, pages, kept, progress)


def predict_with(
    peer: Peer,
    documents: Iterable[Document],
    pages: Mapping[str, Sequence[int]] | None = None,
    cache: Path | None = None,
    progress: Callable[[PageDone], None] | None = None,
) -> Iterator[str]:
    """As `predict`, with an opened peer; without ``cache`` nothing is kept."""
    for document in documents:
        source = load_source(document)
        wanted = None if pages is None else pages.get(source.sha256, ())
        if wanted is None or len(wanted):
            yield from _document(peer, source, wanted, cache, progress or (lambda _: None))


def _document(
    peer: Peer,
    source: Source,
    wanted: Sequence[int] | None,
    cache: Path | None,
    progress: Callable[[PageDone], None],
) -> Iterator[str]:
    """The lines of one document: known pages from the cache, the others by running the network."""
    ref = DocumentRef(name=source.name, sha256=source.sha256)
    store = None if cache is None else PageCache(cache, peer.ref)
    known = store.read(ref.sha256) if store else {}
    reader = _Reader(source)
    fresh: dict[int, PageFields] = {}
    try:
        for index in range(len(reader)) if wanted is None else wanted:
            started = time.perf_counter()
            cached = index in known
            if not cached:
                known[index] = fresh[index] = reader.detect(peer, index)
            progress(PageDone(ref, index, time.perf_counter() - started, cached))
            yield from DocumentFields(document=ref, detector=peer.ref, pages=(known[index],)).to_lines()
            if store and len(fresh) >= _FLUSH_EVERY:
                store.add(ref, fresh)
                fresh.clear()
    finally:
        if store and fresh:
            store.add(ref, fresh)
        reader.close()


class _Reader:
    """A document's pages, opened with both engines when the first is asked for."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: pypdfium2.PdfDocument | None = None

    @cached_property
    def _frames(self) -> list[PageFrame]:
        with open_pikepdf(self._source) as pdf:
            return [page_frame(page) for page in pdf.pages]

    def __len__(self) -> int:
        return len(self._frames)

    def _pdfium(self) -> pypdfium2.PdfDocument:
        if self._open is None:
            try:
                self._open = pypdfium2.PdfDocument(self._source.data, password=self._source.password)
            except pypdfium2.PdfiumError:
                raise NotAPdf(f"{self._source.name} cannot be opened by PDFium.") from None
        return self._open

    def detect(self, peer: Peer, index: int) -> PageFields:
        """The page's fields; a page PDFium cannot draw has none, and a note."""
        if not 0 <= index < len(self):
            raise InputNotFound(f"{self._source.name} has no page with index {index}.")
        frame = self._frames[index]
        ref = PageRef(index=index, width=frame.width, height=frame.height)
        try:
            page = self._pdfium()[index]
            picture = render(page, frame, peer.profile)
            page.close()
        except (pypdfium2.PdfiumError, IndexError):
            return PageFields(page=ref, notes=("PDFium cannot draw this page.",))
        found = detect(peer, picture.pixels)
        fields = _fields(picture.to_points(found.box).round(3), found)
        return PageFields(page=ref, fields=fields, notes=picture.notes())

    def close(self) -> None:
        """Give the file back to the system."""
        if self._open is not None:
            self._open.close()


def detect(peer: Peer, pixels: npt.NDArray[np.uint8]) -> Detections:
    """Detections on a rendered page ``(h, w, 3)``, boxes in its pixels."""
    place = fit(pixels.shape[0], pixels.shape[1], peer.profile.long_side)
    cells = answer(peer.network, letterbox(pixels, place), peer.profile.augment)
    found = suppress(candidates(cells), peer.profile.nms_iou)
    return type(found)(place.to_page(found.box), found.score, found.kind)


def _fields(boxes: npt.NDArray[np.float64], found: Detections) -> tuple[Field, ...]:
    """Fields in descending score; a box that vanishes at the page's edge is no field."""
    rows = zip(boxes.tolist(), found.score.round(6).tolist(), found.kind.tolist(), strict=True)
    return tuple(
        Field(kind=KINDS[kind], box=(x0, y0, x1, y1), score=min(score, 1.0))
        for (x0, y0, x1, y1), score, kind in rows
        if x0 < x1 and y0 < y1
    )
