# SPDX-License-Identifier: Apache-2.0
"""Places to sign: told by the wording of their label, and made into what the user wants of them.

Of 61 places to sign on audited pages the authors made 34 text fields and 12 signature fields, and left 15 for
a pen (docs/label-audit.md), so a detector that learnt from authors is seldom sure. The label is a second
witness: a place the detector has seen but would leave out is taken when "Signature" stands at it. So is a
place for the date beside a signature field: whoever signs on screen wants to write it, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from acromeld.fields import Field, FieldKind
from acromeld.form.describe.labels import Label, find_labels
from acromeld.form.describe.language import language_of
from acromeld.geometry import as_boxes, intersection_over_smaller
from acromeld.pdf.page import Words
from acromeld.structure.signing_words import ASKS_BESIDE, ASKS_FOR_DATE, ASKS_TO_SIGN

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from acromeld.fields import PageFields
    from acromeld.pdf.page import Page


class Signatures(StrEnum):
    """What becomes of places to sign.

    AUTO keeps the kind the detector gave, adds as signature fields the places it was not sure of, and where a
    document has one makes the others alike. FIELD makes all of them signature fields, TEXT text fields for
    typed names, and PEN leaves them bare.
    """

    AUTO = "auto"
    FIELD = "field"
    TEXT = "text"
    PEN = "pen"


UNSURE = 0.1
"""The least score of a place that its wording can bring in.

