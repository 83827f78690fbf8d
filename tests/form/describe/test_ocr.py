# SPDX-License-Identifier: Apache-2.0
"""The probe for an OCR engine, and its lines turned into words on the page."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from acromeld.form.describe import ocr
from acromeld.form.describe import page as described
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Primitives, Raster, Words
from tests.form.describe.pages import lines_at, page_of, words_at

RASTER = Raster(np.full((1584, 1224), 255, dtype=np.uint8), 2.0)
BLANK = Page(0, PageFrame((0.0, 0.0, 612.0, 792.0)), RASTER, Primitives())


def line(text, x0, y0, x1, y1, confidence=0.9):
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float64), text, confidence


def test_a_line_is_cut_into_words_in_points():
    words = ocr.lines_to_words([line("Date of birth", 100, 200, 230, 220)], RASTER)
    assert words.text == ("Date", "of", "birth")
    np.testing.assert_allclose(words.box[0], [50, 100, 70, 110])
    np.testing.assert_allclose(words.box[2], [90, 100, 115, 110])


def test_doubtful_lines_are_left_out():
    assert len(ocr.lines_to_words([line("noise", 0, 0, 10, 10, 0.2), line(" ", 0, 0, 10, 10)], RASTER)) == 0


def test_only_pages_without_words_are_read():
    assert ocr.needs_ocr(BLANK)
    printed = replace(page_of(words_at([("Please fill in all of these fields", 60, 100)])), raster=RASTER)
    assert not ocr.needs_ocr(printed)
    assert not ocr.needs_ocr(Page(0, BLANK.frame, None, None))


def test_without_an_engine_there_are_no_words(monkeypatch):
    monkeypatch.setattr(ocr, "find_spec", lambda name: None)
    assert not ocr.ocr_installed()
    assert len(ocr.read_words(BLANK)) == 0


@pytest.mark.parametrize(("seen", "read"), [(30, True), (12, False)])
def test_a_page_with_hardly_a_word_is_read_when_the_picture_has_clearly_more(monkeypatch, seen, read):
    own = words_at([("Form with its letters drawn, page 1", 60, 100)])
    page = replace(page_of(own, lines_at([(50, 100, 500, 100)])), raster=RASTER)
    drawn = words_at([(f"word{row}", 60, 100 + 20 * row) for row in range(seen)])
    monkeypatch.setattr(described, "ocr_installed", lambda: True)
    monkeypatch.setattr(described, "read_words", lambda _: drawn)
    assert described.page_words(page, ocr.Ocr.AUTO) == (drawn if read else own, ())
    assert described.page_words(page, ocr.Ocr.OFF) == (own, ())


def test_an_engine_is_used_when_there_is_one():
    words = ocr.read_words(BLANK, engine=lambda pixels: [line("Surname:", 120, 180, 280, 200)])
    assert words.text == ("Surname:",)
    assert isinstance(words, Words)


def test_the_probe_does_not_import_the_engine():
    before = set(sys.modules)
    ocr.ocr_installed()
    assert "rapidocr" not in set(sys.modules) - before
