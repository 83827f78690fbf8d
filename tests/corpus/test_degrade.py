# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from acromeld.corpus import degrade as degrader
from acromeld.corpus.degrade import Degradation, degrade


def page(shape):
    pixels = np.full(shape, 255, dtype=np.uint8)
    pixels[20:24, 10:90] = 0
    pixels[40:60, 30:50] = 90
    return pixels


@pytest.mark.parametrize("shape", [(80, 100), (80, 100, 3), (33, 47), (17, 9, 3)])
def test_shape_and_type_stay_and_pixels_change(shape):
    before = page(shape)
    after = degrade(before, np.random.default_rng(3))
    assert after.shape == shape
    assert after.dtype == np.uint8
    assert np.mean(after != before) > 0.2


def test_same_generator_state_same_pixels_and_input_untouched():
    before = page((80, 100, 3))
    kept = before.copy()
    one, two = (degrade(before, np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(one, two)
    assert np.array_equal(before, kept)
    assert not np.array_equal(one, degrade(before, np.random.default_rng(8)))


def test_what_was_drawn_stays_where_it_was():
    after = degrade(page((80, 100)), np.random.default_rng(1)).astype(float)
    rows = after[:, 12:88].mean(axis=1)
    assert 20 <= int(np.argmin(rows)) < 24
    assert rows[21] < rows[5] - 60


def test_parameters_stay_in_their_documented_ranges():
    rng = np.random.default_rng(0)
    for how in (Degradation.sample(rng) for _ in range(300)):
        assert degrader.BLUR[0] <= how.blur <= degrader.BLUR[1]
        assert degrader.CONTRAST[0] <= how.contrast <= degrader.CONTRAST[1]
        assert degrader.BRIGHTNESS[0] <= how.brightness <= degrader.BRIGHTNESS[1]
        assert degrader.NOISE[0] <= how.noise <= degrader.NOISE[1]
        assert degrader.JPEG_QUALITY[0] <= how.quality <= degrader.JPEG_QUALITY[1]