Of the 30 places that came in on development when this was chosen, 29 are lines to sign: six with a text and
four with a signature field of the author. Those from 0.05 on that were looked at are mostly headings.
"""

_FIRM = re.compile(r"\bfirma\b", re.IGNORECASE)
_FIRM_SIGNS = frozenset({"es", "it", "ca", "gl"})
"""Languages in which "firma" is a signature; in German, Polish and others it is a company."""

_LONGEST, _BEFORE = 14, 5
"""Words of a caption, and words in it before the wording: longer ones are sentences about signatures."""

_NEAR = (60.0, 30.0)
"""Points between a place to sign and its wording, across and down; from further away labels are doubtful."""

_LEVEL = 0.5
"""Share of the height of a place for a date that is level with the signature."""

_OF_TEXT = ("multiline", "comb", "format", "align", "font_size")
_APART = 0.2
"""Share of the smaller of two boxes that may lie in the other when they are different places."""


@dataclass(frozen=True)
class Signing:
    """How places to sign are settled on one page.

    Attributes:
        wish: What becomes of them.
        unsure: What the detector has seen and left out, with scores from `UNSURE` on, best first.
        enough: The score from which on a signature field counts as found. Fields that become one by their
            wording get at least this, so that whoever looks at scores sees a place that was just let in.
    """

    wish: Signatures = Signatures.AUTO
    unsure: tuple[Field, ...] = ()
    enough: float = 0.0


def says_sign_here(label: str, language: str | None = None) -> bool:
    """Whether a label asks for a signature; ``language`` is that of the page, as far as known."""
    found = ASKS_TO_SIGN.search(label)
    if found is None or ASKS_BESIDE.search(label):
        return False
    if _FIRM.fullmatch(found.group()) and (language or "").split("-")[0] not in _FIRM_SIGNS:
        return False
    return len(label.split()) <= _LONGEST and len(label[: found.start()].split()) <= _BEFORE


def settled(page: Page, fields: Sequence[Field], signing: Signing) -> tuple[Field, ...]:
    """The fields of a page with its places to sign as wished. The page has the words to take labels from."""
    unsure = [place for place in signing.unsure if not _touches(place, fields)]
    if signing.wish is Signatures.AUTO and not unsure:
        return tuple(fields)
    labels, language = _labels(page, [*fields, *unsure])
    captions = [
        label.box if asks_for_signature(spot, label, language) else None
        for spot, label in zip([*fields, *unsure], labels, strict=True)
    ]
    taken = set(captions[: len(fields)])
    added: list[Field] = []
    for spot, caption in zip(unsure, captions[len(fields) :], strict=True):
        if caption is not None and caption not in taken and not _touches(spot, added):
            taken.add(caption)
            added.append(_signature(spot, signing.enough))
    signs = [caption is not None for caption in captions[: len(fields)]] + [True] * len(added)
    wished = [_as_wished(*pair, signing) for pair in zip([*fields, *added], signs, strict=True)]
    kept = [field for field in wished if field is not None]
    for spot, label in zip(unsure, labels[len(fields) :], strict=True):
        if _dates_a_signature(spot, label, kept) and not _touches(spot, kept):
            kept.append(spot.model_copy(update={"score": max(spot.score, signing.enough)}))
    return tuple(kept)


def alike(pages: Sequence[PageFields], to_sign: Collection[str], enough: float) -> tuple[PageFields, ...]:
    """The pages of a document with one habit: if one place to sign has a signature field, all have.

    Authors seldom mix the two, and whoever signs on page two wonders why page one was different. ``to_sign``
    are the ids of the fields that are asked for a signature.
    """
    if not any(field.kind is FieldKind.SIGNATURE for page in pages for field in page.fields):
        return tuple(pages)

    def changed(field: Field) -> Field:
        typed = field.kind is FieldKind.TEXT and field.id in to_sign
        return _signature(field, enough) if typed else field

    return tuple(
        page.model_copy(update={"fields": tuple(changed(field) for field in page.fields)}) for page in pages
    )


def asks_for_signature(field: Field, label: Label, language: str | None) -> bool:
    """Whether the label of a field, printed near it, asks for a signature."""
    return field.kind is not FieldKind.CHOICE and says_sign_here(label.own, language) and _near(field, label)


def _dates_a_signature(spot: Field, label: Label, fields: Sequence[Field]) -> bool:
    """Whether a place is asked for a date and stands level with one of the signature fields."""
    if spot.kind is not FieldKind.TEXT or not ASKS_FOR_DATE.search(label.own) or not _near(spot, label):
        return False
    low, high = spot.box[1], spot.box[3]
    signatures = [field.box for field in fields if field.kind is FieldKind.SIGNATURE]
    return any(min(high, box[3]) - max(low, box[1]) >= _LEVEL * (high - low) for box in signatures)


def _near(field: Field, label: Label) -> bool:
    if label.box is None:
        return False
    across = max(label.box[0] - field.box[2], field.box[0] - label.box[2])
    down = max(label.box[1] - field.box[3], field.box[1] - label.box[3])
    return across <= _NEAR[0] and down <= _NEAR[1]


def _labels(page: Page, spots: Sequence[Field]) -> tuple[list[Label], str | None]:
    """Labels of places on a page that asks for a signature, and its language; else empty labels."""
    words = page.primitives.words if page.primitives is not None else Words.empty()
    printed = [text.replace("_", " ") for text in words.text]
    if not any(ASKS_TO_SIGN.search(text) for text in (" ".join(printed), *printed)):
        return [Label()] * len(spots), None
    return find_labels(page, spots), language_of([words])


def _as_wished(field: Field, signs: bool, signing: Signing) -> Field | None:
    if signing.wish is Signatures.AUTO or not (signs or field.kind is FieldKind.SIGNATURE):
        return field
    if signing.wish is Signatures.PEN:
        return None
    if signing.wish is Signatures.TEXT:
        return field.model_copy(update={"kind": FieldKind.TEXT})
    return _signature(field, signing.enough)


def _signature(field: Field, enough: float) -> Field:
    made = {"kind": FieldKind.SIGNATURE, "score": max(field.score, enough)}
    return field.model_copy(update=made | dict.fromkeys(_OF_TEXT))


def _touches(place: Field, fields: Sequence[Field]) -> bool:
    if not fields:
        return False
    shared = intersection_over_smaller(as_boxes([place.box]), as_boxes([field.box for field in fields]))
    return bool((shared > _APART).any())
