# SPDX-License-Identifier: Apache-2.0
"""The language of the words on the pages, said only when it is clear.

A screen reader speaks with the voice of the stated language; a wrong one is worse than none.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acromeld.pdf.page import Words

MIN_WORDS = 12
MARGIN = 8.0
"""Log-likelihood by which the first language must beat the second."""

_MAX_LETTERS = 6_000
_LANGUAGES = (
    "af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka "
    "kk km kn ko ky lo lt lv mk ml mn mr ms my ne nl no pa pl pt ro ru si sk sl so sq sr sv sw ta te th tl "
    "tr uk ur uz vi zh"
)
"""Languages that forms are printed in; without the list, Egyptian Arabic competes with Arabic."""


def language_of(pages: Iterable[Words]) -> str | None:
    """BCP 47 tag of the language of the words, or none when there are few or the second guess is close."""
    text, count = _sample(pages)
    if count < MIN_WORDS:
        return None
    (best, first), (_, second) = _identifier().rank(text)[:2]
    return str(best) if first - second >= MARGIN else None


def _sample(pages: Iterable[Words]) -> tuple[str, int]:
    """Words with letters, in lower case because headings in capitals mislead, and how many they are."""
    chosen: list[str] = []
    letters = 0
    for words in pages:
        for word, symbolic in zip(words.text, words.symbolic, strict=True):
            if not symbolic and sum(char.isalpha() for char in word) > 1:
                chosen.append(word.lower())
                letters += len(word)
            if letters > _MAX_LETTERS:
                return " ".join(chosen), len(chosen)
    # Scripts without spaces make one long word of a sentence; four letters stand for a word there.
    dense = sum(len(word) // 4 for word in chosen if ord(word[0]) >= 0x2E80)
    return " ".join(chosen), len(chosen) + dense


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(_LANGUAGES.split())
    return identifier
