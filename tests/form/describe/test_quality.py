# SPDX-License-Identifier: Apache-2.0
"""The measures themselves: which tooltips count, and what the figures mean."""

import pytest

from acromeld.evaluate.form.human import human_text
from acromeld.evaluate.form.report import Quality, quality_tables
from acromeld.evaluate.form.resampling import ratio_interval
from acromeld.pdf.widgets import NativeWidget
from tests.form.describe.pages import CHOICE, TEXT, lines_at, page_of, words_at


@pytest.mark.parametrize(
    ("tooltip", "meant"),
    [
        ("Date of birth", "Date of birth"),
        ("Owner name(s)_Row_3", "Owner name(s) row 3"),
        ("Street [2]", "Street"),
        ("Datum_12", "Datum"),
        (" Two\r\nlines ", "Two lines"),
        ("姓名", "姓名"),
        ("Address_of_Business", None),
        ("QC2Response", None),
        ("RadioButtonList", None),
        ("undefined_37", None),
        ("L12", None),
        ("12", None),
        ("", None),
        ("form1[0].#subform[0].Name[0]", None),
    ],
)
def test_tooltips_written_for_people(tooltip, meant):
    assert human_text(tooltip) == meant


def _page():
    rows = ("Surname:", "First name:", "Occupation:")
    words = words_at([(row, 60, 100 + 24 * place) for place, row in enumerate(rows)] + [("Yes", 80, 200)])
    page = page_of(words, lines_at([(180, 102 + 24 * place, 400, 102 + 24 * place) for place in range(3)]))
    widgets = [
        NativeWidget(TEXT, (180, 90 + 24 * place, 400, 102 + 24 * place), tooltip=row.strip(":"))
        for place, row in enumerate(rows)
    ]
    return page, [*widgets, NativeWidget(CHOICE, (62, 191, 72, 201), tooltip="Yes")]


def test_labels_are_held_against_tooltips_and_the_baselines():
    quality = Quality()
    quality.add(*_page(), "document", "group")
    figures = quality.figures()
    assert figures["human"] == figures["fields"] == 4
    everything = figures["labels"]["all"]
    assert everything["ours"]["exact"] == 1.0
    assert everything["left"]["f1"] == pytest.approx(0.75)
    assert everything["left, right of boxes"]["exact"] == 1.0
    assert figures["labels"]["check box"]["fields"] == 1
    assert len(quality_tables(quality)) >= 2


def test_kinds_are_held_against_flags():
    page, widgets = _page()
    tall = NativeWidget(TEXT, (60, 300, 500, 420), multiline=True)
    quality = Quality()
    quality.add(page, [*widgets, tall], "document", "group")
    lines = quality.figures()["kinds"]["multi-line, ours"]
    assert (lines["targets"], lines["precision"], lines["recall"]) == (1, 1.0, 1.0)


def test_intervals_draw_whole_groups():
    alike = ratio_interval([("a", 1.0, 2.0), ("b", 1.0, 2.0)])
    assert alike is not None
    assert (alike.low, alike.high) == (0.5, 0.5)
    apart = ratio_interval([("a", 0.0, 1.0), ("b", 1.0, 1.0)])
    assert apart is not None
    assert (apart.low, apart.high) == (0.0, 1.0)
    assert ratio_interval([]) is None
