# SPDX-License-Identifier: Apache-2.0
"""The words a form is written with, one plain text file per language.

A file holds lines ``key: a | b | c``. Keeping the words out of the code lets anybody add a language without
reading a line of Python.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files

LANGUAGES: tuple[str, ...] = (
    "en", "de", "fr", "es", "pt", "nl", "nb", "it", "pl", "ru", "el", "ar", "zh", "ja",
)  # fmt: skip
"""Known languages in a fixed order, so that a random choice does not depend on the file system."""

RIGHT_TO_LEFT = frozenset({"ar"})
UNSPACED = frozenset({"zh", "ja"})


@dataclass(frozen=True)
class Lexicon:
    """Everything a generated form may say in one language; each attribute is a list of alternatives."""

    code: str
    labels: tuple[str, ...]
    questions: tuple[str, ...]
    options: tuple[str, ...]
    other: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    likert: tuple[str, ...]
    columns: tuple[str, ...]
    sections: tuple[str, ...]
    titles: tuple[str, ...]
    signature: tuple[str, ...]
    date: tuple[str, ...]
    printed: tuple[str, ...]
    place: tuple[str, ...]
    office: tuple[str, ...]
    comments: tuple[str, ...]
    photo: tuple[str, ...]
    prose: tuple[str, ...]
    fill: tuple[str, ...]

    @property
    def rtl(self) -> bool:
        """Whether the page reads from right to left."""
        return self.code in RIGHT_TO_LEFT

    @property
    def spaced(self) -> bool:
        """Whether words are set apart by spaces, which decides where a line may be broken."""
        return self.code not in UNSPACED

    def characters(self) -> frozenset[str]:
        """All characters in use, to find the fonts that can draw them."""
        lists = (getattr(self, item.name) for item in fields(self) if item.name != "code")
        return frozenset(char for words in lists for word in words for char in word)


@cache
def lexicon(code: str) -> Lexicon:
    """The lexicon of a language, read once."""
    text = (files("acromeld.corpus.synth") / "lexicons" / f"{code}.txt").read_text(encoding="utf-8")
    lists: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            key, _, words = line.partition(":")
            lists[key.strip()] = tuple(word.strip() for word in words.split(" | "))
    return Lexicon(code=code, **lists)
