# SPDX-License-Identifier: Apache-2.0
"""Which tooltips were written for people.

Authors leave many /TU empty, fill them with identifiers, or let a program number them. The filter: numbering
that Acrobat appends is taken off ("_Row_3" is kept as the words "row 3"); then the text must have a word of
two or more letters, no identifier in it (joined by underscores, CamelCase, letters glued to digits, an XFA
path), and must not be one of the words that programs put where nobody wrote anything.
"""

from __future__ import annotations

import re

from acromeld.form.describe.texts import has_words, normalised

_ROW = re.compile(r"_Row_(\d+)$")
_NUMBER = re.compile(r"(?:_|\s*\[)\d+\]?$")
_IDENTIFIER = re.compile(r"[^\W_]_+[^\W_]|#|\[\d+\]\.|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*[a-z]")
_GLUED = re.compile(r"^[^\W\d_]+\d+$|^\w*\d\w*$")
_NOTHING = frozenset(
    (
        "undefined", "untitled", "text", "text field", "textfield", "check box", "checkbox", "radio button",
        "radiobuttonlist", "field", "fill", "date field", "numeric field", "dropdown", "drop down list",
        "signature field", "list box", "button", "group", "name field",
    )
)  # fmt: skip


def human_text(tooltip: str) -> str | None:
    """The tooltip as its author meant it, or none when it was not written for people."""
    text = " ".join(tooltip.split())
    text = _ROW.sub(r" row \1", text)
    text = _NUMBER.sub("", text).strip()
    if not has_words(text) or _IDENTIFIER.search(text) or _GLUED.match(text):
        return None
    return None if normalised(text) in _NOTHING else text
