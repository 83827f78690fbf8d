# SPDX-License-Identifier: Apache-2.0
"""Names for programs (/T), made from what is said to people (/TU).

A name is lower-case Latin letters, digits and underscores, so that it can be a column or a variable
everywhere. Labels in other scripts are not transliterated, which cannot be done well for all of them: their
fields are named by kind and a short digest of the label, which stays the same when other fields come or go.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acromeld.fields import Field

MAX_LENGTH = 48

_OTHER = re.compile(r"[^a-z0-9]+")
_FOLDED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ı": "i", "þ": "th"})


def slug(label: str) -> str:
    """A label as an identifier; empty when it has no Latin letters."""
    folded = unicodedata.normalize("NFKD", label.casefold().translate(_FOLDED))
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    words = [word for word in _OTHER.sub(" ", plain).split() if word]
    if not any(char.isalpha() for word in words for char in word):
        return ""
    name = ""
    for word in words:
        if name and len(name) + len(word) + 1 > MAX_LENGTH:
            break
        name = f"{name}_{word}" if name else word[:MAX_LENGTH]
    # Programs that make variables of names cannot start one with a digit.
    return name if name[0].isalpha() else f"item_{name}"


def wanted_name(field: Field, label: str, page: int, number: int) -> str:
    """The name a field would like to have; page and number count from 1 and serve only without a label."""
    if not label.strip():
        return f"{field.kind.value}_{page}_{number}"
    latin = sum("LATIN" in unicodedata.name(char, "") for char in label if char.isalpha())
    letters = sum(char.isalpha() for char in label)
    found = slug(label) if 2 * latin >= letters else ""
    if found:
        return found
    digest = hashlib.sha256(unicodedata.normalize("NFKC", label).casefold().encode()).hexdigest()
    return f"{field.kind.value}_{digest[:8]}"
