# SPDX-License-Identifier: Apache-2.0
"""Inferred structure on pages drawn pixel by pixel, so that every expected number is known."""

import numpy as np
import pytest

from acromeld.pdf.page import Primitives, Raster, ShapeKind
from acromeld.structure.inferred import infer_primitives
from acromeld.structure.inferred_tone import smooth

SCALE = 2.5
INK, PAPER = 0, 255


def blank(height=800, width=1000, paper=PAPER):
    return np.full((height, width), paper, dtype=np.uint8)


def box(pixels, x0, y0, x1, y1, thickness=2, ink=INK):
    """A hollow rectangle whose outer edge is the given box."""
    pixels[y0:y1, x0:x1][:thickness] = ink
    pixels[y0:y1, x0:x1][-thickness:] = ink
    pixels[y0:y1, x0 : x0 + thickness] = ink
    pixels[y0:y1, x1 - thickness : x1] = ink


def word(pixels, x, y, letters=6, ink=INK):
    """Letter-like shapes 8 px wide and 16 px high, 2 px apart: a stem and two bars each."""
    for _ in range(letters):
        pixels[y : y + 16, x : x + 2] = ink
        pixels[y : y + 2, x : x + 8] = ink
        pixels[y + 8 : y + 10, x : x + 6] = ink
        x += 10
    return x - 2


def infer(pixels, scale=SCALE) -> Primitives:
    return infer_primitives(Raster(pixels, scale))


def shapes(found, kind, *, filled=False):
    """Pixel boxes of one kind, in reading order."""
    table = found.shapes
    boxes = table.box[(table.kind == kind) & (table.filled == filled)] * SCALE
    return boxes[np.lexsort((boxes[:, 0], boxes[:, 1]))]


def words(found):
    boxes = found.words.box * SCALE
    return boxes[np.lexsort((boxes[:, 0], boxes[:, 1]))]


def noisy(pixels, seed=0, sigma=6.0):
    noise = np.random.default_rng(seed).normal(0, sigma, pixels.shape)
    return np.clip(pixels + noise, 0, 255).astype(np.uint8)


def blurred(pixels):
    """A 3x3 binomial blur."""
    soft = np.pad(pixels.astype(np.float64), 1, mode="edge")
    soft = (soft[:-2] + 2 * soft[1:-1] + soft[2:]) / 4
    return ((soft[:, :-2] + 2 * soft[:, 1:-1] + soft[:, 2:]) / 4).astype(np.uint8)


def close(actual, expected, within=1.0):
    assert np.shape(actual) == np.shape(expected), f"{actual}"
    np.testing.assert_allclose(actual, expected, atol=within)


class TestRules:
    @pytest.mark.parametrize("thickness", [1, 2, 3, 6])
    def test_horizontal_rule_has_its_ends_level_and_width(self, thickness):
        page = blank()
        page[300 : 300 + thickness, 100:700] = INK
        found = infer(page)
        middle = 300 + thickness / 2
        close(shapes(found, ShapeKind.LINE), [[100, middle, 700, middle]])
        assert found.shapes.stroke[0] * SCALE == pytest.approx(thickness, abs=1)
        assert found.shapes.ink[0] == pytest.approx(0, abs=0.05)

    def test_vertical_rule(self):
        page = blank()
        page[100:500, 400:402] = INK
        close(shapes(infer(page), ShapeKind.LINE), [[401, 100, 401, 500]])

    def test_light_grey_rule_keeps_its_tone(self):
        page = blank()
        page[300:303, 100:700] = 178
        found = infer(page)
        close(shapes(found, ShapeKind.LINE), [[100, 301.5, 700, 301.5]])
        assert found.shapes.ink[0] == pytest.approx(0.7, abs=0.02)

    def test_holes_do_not_cut_a_rule(self):
        page = blank()
        page[300:302, 100:700] = INK
        page[300:302, 350:353] = PAPER
        close(shapes(infer(page), ShapeKind.LINE), [[100, 301, 700, 301]])

    def test_separate_blanks_on_one_level_stay_separate(self):
        page = blank()
        page[300:302, 100:300] = INK
        page[300:302, 320:520] = INK
        close(shapes(infer(page), ShapeKind.LINE), [[100, 301, 300, 301], [320, 301, 520, 301]])

    @pytest.mark.parametrize("slope", [0.0087, -0.0087])
    def test_skewed_rule_is_one_rule(self, slope):
        page = blank()
        x = np.arange(100, 900)
        y = (300 + slope * (x - 500)).astype(int)
        for offset in range(2):
            page[y + offset, x] = INK
        close(shapes(infer(page), ShapeKind.LINE), [[100, 301, 900, 301]], within=1.5)

    def test_dashes_are_one_dashed_rule(self):
        page = blank()
        for x in range(100, 700, 15):
            page[300:302, x : x + 8] = INK
        found = infer(page)
        close(shapes(found, ShapeKind.LINE), [[100, 301, 693, 301]])
        assert found.shapes.dashed.tolist() == [True]
        assert len(found.words) == 0

    def test_upright_dots_are_one_dashed_rule(self):
        page = blank()
        for y in range(100, 400, 9):
            page[y : y + 3, 500:503] = INK
        found = infer(page)
        close(shapes(found, ShapeKind.LINE), [[501.5, 100, 501.5, 400]])
        assert found.shapes.dashed.tolist() == [True]

    def test_comb_ticks_on_a_rule_are_rules(self):
        page = blank()
        page[300:302, 100:400] = INK
        for x in range(130, 400, 30):
            page[280:300, x : x + 2] = INK
        lines = shapes(infer(page), ShapeKind.LINE)
        ticks = lines[lines[:, 0] == lines[:, 2]]
        close(ticks[:, 0], np.arange(131, 400, 30))
        close(ticks[:, 1], np.full(9, 280.0))


