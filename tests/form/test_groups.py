# SPDX-License-Identifier: Apache-2.0
"""Which boxes exclude each other, and the links this is decided by."""

import numpy as np
import pytest

from acromeld.errors import IntegrityError
from acromeld.fields import Field
from acromeld.form.describe.group_links import (
    DOWN,
    FEATURES,
    RIGHT,
    WRAP,
    describe_links,
    find_links,
    read_choices,
)
from acromeld.form.describe.group_weights import pack, shipped, unpack
from acromeld.form.describe.group_words import SHAPE, PageText, bucket, token
from acromeld.form.describe.groups import find_groups, join
from acromeld.pdf.page import Primitives, Shapes, Words
from tests.form.samples import CHOICE, TEXT

SIZE = 10.0


def printed(lines):
    """Words from ``(x, baseline, text)`` lines, six points a letter."""
    boxes, texts = [], []
    for x, y, line in lines:
        for word in line.split():
            boxes.append((x, y - 7.5, x + 5.0 * len(word), y + 2.0))
            texts.append(word)
            x += 5.0 * len(word) + 3.0
    count = len(texts)
    yes, no = np.ones(count, dtype=bool), np.zeros(count, dtype=bool)
    words = Words(
        np.array(boxes, dtype=float).reshape(-1, 4),
        tuple(texts),
        np.full(count, SIZE),
        np.full(count, 400.0),
        yes,
        no,
        yes,
    )
    return Primitives(words, Shapes.empty())


def ticks(*corners, side=10.0):
    return [Field(kind=CHOICE, box=(x, y, x + side, y + side)) for x, y in corners]


def questions(*options, count=4):
    """Some questions below each other, the same options to the right of each."""
    lines, fields = [], []
    for row in range(count):
        y = 100.0 + 40 * row
        lines.append((60.0, y + 8, f"Have you ever been to place {row} before?"))
        for place, option in enumerate(options):
            x = 330.0 + 80 * place
            fields += ticks((x, y))
            lines.append((x + 14, y + 8, option))
    return fields, printed(lines)


def test_yes_and_no_exclude_each_other_question_by_question():
    fields, page = questions("Yes", "No")
    assert find_groups(fields, page) == [(0, 1), (2, 3), (4, 5), (6, 7)]


def test_the_same_words_twice_are_two_questions():
    fields, page = questions("No", "No")
    assert find_groups(fields, page) == []


def test_without_words_nothing_is_joined():
    fields, _ = questions("Yes", "No")
    assert find_groups(fields, Primitives()) == []


def test_other_fields_keep_their_places():
    fields, page = questions("Yes", "No", count=2)
    mixed = [Field(kind=TEXT, box=(60, 300, 200, 316)), *fields]
    assert find_groups(mixed, page) == [(1, 2), (3, 4)]


def test_things_to_choose_freely_stay_loose():
    options = ["Gardening tools", "Camera equipment", "Musical instruments", "Sports gear", "Jewellery"]
    lines = [(60.0, 90.0, "Check all that apply. Which of these do you own?")]
    lines += [(84.0, 118.0 + 20 * row, option) for row, option in enumerate(options)]
    assert find_groups(ticks(*((60.0, 110.0 + 20 * row) for row in range(5))), printed(lines)) == []


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_boxes(count):
    assert find_groups(ticks(*[(60.0, 100.0)] * count), printed([(80, 108, "Yes")])) == []


def test_a_page_full_of_boxes():
    fields, page = questions("Yes", "No", count=150)
    groups = find_groups(fields, page)
    assert len(groups) == 150
    assert groups == find_groups(fields, page)


def test_links_go_right_down_and_to_the_next_row():
    boxes = np.array([field.box for field in ticks((60, 100), (140, 100), (60, 125), (300, 400))])
    assert find_links(boxes).tolist() == [[0, 1, RIGHT], [0, 2, DOWN], [1, 2, WRAP]]


def test_every_link_has_every_feature():
    fields, page = questions("Yes", "No")
    choices = read_choices(np.array([field.box for field in fields]), np.ones(8, dtype=bool), page)
    links = find_links(choices.box)
    table = np.zeros(SHAPE, dtype=np.float32)
    features = describe_links(choices, links, table)
    assert features.shape == (len(links), len(FEATURES))
    assert np.isfinite(features).all()
    assert describe_links(choices, links[:0], table).shape == (0, len(FEATURES))


def test_the_surest_links_come_first_and_doubtful_ones_never():
    fields, page = questions("Yes", "No", "Unsure", count=1)
    choices = read_choices(np.array([field.box for field in fields]), np.ones(3, dtype=bool), page)
    links = np.array([(0, 1, RIGHT), (1, 2, RIGHT)])
    assert join(choices, links, np.array([0.9, 0.5]), 0.85) == [[0, 1]]
    assert join(choices, links, np.array([0.9, 0.86]), 0.85) == [[0, 1, 2]]
    assert join(choices, links, np.array([0.1, 0.2]), 0.85) == []


def test_a_group_goes_on_with_single_boxes_the_way_it_runs():
    fields, page = questions("Ms", "Mr", "Mx", "Dr", count=1)
    choices = read_choices(np.array([field.box for field in fields]), np.ones(4, dtype=bool), page)
    links = np.array([(0, 1, RIGHT), (1, 2, RIGHT), (2, 3, RIGHT)])
    assert join(choices, links, np.array([0.9, 0.65, 0.7]), 0.85) == [[0, 1, 2, 3]], "one after the other"
    assert join(choices, links, np.array([0.7, 0.7, 0.7]), 0.85) == [], "nothing to go on from"
    assert join(choices, links, np.array([0.9, 0.7, 0.9]), 0.85) == [[0, 1], [2, 3]], "two groups stay two"
    links[1, 2] = DOWN
    assert join(choices, links, np.array([0.9, 0.7, 0.5]), 0.85) == [[0, 1]], "another way"
    assert join(choices, links, np.array([0.9, 0.7, 0.5]), 0.5) == [[0, 1, 2, 3]], "a lower threshold rules"


def test_words_around_a_box_end_at_the_next_field():
    fields, page = questions("Yes", "No", count=1)
    text = PageText.of(page.words)
    first, second = text.around(np.array([field.box for field in fields]), np.arange(2))
    assert [text.token[row] for row in first.right] == ["yes"]
    assert [text.token[row] for row in second.right] == ["no"]
    assert "ever" in {text.token[row] for row in first.around}


@pytest.mark.parametrize(
    ("word", "expected"), [("Yes,", "yes"), ("(12)", "0"), ("JA", "ja"), ("Так!", "так")]
)
def test_tokens(word, expected):
    assert token(word) == expected
    assert bucket(expected) == bucket(token(word))


def test_weights_are_bound_to_their_features():
    scorer = shipped()
    assert scorer.table.shape == SHAPE
    assert 0.5 < scorer.threshold < 1
    with pytest.raises(IntegrityError, match="other features"):
        unpack(pack(b"", np.zeros((1, 2), dtype=np.float32), 0.5))
    with pytest.raises(IntegrityError, match="damaged"):
        unpack(b"nonsense")
