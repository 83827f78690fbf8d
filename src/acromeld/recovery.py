# SPDX-License-Identifier: Apache-2.0
"""The main job as functions: `detect`, `apply` and `recover`.

``detect`` finds fields, ``apply`` writes them into a copy, ``recover`` does both. Files are read in a
disposable process by default; ``isolated=False`` reads in this one, which saves a quarter of a second and
gives up the protection against files that crash or hang native code.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeVar

from acromeld.detect.decoding import decode, raw_point, to_page_fields
from acromeld.detect.registry import DEFAULT, load_detector
from acromeld.errors import BadUsage, LimitExceeded
from acromeld.fields import KINDS, DocumentFields, DocumentRef, PageFields
from acromeld.form.admission import check_writable
from acromeld.form.describe.document import describe_document
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.page import describe_page
from acromeld.form.describe.signing import UNSURE, Signatures, Signing
from acromeld.form.describe.tidying import tidied
from acromeld.form.existing import Existing
from acromeld.form.writer import WrittenForm, apply_fields
from acromeld.pdf.document import Document, open_document
from acromeld.pdf.isolation import IsolatedReader
from acromeld.pdf.limits import DEFAULT_LIMITS, Limits
from acromeld.pdf.page import Page, PageNeeds, Primitives, Words
from acromeld.pdf.source import Source, load_source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    from acromeld.detect.candidates import Detector, PageCandidates
    from acromeld.fields import Field, OperatingPoint
    from acromeld.pdf.document import DocumentFacts

    PdfInput = str | os.PathLike[str] | bytes | Source
    Progress = Callable[[int, int], None]

Choice = TypeVar("Choice", bound=StrEnum)

_NEARLY, _SEVERAL = 0.6, 3
"""Share of the thresholds from which on a place nearly is a field, and how many of them are worth a word: so
many are on 7 of the 81 pages of development that stay bare, and on 16 of 91 of calibration."""


class PageSource(Protocol):
    """An open document, here or in another process."""

    @property
    def facts(self) -> DocumentFacts:
        """Name, hash and page frames."""

    def pages(self, needs: PageNeeds, indices: Iterable[int] | None = None) -> Iterator[Page]:
        """The pages in order."""


@dataclass(frozen=True)
class Detection:
    """Fields of a document, the words seen on its pages, and what there is to say about the file.

    ``pages_read`` leaves out the pages that had to be skipped.
    """

    fields: DocumentFields
    words: dict[int, Words]
    notes: tuple[str, ...]
    pages_read: int


@dataclass(frozen=True)
class Recovered:
    """A recovered form: the file, its fields, and notes on what was lost, skipped or left out."""

    form: WrittenForm
    fields: DocumentFields
    notes: tuple[str, ...]


def detect(
    source: PdfInput,
    *,
    detector: str | Detector = DEFAULT,
    raw: bool = False,
    password: str | None = None,
    isolated: bool = True,
    limits: Limits = DEFAULT_LIMITS,
    ocr: Ocr | str = Ocr.AUTO,
    signatures: Signatures | str = Signatures.AUTO,
    progress: Progress | None = None,
) -> DocumentFields:
    """Find the fields of a PDF, and what they are called and how they behave.

    Args:
        source: Path or bytes.
        detector: Name or instance.
        raw: Keep every representative above the floor of 0.01 instead of applying the class thresholds,
            and describe none of them.
        password: For protected files.
        isolated: Read in a process that can crash without harm.
        limits: What is too much.
        ocr: Whether scans are read for labels, if an OCR engine is installed: ``"auto"`` or ``"off"``.
        signatures: What becomes of places to sign: ``"auto"``, ``"field"``, ``"text"`` or ``"pen"``, see
            `Signatures`. With ``raw`` they are what the detector says.
        progress: Called with (pages done, pages in all) after each page.

    Raises:
        AcromeldError: One kind for each way to fail, see `acromeld.errors`; an option that means nothing is
            a `BadUsage`.
    """
    ocr, signatures = _chosen(Ocr, "ocr", ocr), _chosen(Signatures, "signatures", signatures)
    loaded = load_source(source, password=password, limits=limits)
    with opened(loaded, isolated=isolated, limits=limits) as document:
        finder = load_detector(detector) if isinstance(detector, str) else detector
        found = detect_pages(document, finder, raw=raw, ocr=ocr, signatures=signatures, progress=progress)
        return found.fields


def apply(
    source: PdfInput,
    fields: DocumentFields,
    *,
    existing: Existing | str = Existing.KEEP,
    force: bool = False,
    password: str | None = None,
    isolated: bool = True,
    limits: Limits = DEFAULT_LIMITS,
) -> WrittenForm:
    """Write fields into a copy of the PDF; the result is bytes, see `acromeld.form.output` for files.

    The first page is read for the title, and all of them where nobody says what language they are in.

    Args:
        source: Path or bytes.
        fields: What to write, as `detect` gives it or `parse_document` reads it; made for exactly this file.
        existing: Fields that are there already: ``"keep"`` them, and drop new ones on top of them, or
            ``"replace"`` those of the pages that ``fields`` names.
        force: Write signed files (the signature becomes invalid), files with usage rights (they are
            removed), and fields that were made for another file.
        password: For protected files.
        isolated: Read in a process that can crash without harm.
        limits: What is too much.

    Raises:
        AcromeldError: As `detect`; `BadFields` where the fields do not belong to the document, `Refused`
            where writing would damage it.
    """
    existing = _chosen(Existing, "existing", existing)
    loaded = load_source(source, password=password, limits=limits)
    with opened(loaded, isolated=isolated, limits=limits) as document:
        check_writable(loaded, force=force)
        wanted = {0, *(page.page.index for page in fields.pages if page.fields)}
        every = range(len(document.facts))
        known = every if fields.language is None else [index for index in every if index in wanted]
        read = document.pages(PageNeeds(), known)
        words = {page.index: _words(page) for page in read if not page.skipped}
    return apply_fields(loaded, fields, existing=existing, force=force, words=words)


def recover(
    source: PdfInput,
    *,
    detector: str | Detector = DEFAULT,
    existing: Existing | str = Existing.KEEP,
    force: bool = False,
    password: str | None = None,
    isolated: bool = True,
    limits: Limits = DEFAULT_LIMITS,
    ocr: Ocr | str = Ocr.AUTO,
    signatures: Signatures | str = Signatures.AUTO,
    progress: Progress | None = None,
) -> Recovered:
    """Turn a flat PDF into a fillable one: `detect` and `apply` in one go.

    Args:
        source: Path or bytes.
        detector: Name or instance.
        existing: Fields that are there already: ``"keep"`` them, and drop new ones on top of them, or
            ``"replace"`` those of the pages that could be read.
        force: Write signed files (the signature becomes invalid) and files with usage rights (they are
            removed).
        password: For protected files.
        isolated: Read in a process that can crash without harm.
        limits: What is too much.
        ocr: Whether scans are read for labels, if an OCR engine is installed: ``"auto"`` or ``"off"``.
        signatures: What becomes of places to sign: ``"auto"``, ``"field"``, ``"text"`` or ``"pen"``, see
            `Signatures`.
        progress: Called with (pages done, pages in all) after each page.

    Raises:
        AcromeldError: As `detect`; `Refused` where writing would damage the document.
    """
    existing = _chosen(Existing, "existing", existing)
    ocr, signatures = _chosen(Ocr, "ocr", ocr), _chosen(Signatures, "signatures", signatures)
    loaded = load_source(source, password=password, limits=limits)
    with opened(loaded, isolated=isolated, limits=limits) as document:
        check_writable(loaded, force=force)
        finder = load_detector(detector) if isinstance(detector, str) else detector
        found = detect_pages(document, finder, ocr=ocr, signatures=signatures, progress=progress)
    if found.pages_read == 0:
        raise LimitExceeded(f"Nothing of {loaded.name} could be read: {found.notes[-1]}")
    form = apply_fields(loaded, found.fields, existing=existing, force=force, words=found.words)
    return Recovered(form, found.fields, (*found.notes, *form.notes))


def _chosen(kind: type[Choice], name: str, value: str) -> Choice:
    """The value of an option that may be given as a word: deeper down they are compared by identity."""
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(repr(choice.value) for choice in kind)
        raise BadUsage(f"{name} is one of {known}, not {value!r}.") from None


def detect_pages(
    document: PageSource,
    detector: Detector,
    *,
    raw: bool = False,
    bare: bool = False,
    ocr: Ocr = Ocr.AUTO,
    signatures: Signatures = Signatures.AUTO,
    progress: Progress | None = None,
) -> Detection:
    """Run a detector over an open document, page by page so that memory stays flat.

    Unless they are raw, or wanted bare as the decoder gives them, the fields are described as well: see
    `acromeld.form.describe`.
    """
    described = not (raw or bare)
    facts = document.facts
    point = raw_point(detector.operating_point) if raw else detector.operating_point
    pages: list[PageFields] = []
    words: dict[int, Words] = {}
    to_sign: frozenset[str] = frozenset()
    pages_read = 0
    for page in document.pages(detector.needs):
        (candidates,) = detector.detect([page])
        decoded = decode(candidates, point, cap=detector.cap)
        found, read = to_page_fields(page, candidates, decoded, page.notes), _words(page)
        if described:
            found = found.model_copy(update={"fields": tidied(found.fields, page.primitives or Primitives())})
            unsure = _unsure(page, candidates, point, cap=detector.cap)
            signing = Signing(signatures, unsure, enough=point.signature)
            told = describe_page(page, found, ocr=ocr, signing=signing)
            found, to_sign = told.page, to_sign | told.to_sign
            read = told.words if told.words is not None else read
            if not len(decoded.kept) and not found.fields:
                note = _doubtful(page, candidates, point, cap=detector.cap)
                found = found.model_copy(update={"notes": (*found.notes, *note)})
        if page.skipped:
            found = found.model_copy(update={"skipped": True})
        else:
            words[page.index] = read
            pages_read += 1
        pages.append(found)
        if progress is not None:
            progress(len(pages), len(facts))
    fields = DocumentFields(
        document=DocumentRef(name=facts.name, sha256=facts.sha256),
        detector=detector.ref,
        operating_point=point,
        pages=tuple(pages),
    )
    if described:
        fields = describe_document(fields, words.values(), to_sign)
    notes = (*facts.notes, *(note for page in pages for note in page.notes))
    return Detection(fields, words, notes, pages_read)


def _unsure(page: Page, candidates: PageCandidates, point: OperatingPoint, *, cap: int) -> tuple[Field, ...]:
    """What the detector has seen of texts and signatures and would leave out, best first."""
    thresholds = dict(zip(KINDS, point.thresholds(), strict=True))
    lower = point.model_copy(update={"text": UNSURE, "signature": UNSURE})
    seen = to_page_fields(page, candidates, decode(candidates, lower, cap=cap)).fields
    below = [field for field in seen if field.score < thresholds[field.kind]]
    return tuple(
        field.model_copy(update={"id": f"p{page.index + 1}-s{number}"})
        for number, field in enumerate(below, 1)
    )


def _doubtful(page: Page, candidates: PageCandidates, point: OperatingPoint, *, cap: int) -> tuple[str, ...]:
    """A word about a page that stays bare although much on it looks like fields.

    Authors leave such pages flat themselves more often than not (parts for an office, samples), so nothing
    is put there; but whoever did not mean to should hear of it before the form is published.
    """
    lower = {kind.value: _NEARLY * least for kind, least in zip(KINDS, point.thresholds(), strict=True)}
    likely = len(decode(candidates, point.model_copy(update=lower), cap=cap).kept)
    if likely < _SEVERAL:
        return ()
    where = f"Page {page.index + 1} got no fields, though {likely} places look like some"
    return (f"{where}: none is sure enough. A review can show and keep them.",)


@contextmanager
def opened(source: Source, *, isolated: bool = True, limits: Limits = DEFAULT_LIMITS) -> Iterator[PageSource]:
    """The document, read in a disposable process or in this one."""
    if isolated:
        with IsolatedReader(limits) as reader:
            yield reader.open(source)
    else:
        with open_document(source, limits=limits) as document:
            yield _Direct(document)


@dataclass(frozen=True)
class _Direct:
    """A document of this process behind the same face as an isolated one."""

    document: Document

    @property
    def facts(self) -> DocumentFacts:
        return self.document.facts

    def pages(self, needs: PageNeeds, indices: Iterable[int] | None = None) -> Iterator[Page]:
        for index in range(len(self.document)) if indices is None else indices:
            yield self.document.read_page(index, needs)


def _words(page: Page) -> Words:
    return page.primitives.words if page.primitives is not None else Words.empty()