class TestGrid:
    def grid(self):
        page = blank()
        for y in range(100, 501, 50):
            page[y : y + 2, 100:902] = INK
        for x in range(100, 901, 200):
            page[100:502, x : x + 2] = INK
        return page

    def test_grid_is_its_lines(self):
        found = infer(self.grid())
        lines = shapes(found, ShapeKind.LINE)
        level = lines[lines[:, 1] == lines[:, 3]]
        close(level[:, 1], np.arange(101, 502, 50))
        close(level[:, [0, 2]], [[100, 902]] * 9)
        assert len(lines) == 14
        assert len(found.words) == 0

    def test_grid_does_not_glue_words(self):
        page = self.grid()
        places = [(x, y) for y in range(115, 500, 50) for x in range(110, 900, 200)]
        expected = [[x, y, word(page, x, y), y + 16] for x, y in places]
        close(words(infer(page)), expected)

    def test_noisy_grid_on_grey_unevenly_lit_paper(self):
        page = self.grid()
        light = np.linspace(0.75, 0.92, page.shape[1])
        found = infer(noisy((20 + 0.9 * blurred(page)) * light))
        lines = shapes(found, ShapeKind.LINE)
        level = lines[lines[:, 1] == lines[:, 3]]
        close(level[:, 1], np.arange(101, 502, 50))
        close(level[:, [0, 2]], [[100, 902]] * 9, within=2)
        assert len(lines) == 14


