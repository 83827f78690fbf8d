# SPDX-License-Identifier: Apache-2.0
"""Printed text as people would say it, and how alike two texts are.

A label on paper comes with leaders, colons, tick boxes and line breaks that nobody reads aloud. Item numbers
stay: "12. Date of birth" is how people talk about a form.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from acromeld.pdf.words import BOX_CHARACTERS

MAX_LENGTH = 240
"""Characters of a spoken label; what is longer is a paragraph and is cut at a word."""

_LEADER = re.compile(r"_{2,}|(?:[.·…]\s?){3,}|[-–—=*]{3,}|…+")
_BOXES = re.compile(f"[{BOX_CHARACTERS}\ufffd]|[\ue000-\uf8ff]")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]|\{\s*\}")
_EDGE_START = re.compile(r"^[\s:;,.•●▪►»*|/=\-–—>)\]}]+")
_EDGE_END = re.compile(r"[\s:;,•▪►«*|/=\-–—<(\[{：、،]+$")
_TOKEN = re.compile(
    # Scripts that are written without spaces count by character, everything else by word.
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+"
)
_LETTER_RUN = re.compile(
    # Two letters in a row, initials ("M.I."), or one character of a script where it is a word.
    r"[^\W\d_]{2,}|(?:[^\W\d_]\.\s?){2,}|[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]"
)
_RIGHT_TO_LEFT = frozenset(("R", "AL"))


def clean(text: str) -> str:
    """Printed text as one spoken line; empty when nothing is left to say."""
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(char if unicodedata.category(char)[0] != "C" else " " for char in plain)
    plain = _BOXES.sub(" ", plain)
    plain = _LEADER.sub(" ", plain)
    plain = _EMPTY_BRACKETS.sub(" ", plain)
    plain = " ".join(plain.split())
    plain = _EDGE_END.sub("", _EDGE_START.sub("", plain))
    return _shortened(_balanced(plain))


def _balanced(text: str) -> str:
    """Without a bracket at either end whose partner was cut off."""
    for opening, closing in ("()", "[]"):
        if text.startswith(opening) and closing not in text:
            text = text[1:].lstrip()
        if text.endswith(closing) and opening not in text:
            text = text[:-1].rstrip()
    return text


def _shortened(text: str) -> str:
    if len(text) <= MAX_LENGTH:
        return text
    kept = text[:MAX_LENGTH].rsplit(" ", 1)[0]
    return kept.rstrip(" ,;:") + "…"


def tokens(text: str) -> list[str]:
    """Words in lower case without punctuation; characters where a script has no spaces."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def normalised(text: str) -> str:
    """What two texts have in common when they differ in case, punctuation and spacing only."""
    return " ".join(tokens(text))


def token_f1(first: list[str], second: list[str]) -> float:
    """Harmonic mean of the shares of tokens, counted with repetition, that each text has of the other."""
    if not first or not second:
        return 0.0
    shared = sum((Counter(first) & Counter(second)).values())
    return 2.0 * shared / (len(first) + len(second))


def has_words(text: str) -> bool:
    """Whether there is anything to say besides numbers and signs."""
    return _LETTER_RUN.search(text) is not None


def right_to_left(text: str) -> bool:
    """Whether most letters belong to a script that is written from the right."""
    kinds = Counter(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in text if char.isalpha())
    return kinds[True] > kinds[False]
