# SPDX-License-Identifier: Apache-2.0
"""Born digital, scanned, scanned with a text layer."""

import numpy as np

from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Primitives, Raster, ShapeKind
from acromeld.structure.availability import structure_available, usable_primitives
from tests.structure.made_up import HEIGHT, WIDTH, across, joined, shapes, words

PICTURE = shapes([(0, 0, WIDTH, HEIGHT)], ShapeKind.IMAGE)
LINES = shapes([across(100 + 20 * n, 50, 500) for n in range(20)])
TEXT_LAYER = words(*((f"word{n}", (50, 20 * n, 90, 20 * n + 10)) for n in range(30)))


def page(own):
    """A page with the given primitives and a picture with one black rule in it."""
    pixels = np.full((1600, 1200), 255, dtype=np.uint8)
    pixels[800:804, 100:900] = 0
    return Page(0, PageFrame((0.0, 0.0, WIDTH, HEIGHT)), raster=Raster(pixels, 2.0), primitives=own)


def test_a_drawn_page_speaks_for_itself():
    own = Primitives(TEXT_LAYER, LINES)
    assert usable_primitives(page(own)) == (own, False)


def test_a_picture_is_read_off_its_raster():
    found, inferred = usable_primitives(page(Primitives(shapes=PICTURE)))
    assert inferred
    assert len(found.shapes) == 1


def test_a_scan_keeps_the_words_of_its_text_layer():
    for visible in (True, False):
        layer = words(*zip(TEXT_LAYER.text, TEXT_LAYER.box, strict=True), visible=visible)
        scan = page(Primitives(layer, PICTURE))
        found, inferred = usable_primitives(scan)
        assert inferred
        assert found.words is layer
        assert len(found.shapes) == 1
        assert structure_available(scan) is visible


def test_a_page_number_on_a_scan_is_no_text_layer():
    number = words(("7", (300, 780, 310, 790)))
    found, _ = usable_primitives(page(Primitives(number, PICTURE)))
    assert "7" not in found.words.text


def test_a_form_on_a_background_picture_is_born_digital():
    own = Primitives(TEXT_LAYER, joined(PICTURE, LINES))
    assert usable_primitives(page(own)) == (own, False)
