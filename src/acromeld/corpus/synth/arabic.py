# SPDX-License-Identifier: Apache-2.0
"""Arabic letters joined and put in visual order, for a PDF library that draws one glyph after the other.

The contextual forms come from Unicode's own compatibility decompositions (block FE70-FEFF), so there is no
table to get wrong. This covers what form labels need: joined letters, lam-alef, and left-to-right numbers
inside right-to-left text. It is not the full bidirectional algorithm.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_LEFT_TO_RIGHT_RUN = re.compile(
    r"[^\u0600-\u06ff\ufe70-\ufeff\s]*[0-9A-Za-z_.]+[^\u0600-\u06ff\ufe70-\ufeff\s]*"
)
_MIRRORED = str.maketrans("()[]<>{}", ")(][><}{")


@cache
def _forms() -> dict[str, dict[str, str]]:
    """Letters (or lam-alef pairs) to their isolated, initial, medial and final characters."""
    forms: dict[str, dict[str, str]] = {}
    for code in range(0xFE80, 0xFEFD):
        position, *letters = unicodedata.decomposition(chr(code)).split()
        base = "".join(chr(int(letter, 16)) for letter in letters)
        forms.setdefault(base, {})[position.strip("<>")] = chr(code)
    return forms


def _pieces(text: str) -> list[str]:
    """Characters, with lam-alef taken together because it is drawn as one glyph."""
    pieces: list[str] = []
    for char in text:
        if pieces and pieces[-1] == "\u0644" and "\u0644" + char in _forms():
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


def shape(text: str) -> str:
    """Logical text with each Arabic letter in the form its neighbours call for."""
    forms, pieces = _forms(), _pieces(text)
    joins_next = [("initial" in forms.get(piece, {})) for piece in pieces]
    joins_previous = [("final" in forms.get(piece, {})) for piece in pieces]
    out = []
    for i, piece in enumerate(pieces):
        before = i > 0 and joins_next[i - 1] and joins_previous[i]
        after = i + 1 < len(pieces) and joins_next[i] and joins_previous[i + 1]
        position = {(0, 0): "isolated", (0, 1): "initial", (1, 0): "final", (1, 1): "medial"}[before, after]
        out.append(forms.get(piece, {}).get(position, piece))
    return "".join(out)


def visual(text: str) -> str:
    """Shaped text in the order the glyphs stand from left to right; text without Arabic is returned as is."""
    if not any("\u0600" <= char <= "\u06ff" for char in text):
        return text
    turned = shape(text)[::-1].translate(_MIRRORED)
    return _LEFT_TO_RIGHT_RUN.sub(lambda run: run.group()[::-1].translate(_MIRRORED), turned)
