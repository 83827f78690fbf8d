# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from acromeld.peers.commonforms.augment import PAD, answer, shrink
from acromeld.peers.commonforms.postprocess import candidates
from tests.peers.doubles import Cells, FakeNetwork, dark_spot, silent

CANVAS = (320, 256)


def _canvas(x0: int = 64, y0: int = 96, x1: int = 128, y1: int = 112) -> Cells:
    canvas = np.ones((3, *CANVAS), dtype=np.float32)
    canvas[:, y0:y1, x0:x1] = 0.0
    return canvas


def _numbered(images: Cells) -> Cells:
    """Cells whose first score counts them, so that one can see which were left out."""
    cells = silent(images)
    cells[0, 4] = np.arange(1, cells.shape[2] + 1)
    return cells


def _cells(height: int, width: int) -> tuple[int, int, int]:
    fine, middle, coarse = ((height // stride) * (width // stride) for stride in (8, 16, 32))
    return fine, middle, coarse


def test_one_pass_is_the_networks_answer_unchanged() -> None:
    network = FakeNetwork(dark_spot)
    canvas = _canvas()
    cells = answer(network, canvas, augment=False)
    assert len(network.seen) == 1
    assert (network.seen[0][0] == canvas).all()
    assert candidates(cells).box.tolist() == [[64, 96, 128, 112]]


def test_three_passes_see_whole_strides_mirrored_in_the_middle() -> None:
    network = FakeNetwork(silent)
    answer(network, _canvas(), augment=True)
    assert [images.shape[2:] for images in network.seen] == [(320, 256), (288, 224), (224, 192)]
    whole, mirrored, small = (images[0, 0] for images in network.seen)
    assert whole[104, 96] == mirrored[int(104 * 0.83), int((256 - 96) * 0.83)] == small[69, 64] == 0.0
    assert mirrored[int(104 * 0.83), int(96 * 0.83)] == 1.0


def test_the_three_passes_agree_on_where_the_field_is() -> None:
    cells = answer(FakeNetwork(dark_spot), _canvas(), augment=True)
    found = candidates(cells)
    assert found.score.tolist() == pytest.approx([0.9] * 3)
    # A pass sees whole pixels of a smaller picture, hence up to two pixels of this one.
    np.testing.assert_allclose(found.box, [[64, 96, 128, 112]] * 3, atol=2.0)


def test_sizes_are_divided_by_the_scale_and_the_mirror_moves_only_the_centre() -> None:
    def reply(images: Cells) -> Cells:
        cells = silent(images)
        middle = cells.shape[2] * 17 // 21
        cells[0, :5, middle] = 83.0, 41.5, 16.6, 8.3, 0.5
        return cells

    found = answer(FakeNetwork(reply), _canvas(), augment=True)
    rows = found[:4, found[4] > 0].T
    np.testing.assert_allclose(rows[0], [83.0, 41.5, 16.6, 8.3], rtol=1e-5)
    np.testing.assert_allclose(rows[1], [256 - 100.0, 50.0, 20.0, 10.0], rtol=1e-5)
    np.testing.assert_allclose(rows[2], np.array([83.0, 41.5, 16.6, 8.3]) / 0.67, rtol=1e-5)


def test_the_coarse_tail_of_the_first_and_the_fine_head_of_the_last_pass_are_left_out() -> None:
    cells = answer(FakeNetwork(_numbered), _canvas(), augment=True)[4]
    first, middle, last = _cells(320, 256), _cells(288, 224), _cells(224, 192)
    kept = [
        np.arange(1, first[0] + first[1] + 1),
        np.arange(1, sum(middle) + 1),
        np.arange(last[0] + 1, sum(last) + 1),
    ]
    assert cells.tolist() == np.concatenate(kept).tolist()


def test_a_shrunken_canvas_is_padded_below_and_to_the_right() -> None:
    small = shrink(_canvas(), 0.67)
    assert small.shape == (3, 224, 192)
    assert (small[:, 214:] == np.float32(PAD)).all()
    assert (small[:, :, 171:] == np.float32(PAD)).all()
    assert (small[:, :214, :171] != np.float32(PAD)).all()
