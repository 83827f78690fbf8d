# SPDX-License-Identifier: Apache-2.0
"""Reading PDF objects that may be anything.

Files in the wild have numbers where the standard wants dictionaries and loops where it wants trees. These
accessors answer "not there" instead of raising, so that the rest of the room can be written for good files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.errors import NotAPdf
from acromeld.pdf.text_string import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pikepdf import Array, Dictionary, Page, Pdf

    from acromeld.fields import Box

_MAX_DEPTH = 64


def catalog(pdf: Pdf) -> Dictionary:
    """The document catalog; an empty dictionary when the file has none that can be used."""
    try:
        return as_dict(pdf.Root) or pikepdf.Dictionary()
    except (pikepdf.PdfError, AttributeError, KeyError, RuntimeError):
        return pikepdf.Dictionary()


def all_pages(pdf: Pdf, name: str) -> list[Page]:
    """Every page, or a sentence when the page tree cannot be walked."""
    try:
        return list(pdf.pages)
    except (pikepdf.PdfError, RuntimeError, ValueError):
        raise NotAPdf(f"{name} has a page tree that is damaged beyond repair.") from None


def as_dict(value: object) -> Dictionary | None:
    """The value when it is a dictionary."""
    return value if isinstance(value, pikepdf.Dictionary) else None


def dict_at(node: Dictionary | None, key: str) -> Dictionary | None:
    """A dictionary entry that is itself a dictionary."""
    return None if node is None else as_dict(node.get(key))


def array_at(node: Dictionary | None, key: str) -> Array | None:
    """A dictionary entry that is an array."""
    value = None if node is None else node.get(key)
    return value if isinstance(value, pikepdf.Array) else None


def dicts_at(node: Dictionary | None, key: str) -> list[Dictionary]:
    """The dictionaries in an array entry; whatever else the array holds is passed over."""
    return [item for item in array_at(node, key) or () if isinstance(item, pikepdf.Dictionary)]


def int_at(node: Dictionary | None, key: str) -> int:
    """A whole number, 0 when there is none."""
    value = None if node is None else node.get(key)
    try:
        return int(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0


def flag_at(node: Dictionary, key: str) -> bool:
    """A boolean, false when there is none."""
    value: object = node.get(key)
    return isinstance(value, bool) and value


def text_at(node: Dictionary | None, key: str) -> str:
    """A text string, empty when there is none."""
    return "" if node is None else text_of(node.get(key))


def box_at(node: Dictionary, key: str) -> Box | None:
    """Four numbers, in whatever corner order the file has them."""
    try:
        corners = [float(value) for value in array_at(node, key) or ()]
    except (TypeError, ValueError):
        return None
    return (corners[0], corners[1], corners[2], corners[3]) if len(corners) == 4 else None


def ancestry(node: Dictionary) -> Iterator[Dictionary]:
    """A widget or field, its parent, and so on up; cut off where a broken file makes a loop."""
    current: Dictionary | None = node
    for _ in range(_MAX_DEPTH):
        if current is None:
            return
        yield current
        current = dict_at(current, "/Parent")


def inherited(node: Dictionary, key: str) -> object:
    """A field attribute, looked up through the parents (ISO 32000-2, 12.7.4.1)."""
    return next((owner[key] for owner in ancestry(node) if key in owner), None)
