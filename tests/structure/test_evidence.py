# SPDX-License-Identifier: Apache-2.0
"""Places to write and to tick, one sort at a time."""

import numpy as np
import pytest

from acromeld.pdf.page import Primitives, ShapeKind
from acromeld.structure.evidence import EvidenceKind, derive_evidence
from acromeld.structure.marks import bracket_marks, drawn_marks, glyph_marks
from tests.structure.made_up import HEIGHT, WIDTH, across, down, grid, joined, shapes, words

NOTHING = shapes([])


def evidence(kind, text=None, drawing=NOTHING):
    found = derive_evidence(Primitives(text or words(), drawing), WIDTH, HEIGHT)
    return found.box[found.kind == kind].tolist()


def test_the_space_above_a_rule_ends_at_the_label():
    (box,) = evidence(
        EvidenceKind.RULE_SPACE, words(("Name", (50, 190, 90, 199))), shapes([across(200, 50, 300)])
    )
    assert box[0] == 90
    assert box[2:] == [300, 200]
    assert 10 <= box[3] - box[1] <= 25


def test_the_space_above_a_rule_is_cut_by_every_word_and_tick():
    text = words(("from", (50, 190, 80, 199)), ("to", (160, 190, 180, 199)))
    found = evidence(EvidenceKind.RULE_SPACE, text, shapes([across(200, 50, 300)]))
    assert [[box[0], box[2]] for box in found] == [[80, 160], [180, 300]]
    comb = shapes([across(200, 50, 110), *(down(x, 190, 200) for x in (50, 70, 90, 110))])
    found = evidence(EvidenceKind.RULE_SPACE, drawing=comb)
    assert [[round(box[0]), round(box[2])] for box in found] == [[50, 70], [70, 90], [90, 110]]


def test_the_space_above_a_rule_stops_below_what_is_printed_over_it():
    text = words(("Printed", (100, 175, 200, 186)))
    (box,) = evidence(EvidenceKind.RULE_SPACE, text, shapes([across(200, 50, 300)]))
    assert box[1] == 186
    found = evidence(EvidenceKind.RULE_SPACE, drawing=shapes([across(200, 50, 300), across(188, 50, 300)]))
    assert [box[1] for box in found if box[3] == 200] == [188]


def test_text_under_a_rule_does_not_cut_it():
    text = words(("(signature)", (120, 201, 200, 210)))
    (box,) = evidence(EvidenceKind.RULE_SPACE, text, shapes([across(200, 50, 300)]))
    assert [box[0], box[2]] == [50, 300]


def test_underlined_words_leave_no_space():
    assert (
        evidence(
            EvidenceKind.RULE_SPACE, words(("Heading", (50, 188, 150, 199))), shapes([across(200, 50, 150)])
        )
        == []
    )


def test_underscore_runs_on_one_line_are_joined():
    text = words(
        ("____", (100, 190, 140, 200)), ("____", (141, 190, 180, 200)), ("___", (250, 190, 280, 200))
    )
    found = evidence(EvidenceKind.UNDERSCORES, text)
    assert [[box[0], box[2], box[3]] for box in found] == [[100, 180, 200], [250, 280, 200]]
    assert all(box[3] - box[1] == pytest.approx(11) for box in found)


def test_leaders_are_not_underscores():
    text = words(("......", (100, 190, 180, 200)))
    assert len(evidence(EvidenceKind.LEADER, text)) == 1
    assert evidence(EvidenceKind.UNDERSCORES, text) == []


def test_the_gap_after_a_label_runs_to_the_margin_or_the_next_word():
    text = words(
        ("Name:", (50, 190, 90, 200)), ("Date:", (300, 190, 340, 200)), ("end", (470, 230, 500, 240))
    )
    found = evidence(EvidenceKind.LABEL_GAP, text)
    spans = [[box[0], box[2]] for box in found if box[1] < 200]
    assert spans[0] == [92, 299]
    assert spans[1] == [342, pytest.approx(499, abs=8)]


def test_what_is_left_of_a_cell_below_its_label():
    table = shapes(grid([50.0, 300.0], [100.0, 140.0]))
    (rest,) = evidence(EvidenceKind.CELL_REST, words(("Name", (54, 103, 90, 112))), table)
    assert rest == [50, 112, 300, 140]
    assert evidence(EvidenceKind.CELL, drawing=table) == [[50, 100, 300, 140]]
    assert evidence(EvidenceKind.CELL_REST, drawing=table) == []


