# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.detect.acromeld.canvas import Placement, draw
from acromeld.detect.acromeld.contract import Canvases, RuntimeContract
from acromeld.detect.acromeld.inputs import Structure, feed, pad_tokens, read_inputs, read_tokens, token_boxes
from acromeld.pdf.page import Raster
from acromeld.structure.kinds import TokenKind
from tests.detect.acromeld.pages import page, picture, ruled

CANVASES = Canvases(portrait=(512, 384), landscape=(384, 512), square=(448, 448))
CONTRACT = RuntimeContract(
    name="small",
    canvases=CANVASES,
    channels=1,
    max_tokens=512,
    max_evidence=20,
    visual_queries=4,
    structure_queries=3,
    free_queries=2,
)


def slow_mean(raster: Raster, place: Placement, row: int, column: int) -> float:
    """Mean of the raster under one canvas pixel, by adding up every raster pixel's share."""
    ratio = raster.scale / place.fit.scale
    y, x = (row - place.fit.top) * ratio, (column - place.fit.left) * ratio
    dark = 0.0
    for i in range(int(np.floor(y)), int(np.ceil(y + ratio))):
        for j in range(int(np.floor(x)), int(np.ceil(x + ratio))):
            if 0 <= i < raster.pixels.shape[0] and 0 <= j < raster.pixels.shape[1]:
                share = (min(i + 1, y + ratio) - max(i, y)) * (min(j + 1, x + ratio) - max(j, x))
                dark += share * (255.0 - raster.pixels[i, j])
    return 255.0 - dark / ratio**2


@pytest.mark.parametrize("scale", [0.31, 0.64, 1.0, 2.37])
def test_every_canvas_pixel_is_the_mean_of_what_lies_under_it(scale):
    noise = np.random.default_rng(0).integers(
        0, 256, (round(800 * scale), round(600 * scale)), dtype=np.uint8
    )
    raster, place = Raster(noise, scale), Placement.of_page(600, 800, CANVASES)
    drawn = draw(raster, place, 1)[0]
    for row, column in [(0, 0), (5, 7), (256, 190), (511, 383), (300, 3), (12, 380)]:
        assert drawn[row, column] == pytest.approx(slow_mean(raster, place, row, column), abs=0.51)


def test_the_picture_lies_where_the_boxes_say():
    place = Placement.of_page(600, 800, CANVASES)
    dark = draw(picture(), place, 1)[0] < 128
    left, top, right, bottom = place.to_canvas(np.array([[100.0, 300, 200, 350]]))[0] * [384, 512, 384, 512]
    block = np.zeros_like(dark)
    block[round(top) : round(bottom), round(left) : round(right)] = True
    assert (dark[round(top) - 5 :] == block[round(top) - 5 :]).all()


def test_channels_follow_the_contract_whatever_the_raster_is():
    place = Placement.of_page(600, 800, CANVASES)
    grey = picture()
    colour = Raster(np.stack([grey.pixels] * 3, axis=2), grey.scale)
    expected = draw(grey, place, 1)
    assert (draw(colour, place, 1) == expected).all()
    assert draw(grey, place, 3).shape == (3, 512, 384)
    assert (draw(colour, place, 3) == expected).all()
    assert (draw(None, place, 1) == 255).all()


@given(st.floats(20, 3000), st.floats(20, 3000))
def test_boxes_come_back_from_the_canvas(width, height):
    place = Placement.of_page(width, height, CANVASES)
    boxes = np.array([[0.0, 0.0, 1.0, 1.0], [0.1, 0.2, 0.4, 0.9]]) * [width, height, width, height]
    assert np.allclose(place.to_page(place.to_canvas(boxes)), boxes, atol=1e-3 * max(width, height))


def test_canvas_follows_the_shape_of_the_page():
    assert CANVASES.for_page(595, 842) == (512, 384)
    assert CANVASES.for_page(842, 595) == (384, 512)
    assert CANVASES.for_page(600, 610) == (448, 448)


def test_one_raster_serves_the_canvas_and_the_structure_of_scans():
    assert CONTRACT.needs.raster_long_side == 1600
    large = CONTRACT.model_copy(
        update={
            "channels": 3,
            "canvases": Canvases(portrait=(2048, 1440), landscape=(32, 32), square=(64, 64)),
        }
    )
    assert large.needs.raster_long_side == 2048
    assert large.needs.colour


def test_own_inferred_and_no_structure():
    seen = page(primitives=ruled(), raster=picture())
    own = read_tokens(seen, CONTRACT)
    assert own.available
    assert own.descriptor[0, -1] == 0
    assert (own.kind >= len(TokenKind)).any(), "derived evidence"
    assert (read_tokens(seen, CONTRACT.model_copy(update={"max_evidence": 0})).kind < len(TokenKind)).all()
    inferred = read_tokens(seen, CONTRACT, Structure.INFERRED)
    assert inferred.available
    assert (inferred.descriptor[:, -1] == 1).all()
    none = read_tokens(seen, CONTRACT, Structure.NONE)
    assert (len(none), none.available) == (1, False)


def test_a_page_of_which_nothing_could_be_read_is_the_sentinel_on_white():
    inputs = read_inputs(page(), CONTRACT)
    assert (inputs.image == 255).all()
    assert not inputs.tokens.available
    expected = inputs.place.to_canvas(np.array([[0.0, 0, 600, 800]]))
    assert np.allclose(inputs.token_box, expected)


def test_what_the_graph_is_fed():
    inputs = read_inputs(page(primitives=ruled(), raster=picture()), CONTRACT)
    given_to_it = feed(inputs)
    count = len(inputs.tokens)
    assert {name: (array.shape, str(array.dtype)) for name, array in given_to_it.items()} == {
        "image": ((1, 1, 512, 384), "float32"),
        "kind": ((1, count), "int64"),
        "box": ((1, count, 4), "float32"),
        "descriptor": ((1, count, 32), "float32"),
        "text": ((1, count, 48), "uint8"),
        "available": ((1, count), "bool"),
    }
    assert given_to_it["image"].max() == 1.0
    assert given_to_it["image"].min() < 0.05


def test_shorter_pages_are_padded_and_masked():
    long = read_inputs(page(primitives=ruled(), raster=picture()), CONTRACT)
    short = read_inputs(page(), CONTRACT)
    both = pad_tokens([short.tokens, long.tokens], [short.token_box, token_boxes(long.tokens, long.place)])
    assert both.mask.sum(1).tolist() == [1, len(long.tokens)]
    assert both.available[1].all()
    assert not both.available[0].any()
    assert (both.text[0] == 0).all()


def test_origins_by_position():
    assert CONTRACT.origins == ("visual",) * 4 + ("structure",) * 3 + ("free",) * 2
