# SPDX-License-Identifier: Apache-2.0
"""Tokens and their selection, as the paper defines them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.pdf.page import Primitives, ShapeKind
from acromeld.structure.descriptor import DESCRIPTOR
from acromeld.structure.kinds import TokenKind
from acromeld.structure.selection import MAX_TOKENS, STAGE_ONE, select
from acromeld.structure.tokens import MAX_BYTES, cut_utf8, page_tokens, unavailable
from tests.structure.made_up import HEIGHT, WIDTH, joined, scattered, shapes, words

AT = {name: index for index, (name, _) in enumerate(DESCRIPTOR)}


def tokens(primitives, **options):
    return page_tokens(primitives, WIDTH, HEIGHT, **options)


def test_thirty_two_dimensions_each_with_a_name_and_a_meaning():
    assert len(DESCRIPTOR) == len(AT) == 32
    assert all(name and meaning for name, meaning in DESCRIPTOR)


def test_shapes_and_types_of_the_arrays():
    made = tokens(scattered(40))
    assert (made.kind.shape, made.kind.dtype) == ((41,), np.int8)
    assert (made.box.shape, made.box.dtype) == ((41, 4), np.float32)
    assert (made.descriptor.shape, made.descriptor.dtype) == ((41, 32), np.float32)
    assert (made.text.shape, made.text.dtype) == ((41, MAX_BYTES), np.uint8)
    assert made.available
    assert np.isfinite(made.descriptor).all()
    assert made.descriptor.min() >= -1
    assert made.descriptor.max() <= 2


@pytest.mark.parametrize("nothing", [None, Primitives()])
def test_a_page_without_structure_is_one_unavailable_page_token(nothing):
    made = tokens(nothing)
    assert len(made) == 1
    assert not made.available
    assert made.kind.tolist() == [TokenKind.PAGE]
    assert made.box.tolist() == [[0, 0, 1, 1]]
    assert not made.descriptor.any()
    assert not made.text.any()
    assert len(unavailable()) == 1


def test_the_page_comes_first_then_primitives_in_content_order():
    text = words(("Name:", (60, 80, 120, 96)), ("_____", (130, 80, 300, 96)))
    drawing = joined(
        shapes([(60, 200, 540, 200)]),
        shapes([(60, 300, 70, 310)], ShapeKind.RECT, segments=4),
        shapes([(90, 300, 100, 310)], ShapeKind.PATH, curves=4, segments=4),
        shapes([(0, 0, 60, 60)], ShapeKind.IMAGE),
    )
    made = tokens(Primitives(text, drawing))
    assert made.kind.tolist() == [
        TokenKind.PAGE,
        TokenKind.WORD,
        TokenKind.WORD,
        TokenKind.LINE,
        TokenKind.RECTANGLE,
        TokenKind.PATH,
        TokenKind.IMAGE,
    ]
    np.testing.assert_allclose(made.box[1], [0.1, 0.1, 0.2, 0.12], rtol=1e-6)
    assert bytes(made.text[1]).rstrip(b"\0") == b"Name:"
    assert not made.text[3:].any()


def test_what_the_descriptor_says():
    text = words(("Total9:", (60, 80, 120, 96)), ("____", (130, 80, 300, 96)), size=12)
    drawing = joined(
        shapes([(60, 200, 540, 200)], stroke=2.0, ink=0.25),
        shapes([(60, 300, 70, 310)], ShapeKind.RECT, filled=True, fill=0.5, segments=4),
        shapes([(90, 300, 90, 410)]),
    )
    made = tokens(Primitives(text, drawing))

    def column(name):
        return made.descriptor[1:, AT[name]]

    np.testing.assert_allclose(column("centre x")[0], 0.15)
    np.testing.assert_allclose(column("font size")[:2], 0.5)
    np.testing.assert_allclose(column("font weight")[:2], 0.4)
    np.testing.assert_allclose(column("letters")[0], 5 / 7)
    np.testing.assert_allclose(column("digits")[0], 1 / 7)
    np.testing.assert_allclose(column("upper case")[0], 1 / 7)
    assert column("ends with colon").tolist() == [1, 0, 0, 0, 0]
    assert column("blank run").tolist() == [0, 1, 0, 0, 0]
    assert column("visible").tolist() == [1, 1, 0, 0, 0]
    assert column("horizontal rule").tolist() == [0, 0, 1, 0, 0]
    assert column("vertical rule").tolist() == [0, 0, 0, 0, 1]
    assert column("small square").tolist() == [0, 0, 0, 1, 0]
    assert column("stroke width").tolist() == [0, 0, 0.5, 0.25, 0.25]
    assert column("filled").tolist() == [0, 0, 0, 1, 0]
    assert column("fill luminance").tolist() == [0, 0, 1, 0.5, 1]
    assert column("stroke luminance")[2] == 0.25
    np.testing.assert_allclose(made.descriptor[0, AT["words on page"]], np.log(3) / 8)
    np.testing.assert_allclose(made.descriptor[0, AT["shapes on page"]], np.log(4) / 8)


def test_inferred_structure_says_so():
    assert tokens(scattered(9), inferred=True).descriptor[:, AT["inferred"]].tolist() == [1] * 10
    assert not tokens(scattered(9)).descriptor[:, AT["inferred"]].any()


@given(st.text(max_size=60))
def test_text_is_cut_at_a_character_boundary(text):
    cut = cut_utf8(text)
    assert len(cut) <= MAX_BYTES
    kept = cut.decode("utf-8")
    whole = text.encode("utf-8", "replace").decode()
    assert whole.startswith(kept)
    following = whole[len(kept) : len(kept) + 1].encode()
    assert not following or len(cut) + len(following) > MAX_BYTES


@pytest.mark.parametrize(
    ("text", "length"),
    [("a" * 99, 48), ("é" * 30, 48), ("x" + "é" * 30, 47), ("申" * 20, 48), ("a" + "😀" * 12, 45)],
)
def test_known_cuts(text, length):
    assert len(cut_utf8(text)) == length


def buckets(box, kind, cells):
    """Grid cell and kind of each primitive, by the centre of its box."""
    centre = np.clip((box[:, :2] + box[:, 2:]) / 2 * cells, 0, cells - 1).astype(int)
    return [(x, y, k) for (x, y), k in zip(centre.tolist(), kind.tolist(), strict=True)]


def drawn_page(count, seed, clumped):
    """Boxes, kinds and form-likeness; clumped pages have most primitives in one corner."""
    random = np.random.default_rng(seed)
    corner = random.uniform(0, 0.95, (count, 2)) ** (6 if clumped else 1)
    box = np.hstack([corner, corner + random.uniform(0, 0.05, (count, 2))])
    return box, random.integers(1, 6, count).astype(np.int8), random.random(count) < 0.2


counts = st.sampled_from([0, 1, 511, 512, 900, 1_535, 1_536, 4_000])


@given(counts, st.integers(0, 5), st.booleans())
def test_selection_is_bounded_ordered_and_deterministic(count, seed, clumped):
    page = drawn_page(count, seed, clumped)
    rows = select(*page)
    assert len(rows) == min(count, MAX_TOKENS - 1)
    assert (np.diff(rows) > 0).all()
    assert np.array_equal(rows, select(*page))


@given(st.sampled_from([600, 1_535, 1_536, 5_000]), st.integers(0, 5), st.booleans())
def test_every_occupied_cell_and_kind_is_represented_if_there_is_room(count, seed, clumped):
    box, kind, form_like = drawn_page(count, seed, clumped)
    kept_by_stage_one = select(box, kind, form_like, limit=STAGE_ONE)
    there = set(buckets(box[kept_by_stage_one], kind[kept_by_stage_one], 16))
    rows = select(box, kind, form_like)
    chosen = set(buckets(box[rows], kind[rows], 16))
    assert chosen <= there
    if len(there) <= MAX_TOKENS - 1:
        assert chosen == there
    else:
        assert len(chosen) == MAX_TOKENS - 1


def test_the_coverage_property_is_met_with_room_to_spare_and_without():
    """Both sides of the property above are really reached by the pages it draws."""
    sizes = []
    for clumped in (True, False):
        box, kind, form_like = drawn_page(5_000, 0, clumped)
        rows = select(box, kind, form_like, limit=STAGE_ONE)
        sizes.append(len(set(buckets(box[rows], kind[rows], 16))))
    assert sizes[0] < MAX_TOKENS < sizes[1]


@given(st.integers(0, 5), st.booleans())
def test_stage_one_covers_every_cell_and_kind_of_its_own_grid(seed, clumped):
    box, kind, form_like = drawn_page(6_000, seed, clumped)
    rows = select(box, kind, form_like, limit=STAGE_ONE)
    assert len(rows) == STAGE_ONE
    assert set(buckets(box[rows], kind[rows], 12)) == set(buckets(box, kind, 12))


def test_form_like_primitives_come_before_the_others():
    count = 1_200
    box = np.tile([[0.5, 0.5, 0.51, 0.51]], (count, 1))
    kind = np.full(count, TokenKind.LINE, dtype=np.int8)
    form_like = np.zeros(count, dtype=np.bool_)
    form_like[-300:] = True
    rows = select(box, kind, form_like)
    assert form_like[rows].sum() == 300


def test_pages_that_fit_keep_everything_whatever_the_order():
    page = scattered(300, seed=3)
    order = np.random.default_rng(0).permutation(len(page.shapes))
    shuffled = Primitives(page.words, page.shapes.take(order))
    ours, theirs = tokens(page), tokens(shuffled)
    back = np.concatenate([np.arange(151), 151 + np.argsort(order)])
    but_order = [index for name, index in AT.items() if name != "content order"]
    assert np.array_equal(ours.box, theirs.box[back])
    assert np.array_equal(ours.descriptor[:, but_order], theirs.descriptor[back][:, but_order])


def test_crowded_pages_give_the_same_tokens_every_time():
    page = scattered(5_000, seed=1)
    first, second = tokens(page), tokens(page)
    assert len(first) == MAX_TOKENS
    assert all(np.array_equal(vars(first)[name], vars(second)[name]) for name in vars(first))


def test_boxes_are_clipped_to_the_page():
    made = tokens(Primitives(words(), shapes([(-100, -100, 9_999, 50)], ShapeKind.RECT)))
    assert made.box[1].tolist() == [0, 0, 1, pytest.approx(50 / HEIGHT)]
