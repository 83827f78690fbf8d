# SPDX-License-Identifier: Apache-2.0
"""Fonts that are at hand: the PDF base fonts, reportlab's Vera, and TrueType files of Debian packages.

A `FontBook` lists families in a fixed order and knows which languages each can draw. With the ``builtin``
book the bytes of a document do not depend on what a machine has installed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont

from acromeld.corpus.synth.arabic import visual
from acromeld.corpus.synth.lexicon import LANGUAGES, lexicon

Fonts = Literal["system", "builtin"]

SYSTEM_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))

_BASE = (
    ("Helvetica", "Helvetica", "Helvetica-Bold", "Helvetica-Oblique"),
    ("Times", "Times-Roman", "Times-Bold", "Times-Italic"),
    ("Courier", "Courier", "Courier-Bold", "Courier-Oblique"),
)
_BUNDLED = (("Vera", "Vera.ttf", "VeraBd.ttf", "VeraIt.ttf"),)
_DEBIAN = (
    ("DejaVuSans", "DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf"),
    ("DejaVuSerif", "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf", "DejaVuSerif-Italic.ttf"),
    ("DejaVuMono", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf", "DejaVuSansMono-Oblique.ttf"),
    ("DejaVuCondensed", "DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf",
     "DejaVuSansCondensed-Oblique.ttf"),
    ("DejaVuSerifCondensed", "DejaVuSerifCondensed.ttf", "DejaVuSerifCondensed-Bold.ttf",
     "DejaVuSerifCondensed-Italic.ttf"),
    ("DejaVuLight", "DejaVuSans-ExtraLight.ttf", "DejaVuSans.ttf", "DejaVuSans-ExtraLight.ttf"),
    ("LiberationSans", "LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf", "LiberationSans-Italic.ttf"),
    ("LiberationSerif", "LiberationSerif-Regular.ttf", "LiberationSerif-Bold.ttf",
     "LiberationSerif-Italic.ttf"),
    ("LiberationNarrow", "LiberationSansNarrow-Regular.ttf", "LiberationSansNarrow-Bold.ttf",
     "LiberationSansNarrow-Italic.ttf"),
    ("NotoSans", "NotoSans-Regular.ttf", "NotoSans-Bold.ttf", "NotoSans-Italic.ttf"),
    ("NotoSerif", "NotoSerif-Regular.ttf", "NotoSerif-Bold.ttf", "NotoSerif-Italic.ttf"),
    ("Carlito", "Carlito-Regular.ttf", "Carlito-Bold.ttf", "Carlito-Italic.ttf"),
    ("OpenSans", "OpenSans-Regular.ttf", "OpenSans-Bold.ttf", "OpenSans-Italic.ttf"),
    ("Lato", "Lato-Regular.ttf", "Lato-Bold.ttf", "Lato-Italic.ttf"),
    ("Roboto", "Roboto-Regular.ttf", "Roboto-Bold.ttf", "Roboto-Italic.ttf"),
    ("FreeSerif", "FreeSerif.ttf", "FreeSerifBold.ttf", "FreeSerifItalic.ttf"),
    ("MicroHei", "wqy-microhei.ttc", "wqy-microhei.ttc", "wqy-microhei.ttc"),
    ("ZenHei", "wqy-zenhei.ttc", "wqy-zenhei.ttc", "wqy-zenhei.ttc"),
    ("IPAGothic", "ipag.ttf", "ipag.ttf", "ipag.ttf"),
)  # fmt: skip
_ASCII = frozenset(map(chr, range(32, 127)))


@dataclass(frozen=True)
class Family:
    """Three registered faces and the languages they can draw."""

    name: str
    regular: str
    bold: str
    italic: str
    languages: frozenset[str]


@dataclass(frozen=True)
class FontBook:
    """The families at hand, in a fixed order."""

    families: tuple[Family, ...]

    def languages(self) -> tuple[str, ...]:
        """Languages that at least one family can draw."""
        return tuple(code for code in LANGUAGES if self.fitting(code))

    def fitting(self, *codes: str) -> tuple[Family, ...]:
        """Families that can draw all the languages."""
        return tuple(family for family in self.families if family.languages.issuperset(codes))


@cache
def font_book(fonts: Fonts = "system", folders: tuple[Path, ...] = SYSTEM_FOLDERS) -> FontBook:
    """Find and register fonts once per process; a file that is missing or unreadable is passed over."""
    found = _files(folders) if fonts == "system" else {}
    base = [Family(*names, _drawable(_latin1)) for names in _BASE]
    bundled = [_truetype(name, tuple(faces)) for name, *faces in _BUNDLED]
    debian = [
        _truetype(name, tuple(found[face] for face in faces))
        for name, *faces in _DEBIAN
        if all(face in found for face in faces)
    ]
    return FontBook(tuple(family for family in (*base, *bundled, *debian) if family is not None))


def _files(folders: tuple[Path, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder in folders:
        for parent, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                found.setdefault(name, str(Path(parent) / name))
    return found


def _truetype(name: str, paths: tuple[str, ...]) -> Family | None:
    try:
        faces = [_register(f"{name}-{style}", path) for style, path in zip("RBI", paths, strict=True)]
    except (TTFError, OSError):
        return None
    # Italics often lack the Arabic block; right-to-left pages are set without italics instead.
    glyphs = frozenset(faces[0].face.charToGlyph) & frozenset(faces[1].face.charToGlyph)
    regular, bold, italic = (face.fontName for face in faces)
    return Family(name, regular, bold, italic, _drawable(lambda char: ord(char) in glyphs))


def _register(name: str, path: str) -> TTFont:
    font = TTFont(name, path)
    pdfmetrics.registerFont(font)
    return font


def _latin1(char: str) -> bool:
    return bool(char.encode("cp1252", "ignore"))


def _drawable(has: Callable[[str], bool]) -> frozenset[str]:
    """Languages whose every character, after shaping, satisfies ``has``."""
    return frozenset(code for code in LANGUAGES if all(has(char) for char in _needed(code)))


@cache
def _needed(code: str) -> frozenset[str]:
    words = lexicon(code)
    if not words.rtl:
        return words.characters() | _ASCII
    shaped = (visual(word) for name in ("labels", "signature", "prose") for word in getattr(words, name))
    return frozenset(char for word in shaped for char in word) | _ASCII
