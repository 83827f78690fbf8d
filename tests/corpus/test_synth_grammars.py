# SPDX-License-Identifier: Apache-2.0
"""Every page grammar on its own, over many themes."""

from dataclasses import replace
from typing import get_args

import pypdfium2 as pdfium
import pytest

from acromeld.corpus.synth.document import assemble, document_rng
from acromeld.corpus.synth.fonts import font_book
from acromeld.corpus.synth.grammars import GRAMMARS
from acromeld.corpus.synth.theme import ChoiceStyle, sample_theme
from acromeld.fields import FieldKind

BY_NAME = {grammar.name: grammar for grammar in GRAMMARS}


def pages(name, count, seed=0):
    """The same grammar under many themes."""
    for index in range(count):
        rng = document_rng(seed, index)
        yield assemble(rng, sample_theme(rng, font_book()), [BY_NAME[name]]).pages[0]


@pytest.mark.parametrize("name", BY_NAME)
def test_grammar_keeps_its_promise(name):
    count = 3 if name == "densest" else 12
    for page in pages(name, count):
        kinds = {spec.control.kind for spec in page.controls}
        assert kinds >= BY_NAME[name].kinds
        if not BY_NAME[name].kinds:
            assert not kinds
            assert page.texts


def test_densest_page_has_849_fields_or_more_and_stays_below_the_query_cap():
    for page in pages("densest", 6, seed=1):
        assert 849 <= len(page.controls) <= 896


def test_controls_lie_on_the_page_and_are_usable():
    for name in BY_NAME:
        for page in pages(name, 2, seed=2):
            for spec in page.controls:
                x0, y0, x1, y1 = spec.box
                assert 0 <= x0 < x1 <= page.width
                assert 0 <= y0 < y1 <= page.height
                assert min(x1 - x0, y1 - y0) >= 4


@pytest.mark.parametrize("style", get_args(ChoiceStyle))
def test_marks_are_open_in_the_middle_and_have_ink_around_it(style):
    rng = document_rng(3, 0)
    theme = replace(sample_theme(rng, font_book("builtin")), choice=style, size=10.0, choice_size=10.0)
    document = assemble(rng, theme, [BY_NAME["tick page"]])
    pdf = pdfium.PdfDocument(document.data)
    pixels = pdf[0].render(scale=4, grayscale=True, may_draw_forms=False).to_numpy().squeeze()
    pdf.close()
    marks = [spec.box for spec in document.pages[0].controls if spec.control.kind is FieldKind.CHOICE]
    for x0, y0, x1, y1 in marks:
        x, y = round(2 * (x0 + x1)), round(2 * (y0 + y1))
        assert pixels[y - 3 : y + 3, x - 3 : x + 3].min() > 200
        assert pixels[round(4 * y0) - 8 : round(4 * y1) + 8, round(4 * x0) - 8 : x].min() < 150
