# SPDX-License-Identifier: Apache-2.0
"""The document between the two halves of the product: what was found, as editable JSON.

``detect`` writes these models, people and programs edit them, ``apply`` reads them back. Coordinates are
points from the top left of the page as displayed (see `acromeld.pdf.frame.PageFrame`).
"""

from __future__ import annotations

import codecs
import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator
from pydantic import Field as Constraint
from pydantic_core import from_json

from acromeld.errors import BadFields

if TYPE_CHECKING:
    from collections.abc import Iterable

SCHEMA: Literal["acromeld.fields/1"] = "acromeld.fields/1"

MAX_CELLS = 1_000
"""More cells than any page has room for; a slip of the finger beyond it would end in an overflow."""

_LARGEST = 2**31 - 1
"""What a PDF holds as an integer (ISO 32000-2, annex C), and every program that reads the file as well."""

Score = Annotated[float, Constraint(ge=0.0, le=1.0)]
Box = tuple[float, float, float, float]


class FieldKind(StrEnum):
    """The three controls the paper recovers; their order is the class index everywhere."""

    TEXT = "text"
    CHOICE = "choice"
    SIGNATURE = "signature"


KINDS: tuple[FieldKind, ...] = tuple(FieldKind)


class TextFormat(StrEnum):
    """What a text field expects, as far as its label and shape tell."""

    DATE = "date"
    NUMBER = "number"


class Alignment(StrEnum):
    """Where typed text stands in its field."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"


class Mark(StrEnum):
    """How a chosen option is marked."""

    TICK = "tick"
    CROSS = "cross"
    CIRCLE = "circle"


class _Record(BaseModel):
    """Immutable; unknown keys are an error, so that a typing mistake in an edited file is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Field(_Record):
    """One control on a page. Everything but ``kind`` and ``box`` may be left out by other tools.

    Attributes:
        kind: Text, choice or signature.
        box: Points from the top left of the displayed page.
        score: How sure the detector is that there is a field.
        id: Stable within the document.
        quality: How sure it is of the box.
        origin: Which part of the detector found it.
        name: Identifier for programs (/T), unique within the document.
        tooltip: What a screen reader says (/TU).
        group: Choice fields with the same group exclude each other: one radio field.
        option: What choosing this box means, read aloud and exported; the label of the option.
        order: Place in the tab order of its page, from 0.
        multiline: Whether text may have several lines.
        comb: Number of even cells, one character each.
        font_size: Points; without it the writer chooses.
        format: What the text should be.
        align: Where the text stands.
        mark: How a chosen option looks.
    """

    kind: FieldKind
    box: Box
    score: Score = 1.0
    id: str | None = None
    quality: Score | None = None
    origin: str | None = None
    name: str | None = None
    tooltip: str | None = None
    group: str | None = None
    option: str | None = None
    order: Annotated[int, Constraint(ge=-_LARGEST, le=_LARGEST)] | None = None
    multiline: bool | None = None
    comb: Annotated[int, Constraint(ge=1, le=MAX_CELLS)] | None = None
    font_size: Annotated[float, Constraint(gt=0)] | None = None
    format: TextFormat | None = None
    align: Alignment | None = None
    mark: Mark | None = None

    @field_validator("box")
    @classmethod
    def _ordered(cls, box: Box) -> Box:
        if box[2] <= box[0] or box[3] <= box[1]:
            raise ValueError("a box is [x0, y0, x1, y1] with x0 < x1 and y0 < y1")
        return box


class DocumentRef(_Record):
    """Which file the fields belong to."""

    name: str
    sha256: Annotated[str, Constraint(pattern="^[0-9a-f]{64}$")]


class DetectorRef(_Record):
    """Which detector found them: its name and the digest of its weights (none for rules)."""

    name: str
    weights: str | None = None


class OperatingPoint(_Record):
    """Thresholds of the decoder: one score threshold per class, and the two suppression thresholds."""

    text: Score = 0.3
    choice: Score = 0.3
    signature: Score = 0.3
    nms: float = 0.9
    link: float = 0.8

    def thresholds(self) -> tuple[float, float, float]:
        """The class thresholds in class order."""
        return (self.text, self.choice, self.signature)


class PageRef(_Record):
    """A page by 0-based index, with its displayed size in points."""

    index: Annotated[int, Constraint(ge=0, le=_LARGEST)]
    width: Annotated[float, Constraint(gt=0)]
    height: Annotated[float, Constraint(gt=0)]

    @classmethod
    def of(cls, index: int, width: float, height: float) -> Self:
        """A page of the given size, rounded to 1/1000 point but never to nothing."""
        return cls(index=index, width=max(round(width, 3), 0.001), height=max(round(height, 3), 0.001))


