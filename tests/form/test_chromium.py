# SPDX-License-Identifier: Apache-2.0
"""The Tab key in Chromium's own PDF viewer."""

from itertools import pairwise

import pytest

from acromeld.fields import Field
from tests.form.chromium import shown
from tests.form.samples import TEXT, flat
from tests.form.tagged import tagged_form
from tests.form.test_tags import written

BOXES = [(120.0, y, 320.0, y + 18) for y in (380.0, 260.0, 420.0, 300.0)]
TYPED = ("1", "111", "111111", "11111111111")


@pytest.mark.parametrize("data", [flat(link=False), tagged_form()], ids=["untagged", "tagged"])
def test_tab_follows_the_order(data):
    fields = [
        Field(kind=TEXT, box=box, order=place, tooltip=f"Field {place}") for place, box in enumerate(BOXES)
    ]
    with shown(written(data, fields).data) as viewer:
        viewer.page.mouse.click(450, 850)
        for text in TYPED:
            viewer.page.keyboard.press("Tab")
            viewer.page.keyboard.type(text)
        # What is typed appears bit by bit; in any other order the boxes never come to look like this.
        viewer.until(lambda seen: longer_and_longer([viewer.ink_width(box, seen) for box in BOXES]))


def longer_and_longer(widths):
    return all(0 < first < second for first, second in pairwise(widths))
