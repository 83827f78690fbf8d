# SPDX-License-Identifier: Apache-2.0
"""Words and fonts: complete lexicons, joined Arabic, fonts that can draw what they are asked to."""

from dataclasses import fields

import pytest

from acromeld.corpus.synth.arabic import shape, visual
from acromeld.corpus.synth.fonts import font_book
from acromeld.corpus.synth.lexicon import LANGUAGES, Lexicon, lexicon

LATIN = ("en", "de", "fr", "es", "pt", "nl", "nb", "it")


@pytest.mark.parametrize("code", LANGUAGES)
def test_lexicons_are_complete(code):
    words = lexicon(code)
    for item in fields(Lexicon):
        values = getattr(words, item.name)
        assert values
        assert all(value == value.strip() and value for value in values)
    assert len(words.likert) == 5
    assert len(words.labels) >= 25
    assert all("{}" in sentence for sentence in words.fill)


def test_every_language_with_latin_letters_can_be_drawn_without_installed_fonts():
    assert font_book("builtin").languages() == LATIN


def test_a_folder_without_fonts_falls_back_to_the_builtin_ones(tmp_path):
    (tmp_path / "DejaVuSans.ttf").write_bytes(b"not a font")
    for name in ("DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf"):
        (tmp_path / name).write_bytes(b"")
    book = font_book("system", (tmp_path,))
    assert [family.name for family in book.families] == ["Helvetica", "Times", "Courier", "Vera"]


def test_arabic_letters_join():
    # beh-alef-beh: initial, final (alef does not join onwards), isolated
    assert shape("\u0628\u0627\u0628") == "\ufe91\ufe8e\ufe8f"
    # lam-alef is one glyph
    assert shape("\u0644\u0627") == "\ufefb"


def test_visual_order_turns_arabic_round_but_not_numbers():
    assert visual("Name 12") == "Name 12"
    turned = visual("\u0628 12 \u062f")
    assert turned == "\ufea9 12 \ufe8f"
    assert visual("(\u062f)") == "(\ufea9)"