class TestMarks:
    @pytest.mark.parametrize("side", [13, 20, 30, 50])
    def test_hollow_square_is_a_rectangle_with_its_outer_box(self, side):
        page = blank()
        box(page, 200, 300, 200 + side, 300 + side)
        word(page, 200 + side + side // 2 + 2, 302)
        found = infer(page)
        close(shapes(found, ShapeKind.RECT), [[200, 300, 200 + side, 300 + side]], within=0)
        assert len(found.words) == 1

    def test_boxes_in_a_column_stay_apart(self):
        page = blank()
        for y in range(100, 240, 28):
            box(page, 200, y, 224, y + 24)
        found = infer(page)
        close(shapes(found, ShapeKind.RECT), [[200, y, 224, y + 24] for y in range(100, 240, 28)])
        assert len(shapes(found, ShapeKind.LINE)) == 0

    def test_square_survives_blur_and_noise(self):
        page = blank(paper=230)
        box(page, 200, 300, 224, 324)
        close(shapes(infer(noisy(blurred(page))), ShapeKind.RECT), [[200, 300, 224, 324]])

    def test_circle_is_a_path_with_curves(self):
        page = blank()
        y, x = np.mgrid[: page.shape[0], : page.shape[1]] + 0.5
        radius = np.hypot(x - 300, y - 400)
        page[(radius <= 14) & (radius > 12)] = INK
        found = infer(page)
        close(shapes(found, ShapeKind.PATH), [[286, 386, 314, 414]])
        assert found.shapes.curves.tolist() == [4]

    def test_filled_square_is_no_tick_box(self):
        page = blank()
        page[300:324, 200:224] = INK
        found = infer(page)
        assert len(shapes(found, ShapeKind.RECT)) == 0

    def test_round_letters_inside_a_word_are_text(self):
        page = blank()
        y, x = np.mgrid[: page.shape[0], : page.shape[1]] + 0.5
        for centre in range(300, 400, 20):
            radius = np.hypot(x - centre, y - 400)
            page[(radius <= 9) & (radius > 7)] = INK
        found = infer(page)
        assert len(found.shapes) == 0
        close(words(found), [[291, 391, 389, 409]])


class TestFills:
    def test_light_rectangle_with_text_on_it(self):
        page = blank()
        page[203:262, 101:655] = 225
        word(page, 120, 220)
        found = infer(page)
        close(shapes(found, ShapeKind.RECT, filled=True), [[101, 203, 655, 262]])
        assert found.shapes.fill[0] == pytest.approx(225 / 255, abs=0.01)
        close(words(found), [[120, 220, 178, 236]])

    def test_dark_banner_with_light_text(self):
        page = blank()
        page[200:250, 100:900] = 60
        word(page, 150, 217, letters=30, ink=255)
        found = infer(page)
        banner = shapes(found, ShapeKind.RECT, filled=True)
        outer = [*banner[:, :2].min(axis=0), *banner[:, 2:].max(axis=0)]
        close(outer, [100, 200, 900, 250])
        close(words(found), [[150, 217, 448, 233]], within=2)

    def test_photograph_is_an_image_and_holds_no_words(self):
        page = blank()
        page[100:400, 100:500] = (
            np.random.default_rng(3).integers(20, 200, (75, 100)).repeat(4, 0).repeat(4, 1)
        )
        found = infer(page)
        close(shapes(found, ShapeKind.IMAGE), [[100, 100, 500, 400]], within=4)
        assert len(found.words) == 0


class TestWords:
    def test_letters_join_and_spaces_part(self):
        page = blank()
        first = word(page, 100, 200)
        second = word(page, first + 8, 200)
        found = infer(page)
        close(words(found), [[100, 200, first, 216], [first + 8, 200, second, 216]])
        assert found.words.text == ("", "")
        assert found.words.visible.all()
        assert found.words.upright.all()
        assert not found.words.symbolic.any()
        assert (found.words.weight == 400).all()
        close(found.words.size, [8.0, 8.0], within=1.5)

    def test_lines_of_text_stay_apart(self):
        page = blank()
        for y in range(200, 300, 22):
            word(page, 100, y)
        assert len(infer(page).words) == 5

    def test_specks_are_not_words(self):
        page = blank()
        page[200:202, 100:102] = INK
        page[500:502, 300:302] = INK
        assert len(infer(page)) == 0


class TestOddPages:
    @pytest.mark.parametrize("tone", [0, 90, 180, 255])
    def test_page_of_one_tone_has_no_marks_lines_or_words(self, tone):
        found = infer(blank(paper=tone))
        assert len(found.words) == 0
        assert not np.isin(found.shapes.kind, [ShapeKind.LINE, ShapeKind.PATH, ShapeKind.IMAGE]).any()

    @pytest.mark.parametrize("shape", [(1, 1), (3, 5), (9, 2), (1, 400), (0, 0)])
    def test_tiny_page(self, shape):
        assert len(infer(np.full(shape, 255, dtype=np.uint8))) == 0
        infer(np.zeros(shape, dtype=np.uint8))

    def test_pure_noise_is_not_a_form(self):
        found = infer(noisy(blank(paper=200), sigma=12))
        assert len(found) == 0

    def test_colour_page_equals_its_grey(self):
        page = blank()
        box(page, 200, 300, 224, 324)
        page[500:502, 100:800] = INK
        grey, colour = infer(page), infer(np.stack([page] * 3, axis=2))
        np.testing.assert_array_equal(grey.shapes.box, colour.shapes.box)

    def test_large_page_is_shrunk_and_keeps_its_points(self):
        page = blank()
        box(page, 200, 300, 224, 324)
        page[500:502, 100:800] = INK
        small = infer(page)
        large = infer_primitives(Raster(page.repeat(4, 0).repeat(4, 1), 4 * SCALE))
        np.testing.assert_allclose(large.shapes.box, small.shapes.box, atol=1 / SCALE)

    def test_read_only_picture_is_left_alone(self):
        page = blank()
        page[500:502, 100:800] = INK
        page.flags.writeable = False
        assert len(infer(page)) == 1


class TestNoisyPictures:
    """Noisy pictures are averaged before edges are measured; pale hairlines on calm ones are kept."""

    def test_a_calm_picture_stays_as_it_is(self):
        pixels = blank()
        box(pixels, 100, 100, 400, 160)
        word(pixels, 100, 300)
        assert smooth(pixels) is pixels
        worn = noisy(np.clip(pixels, 30, 225), sigma=1.0)
        assert smooth(worn) is worn

    @pytest.mark.parametrize(("sigma", "left"), [(4.0, 0.5), (9.0, 0.35)])
    def test_noise_goes_down_and_edges_stay(self, sigma, left):
        pixels = blank(paper=215)
        pixels[:, 500:] = 30
        worn = noisy(pixels, sigma=sigma)
        calm = smooth(worn)
        assert calm.shape == worn.shape
        assert calm[:, :400].std() < left * worn[:, :400].std()
        assert ((calm[:, 480:520] < 122).argmax(axis=1) == 20).mean() > 0.95

    def test_pale_thin_rules_on_a_grey_sheet_are_found_where_there_is_little_noise(self):
        pixels = blank(paper=235)
        for y in range(100, 500, 50):
            box(pixels, 100, y, 600, y + 52, thickness=2, ink=170)
        rules = shapes(infer(noisy(pixels, sigma=1.2)), ShapeKind.LINE)
        level = rules[rules[:, 3] == rules[:, 1]]
        assert np.unique(level[:, 1].round()) == pytest.approx(np.arange(101, 502, 50), abs=1.5)
