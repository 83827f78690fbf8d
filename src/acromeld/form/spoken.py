# SPDX-License-Identifier: Apache-2.0
"""What a screen reader says of a field (/TU, /Contents): always something, and never more than is known."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.fields import FieldKind, TextFormat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.fields import Field

OUR_LANGUAGE = "en"
_KIND = {
    FieldKind.TEXT: "Text field",
    FieldKind.CHOICE: "Check box",
    FieldKind.SIGNATURE: "Signature",
}
_HINTS = {
    TextFormat.DATE: {
        "cs": "datum",
        "da": "dato",
        "de": "Datum",
        "en": "date",
        "es": "fecha",
        "fr": "date",
        "it": "data",
        "nl": "datum",
        "pl": "data",
        "pt": "data",
        "sv": "datum",
    },
    TextFormat.NUMBER: {
        "cs": "číslo",
        "da": "tal",
        "de": "Zahl",
        "en": "number",
        "es": "número",
        "fr": "nombre",
        "it": "numero",
        "nl": "getal",
        "pl": "liczba",
        "pt": "número",
        "sv": "tal",
    },
}
"""What a field expects, said in the language of the form; where that is unknown nothing is added."""


@dataclass(frozen=True)
class Spoken:
    """A spoken name. ``language`` is set where the words are ours and not the document's."""

    text: str
    language: str | None = None


def spoken_name(field: Field, page: int, number: int, language: str | None = None) -> Spoken:
    """The tooltip with what it leaves out, or at least kind, number and page (counted from 1)."""
    words = with_option(plain(field.tooltip or ""), plain(field.option or ""))
    if not words:
        return Spoken(f"{_KIND[field.kind]} {number}, page {page}", OUR_LANGUAGE)
    return Spoken(_with_hint(words, field.format, language))


def spoken_question(members: Sequence[Field], page: int, number: int) -> Spoken:
    """What a radio field as a whole asks: the tooltip its buttons share, else what there is to choose."""
    asked = {_question(field) for field in members}
    if len(asked) == 1 and asked != {""}:
        return Spoken(asked.pop())
    options = [plain(field.option or "") for field in members]
    if all(options):
        return Spoken(" / ".join(options))
    return Spoken(f"Radio buttons {number}, page {page}", OUR_LANGUAGE)


def _question(field: Field) -> str:
    """The tooltip without the option at its end."""
    tooltip, option = plain(field.tooltip or ""), plain(field.option or "")
    if option and tooltip.casefold().endswith(option.casefold()):
        return tooltip[: len(tooltip) - len(option)].rstrip(" :,–-")
    return tooltip


def spoken_button(field: Field, position: int, count: int) -> Spoken:
    """One button of a radio field: the question and its option, or its place (from 1) among the others."""
    question, option = plain(field.tooltip or ""), plain(field.option or "")
    if option:
        return Spoken(with_option(question, option))
    place = f"option {position} of {count}"
    return Spoken(f"{question}: {place}") if question else Spoken(place.capitalize(), OUR_LANGUAGE)


def with_option(question: str, option: str) -> str:
    """Question and option; a tooltip that already says the option is left alone."""
    if not question or not option:
        return question or option
    return question if _says(question, option) else f"{question}: {option}"


def _says(sentence: str, words: str) -> bool:
    return f" {words.casefold()} " in f" {sentence.casefold().replace(':', ' ').replace(',', ' ')} "


def _with_hint(words: str, expected: TextFormat | None, language: str | None) -> str:
    """Add "date" or "number" unless the words already hold it."""
    hint = _HINTS[expected].get((language or "").partition("-")[0]) if expected else None
    if hint is None or hint.casefold() in words.casefold():
        return words
    return f"{words}, {hint}"


def plain(text: str) -> str:
    """One line: white space made single spaces, control characters left out."""
    return "".join(char for char in " ".join(text.split()) if unicodedata.category(char) != "Cc").strip()