def test_panels_are_light_boxes_large_enough_to_write_in():
    stroked = shapes([(50, 100, 200, 120)], ShapeKind.RECT, segments=4)
    tinted = shapes([(50, 200, 200, 220)], ShapeKind.RECT, stroke=0, filled=True, fill=0.9, segments=4)
    banner = shapes([(50, 300, 200, 320)], ShapeKind.RECT, stroke=0, filled=True, fill=0.1, segments=4)
    rounded = shapes([(50, 400, 200, 420)], ShapeKind.PATH, curves=4, segments=8)
    found = evidence(EvidenceKind.PANEL, drawing=joined(stroked, tinted, banner, rounded))
    assert [box[1] for box in found] == [100, 200, 400]


def test_drawn_marks():
    square = shapes([(50, 50, 60, 60)], ShapeKind.RECT, segments=4)
    circle = shapes([(80, 50, 90, 60)], ShapeKind.PATH, curves=4, segments=4)
    speck = shapes([(110, 50, 112, 52)], ShapeKind.RECT, segments=4)
    wide = shapes([(140, 50, 170, 60)], ShapeKind.RECT, segments=4)
    squares, circles = drawn_marks(joined(square, circle, speck, wide))
    assert squares.tolist() == [[50, 50, 60, 60]]
    assert circles.tolist() == [[80, 50, 90, 60]]


def test_four_short_lines_are_a_check_box():
    drawing = shapes(grid([50.0, 62.0], [100.0, 112.0]))
    assert evidence(EvidenceKind.SQUARE, drawing=drawing) == [[50, 100, 62, 112]]
    assert evidence(EvidenceKind.CELL, drawing=drawing) == []


@pytest.mark.parametrize("glyph", ["☐", "□", "❏", "○", "🔲"])
def test_box_glyphs_of_unicode(glyph):
    assert len(glyph_marks(words((glyph, (50, 50, 60, 60))))) == 1


def test_glyphs_of_symbol_fonts_count_by_size():
    assert len(glyph_marks(words(("o", (50, 50, 60, 60)), symbolic=True))) == 1
    assert len(glyph_marks(words(("o", (50, 50, 60, 60))))) == 0
    assert len(glyph_marks(words(("·", (50, 50, 52, 52)), symbolic=True))) == 0


@pytest.mark.parametrize("text", ["[]", "[_]", "[x]", "()", "(_)", "{_}"])
def test_brackets_in_one_word(text):
    assert bracket_marks(words((text, (50, 50, 62, 60)))).tolist() == [[50, 50, 62, 60]]


@pytest.mark.parametrize("text", ["[a]", "(see", "word", "(1)", "[5]"])
def test_brackets_around_something_are_no_marks(text):
    assert len(bracket_marks(words((text, (50, 50, 62, 60))))) == 0


def test_brackets_in_two_words_with_room_between():
    (box,) = bracket_marks(words(("[", (50, 50, 53, 60)), ("]", (60, 50, 63, 60))))
    assert box.tolist() == [50, 50, 63, 60]
    (box,) = bracket_marks(words(("Yes(", (30, 50, 50, 60)), (")No", (60, 50, 75, 60))))
    assert box.tolist() == [45, 50, 65, 60]
    assert len(bracket_marks(words(("[", (50, 50, 53, 60)), ("]", (150, 50, 153, 60))))) == 0
    assert len(bracket_marks(words(("[", (50, 50, 53, 60)), ("]", (60, 70, 63, 80))))) == 0


def test_evidence_lies_on_the_page_and_does_not_repeat():
    table = shapes([*grid([-50.0, 300.0], [100.0, 140.0]), *grid([-50.0, 300.0], [100.0, 140.0])])
    found = derive_evidence(Primitives(words(), table), WIDTH, HEIGHT)
    assert found.box.min() >= 0
    assert len(np.unique(np.column_stack([found.kind, found.box]), axis=0)) == len(found)


def test_a_frame_around_the_page_is_no_field():
    frame = shapes([(10, 10, WIDTH - 10, HEIGHT - 10)], ShapeKind.RECT, segments=4)
    assert evidence(EvidenceKind.PANEL, drawing=frame) == evidence(EvidenceKind.CELL, drawing=frame) == []


def test_graph_paper_gives_a_bounded_number_of_cells_the_largest_ones():
    xs, ys = [10 + 5.0 * n for n in range(81)], [10 + 5.0 * n for n in range(81)]
    field = grid([450.0, 590.0], [700.0, 730.0])
    found = derive_evidence(Primitives(words(), shapes(grid(xs, ys) + field)), WIDTH, HEIGHT)
    assert len(found) <= 3 * 2_000
    assert [450, 700, 590, 730] in found.box.tolist()


def test_an_empty_page():
    assert len(derive_evidence(Primitives(), WIDTH, HEIGHT)) == 0
