# SPDX-License-Identifier: Apache-2.0
"""Samples and the text of reports, apart from commands."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.errors import InputNotFound
from acromeld.evaluate.report.figures import trajectory
from acromeld.evaluate.report.rendering import Section, csv_text, html_page, markdown
from acromeld.evaluate.report.tables import Table, number
from acromeld.evaluate.sampling import sample_pages

PAGES = [(hashlib.sha256(bytes([n])).hexdigest(), page) for n in range(20) for page in range(3)]
TABLE = Table("t", "A <b>table</b>", ("system", "TP", "F1"), (("a|b <c>", "1,234", "–"), ("d", "5", "0.5")))


@given(st.integers(1, 60), st.integers(1, 60), st.integers())
def test_a_smaller_sample_is_part_of_a_larger_one(first: int, second: int, seed: int) -> None:
    small, large = sorted((first, second))
    assert set(sample_pages(PAGES, small, seed)) <= set(sample_pages(PAGES, large, seed))
    assert len(sample_pages(reversed(PAGES), large, seed)) == large


def test_a_sample_does_not_depend_on_the_order_of_pages_but_on_the_seed() -> None:
    assert sample_pages(PAGES, 10, 1) == sample_pages(PAGES[::-1], 10, 1)
    assert sample_pages(PAGES, 10, 1) != sample_pages(PAGES, 10, 2)


@pytest.mark.parametrize("count", [0, 61])
def test_a_sample_that_cannot_be_drawn_is_refused(count: int) -> None:
    with pytest.raises(InputNotFound, match=f"{count} pages"):
        sample_pages(PAGES, count, 0)


def test_undefined_is_a_dash_for_people_and_nothing_for_machines() -> None:
    assert number(None) == "–"
    assert number(0.0) == "0.0000"
    assert csv_text(TABLE).splitlines()[1:] == ["a|b <c>,1234,", "d,5,0.5"]


def test_names_cannot_break_the_page() -> None:
    section = Section("s", "Heading & more", ("A <i>sentence</i>.",), (TABLE,))
    page, text = html_page("Title <x>", [section]), markdown("Title", [section])
    assert "<c>" not in page
    assert "<i>" not in page
    assert "a|b &lt;c&gt;" in page
    assert "| a\\|b <c> | 1,234 | – |" in text


def test_one_epoch_has_no_trajectory() -> None:
    assert trajectory([{"epoch": 0, "f1": 0.5}]) is None
    assert trajectory([{"note": "a"}, {"note": "b"}]) is None
    drawn = trajectory([{"epoch": 0, "f1": 0.5}, {"epoch": 1, "f1": 0.6, "done": True}])
    assert drawn is not None
    assert b"<svg" in drawn.svg