class PageFields(_Record):
    """The fields of one page, and what there is to say about reading it.

    ``skipped`` is said of a page that could not be read: that it has no fields then means nothing.
    """

    page: PageRef
    fields: tuple[Field, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: Literal[True] | None = None


class DocumentFields(_Record):
    """A whole fields.json; ``language`` is that of the words on the pages, as a BCP 47 tag, if known."""

    schema_: Annotated[Literal["acromeld.fields/1"], Constraint(alias="schema")] = SCHEMA
    document: DocumentRef
    detector: DetectorRef | None = None
    operating_point: OperatingPoint | None = None
    language: str | None = None
    pages: tuple[PageFields, ...] = ()

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)

    @field_validator("pages")
    @classmethod
    def _each_once(cls, pages: tuple[PageFields, ...]) -> tuple[PageFields, ...]:
        """A page that is there twice, as in the lines of two runs, would get its fields twice."""
        seen = set[int]()
        for page in pages:
            if page.page.index in seen:
                raise ValueError(f"page {page.page.index + 1} is there twice")
            seen.add(page.page.index)
        return pages

    def to_json(self) -> str:
        """Readable, stable JSON; unset values are left out."""
        data = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"

    def to_lines(self) -> Iterable[str]:
        """One compact JSON line per page, the format of ``acromeld detect`` and of raw predictions."""
        head: dict[str, Any] = {"schema": SCHEMA, "document": self.document.model_dump(mode="json")}
        if self.detector is not None:
            head["detector"] = self.detector.model_dump(mode="json", exclude_none=True)
        if self.operating_point is not None:
            head["operating_point"] = self.operating_point.model_dump(mode="json")
        if self.language is not None:
            head["language"] = self.language
        for page in self.pages:
            body = page.model_dump(mode="json", exclude_none=True)
            if not page.notes:
                del body["notes"]
            yield json.dumps(head | body, ensure_ascii=False, separators=(",", ":"))


class PageLine(PageFields):
    """One line of ``acromeld detect``: a page of fields that says which document it belongs to."""

    schema_: Annotated[Literal["acromeld.fields/1"], Constraint(alias="schema")] = SCHEMA
    document: DocumentRef
    detector: DetectorRef | None = None
    operating_point: OperatingPoint | None = None
    language: str | None = None


def _sentence(error: ValidationError, where: str) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the top level"
    more = f" (and {error.error_count() - 1} more problems)" if error.error_count() > 1 else ""
    return f"{where} is not a valid fields file: {place}: {first['msg'].removeprefix('Value error, ')}{more}."


def _check_schema(data: object, where: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise BadFields(f"{where} is not a fields file: expected a JSON object.")
    if data.get("schema") != SCHEMA:
        found = data.get("schema", "none")
        raise BadFields(f"{where} has fields format {found!r}; this version reads {SCHEMA!r}.")
    return data


def _as_bytes(text: str | bytes) -> bytes:
    """UTF-8 without the byte order mark that some editors put in front."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return data.removeprefix(codecs.BOM_UTF8)


def parse_line(line: str | bytes, where: str = "the line") -> PageLine:
    """One page line; anything else raises `BadFields` with a sentence that names the place."""
    try:
        # Unlike the standard library's, this parser refuses half characters and endless nesting.
        data = from_json(_as_bytes(line))
    except ValueError as error:
        # Which line of the file it is, `where` says.
        reason = str(error).replace("at line 1 column", "at column")
        raise BadFields(f"{where} is not valid JSON: {reason}.") from None
    try:
        return PageLine.model_validate(_check_schema(data, where))
    except ValidationError as error:
        raise BadFields(_sentence(error, where)) from None


def parse_document(text: str | bytes, where: str = "the fields file") -> DocumentFields:
    """A fields.json, or the page lines of one document as ``acromeld detect`` writes them."""
    content = _as_bytes(text)
    try:
        data = from_json(content)
    except ValueError as error:
        if content.strip() and not _begins_with_a_line(content):
            raise BadFields(f"{where} is not valid JSON: {error}.") from None
        return _from_lines(content, where)
    if isinstance(data, dict) and "pages" not in data and "page" in data:
        return _from_lines(content, where)
    try:
        return DocumentFields.model_validate(_check_schema(data, where))
    except ValidationError as error:
        raise BadFields(_sentence(error, where)) from None


def _begins_with_a_line(content: bytes) -> bool:
    """Whether the first line is JSON by itself; in a document with a typing mistake it hardly ever is."""
    try:
        first = from_json(content.lstrip().splitlines()[0])
    except ValueError:
        return False
    return not (isinstance(first, dict) and "pages" in first)


def _from_lines(content: bytes, where: str) -> DocumentFields:
    # Bytes, because text would be cut at every line break of Unicode, also within a name.
    rows = [(number, row) for number, row in enumerate(content.splitlines(), 1) if row.strip()]
    if not rows:
        raise BadFields(f"{where} is empty.")
    lines = [parse_line(row, f"{where}, line {number}") for number, row in rows]
    first = lines[0]
    if any(line.document.sha256 != first.document.sha256 for line in lines):
        raise BadFields(f"{where} holds lines of several documents; give the lines of one.")
    shared = {name: getattr(first, name) for name in ("document", "detector", "operating_point", "language")}
    pages = tuple(
        PageFields(**{name: getattr(line, name) for name in PageFields.model_fields}) for line in lines
    )
    try:
        return DocumentFields(**shared, pages=pages)
    except ValidationError as error:
        raise BadFields(_sentence(error, where)) from None


def json_schema() -> dict[str, Any]:
    """JSON Schema of a fields.json, for editors and other programs."""
    return DocumentFields.model_json_schema(by_alias=True)
