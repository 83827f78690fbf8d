# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from acromeld.errors import InputNotFound
from acromeld.geometry import as_boxes
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.limits import Limits
from acromeld.peers.commonforms.profiles import PROFILES, profile_named, published
from acromeld.peers.commonforms.render import Picture, render_scale

LETTER = (612.0, 792.0)


def test_packaged_renders_at_144_dpi_and_plain_by_the_short_side() -> None:
    assert render_scale(LETTER, PROFILES["packaged"]) == 2.0
    assert render_scale(LETTER, PROFILES["plain1216"]) == pytest.approx(1680 / 612)
    assert render_scale(LETTER[::-1], PROFILES["plain1216"]) == pytest.approx(1680 / 612)


@pytest.mark.parametrize("profile", list(PROFILES.values()), ids=lambda profile: profile.name)
def test_a_poster_stays_within_the_pixel_limit(profile: object) -> None:
    size = (100.0, 14_000.0)
    scale = render_scale(size, profile, Limits(raster_pixels=1_000_000))
    assert size[0] * size[1] * scale**2 == pytest.approx(1_000_000)


def test_pixels_become_points_on_each_axis() -> None:
    picture = Picture(np.zeros((400, 200, 3), dtype=np.uint8), PageFrame((0, 0, 100, 199)))
    assert picture.to_points(as_boxes([[20, 40, 200, 400]])).tolist() == [[10, 19.9, 100, 199]]
    assert picture.notes() == ()


def test_a_picture_of_another_shape_is_noted() -> None:
    picture = Picture(np.zeros((200, 400, 3), dtype=np.uint8), PageFrame((0, 0, 100, 200)))
    assert picture.notes() == ("PDFium shows this page in another shape.",)


def test_unknown_names_are_a_sentence() -> None:
    with pytest.raises(InputNotFound, match="choose from packaged, plain1216"):
        profile_named("fast")
    with pytest.raises(InputNotFound, match="choose from l, s"):
        published("xl")
