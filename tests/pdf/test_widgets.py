# SPDX-License-Identifier: Apache-2.0
"""Native widgets: what counts as ground truth, and what is rejected and counted."""

import io
from collections import Counter

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from acromeld.fields import FieldKind
from acromeld.pdf.document import open_document
from acromeld.pdf.widgets import Rejection
from tests.pdf.drawn import drawn, saved

TEXT, CHOICE, SIGNATURE = FieldKind
RECT = (20, 200, 120, 220)


def widget(**entries):
    base = {
        "Type": Name.Annot,
        "Subtype": Name.Widget,
        "Rect": Array(RECT),
        "FT": Name.Tx,
        "T": String("a"),
        "F": 4,
    }
    return Dictionary({f"/{key}": value for key, value in (base | entries).items() if value is not None})


def found(*annotations, **page_entries):
    pdf = pikepdf.open(io.BytesIO(drawn("", **page_entries)))
    pdf.pages[0].obj["/Annots"] = Array([pdf.make_indirect(item) for item in annotations])
    with open_document(saved(pdf)) as document:
        return document.widgets(0)


@pytest.mark.parametrize(
    ("entries", "kind"),
    [
        ({"FT": Name.Tx}, TEXT),
        ({"FT": Name.Ch}, TEXT),
        ({"FT": Name.Btn}, CHOICE),
        ({"FT": Name.Btn, "Ff": 1 << 15}, CHOICE),
        ({"FT": Name.Sig}, SIGNATURE),
    ],
)
def test_kinds(entries, kind):
    (one,) = found(widget(**entries)).widgets
    assert one.kind is kind
    assert one.box == pytest.approx((20, 80, 120, 100))
    assert one.radio == (entries.get("Ff") == 1 << 15)


@pytest.mark.parametrize(
    ("entries", "rejection"),
    [
        ({"FT": Name.Btn, "Ff": 1 << 16}, (None, Rejection.PUSH_BUTTON)),
        ({"FT": None}, (None, Rejection.UNTYPED)),
        ({"FT": Name("/Xx")}, (None, Rejection.UNTYPED)),
        ({"F": 2}, (TEXT, Rejection.HIDDEN)),
        ({"F": 32}, (TEXT, Rejection.HIDDEN)),
        ({"Rect": Array([20, 200, 21, 220])}, (TEXT, Rejection.DEGENERATE)),
        ({"Rect": Array([20, 200, 20, 200])}, (TEXT, Rejection.DEGENERATE)),
        ({"Rect": None}, (TEXT, Rejection.DEGENERATE)),
        ({"Rect": Array([20, 200, 220])}, (TEXT, Rejection.DEGENERATE)),
        ({"Rect": String("here")}, (TEXT, Rejection.DEGENERATE)),
        ({"Rect": Array([Name.A, 1, 2, 3])}, (TEXT, Rejection.DEGENERATE)),
        ({"Rect": Array([900, 200, 990, 220])}, (TEXT, Rejection.OFF_PAGE)),
    ],
)
def test_rejections_are_counted(entries, rejection):
    page = found(widget(**entries))
    assert page.widgets == ()
    assert page.rejected == Counter({rejection: 1})


def test_other_annotations_are_not_widgets():
    link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array(RECT))
    page = found(link, widget())
    assert len(page.widgets) == 1
    assert page.widgets[0].order == 1
    assert not page.rejected


def test_attributes_come_from_the_ancestors():
    root = Dictionary(T=String("person"), FT=Name.Tx, Ff=1 << 12, TU=String("Who are you?"))
    (one,) = found(widget(FT=None, T=String("name"), Parent=root)).widgets
    assert (one.name, one.tooltip, one.multiline) == ("person.name", "Who are you?", True)


def test_a_family_tree_that_is_a_circle():
    pdf = pikepdf.open(io.BytesIO(drawn("")))
    made = pdf.make_indirect(widget(FT=None))
    made["/Parent"] = made
    pdf.pages[0].obj["/Annots"] = Array([made])
    with open_document(saved(pdf)) as document:
        assert document.widgets(0).rejected == Counter({(None, Rejection.UNTYPED): 1})


@pytest.mark.parametrize(("length", "comb"), [(9, 9), (0, None), (None, None)])
def test_combs(length, comb):
    (one,) = found(widget(Ff=1 << 24, MaxLen=length)).widgets
    assert one.comb == comb


def test_boxes_are_displayed_ones():
    (one,) = found(widget(), Rotate=90, CropBox=Array([10, 10, 200, 300]), UserUnit=2).widgets
    assert one.box == pytest.approx((380, 20, 420, 220))


@pytest.mark.parametrize("annotations", [Name("/None"), Array([1, String("x"), Name.A])])
def test_a_list_of_annotations_that_is_none(annotations):
    with open_document(drawn("", Annots=annotations)) as document:
        assert document.widgets(0).widgets == ()


def test_names_that_are_no_text_are_read_as_far_as_they_go():
    """A string with the mark of UTF-8 and other bytes after it, for which pikepdf raises."""
    broken = String(b"\xef\xbb\xbfab\xff\x80")
    (one,) = found(widget(T=broken, TU=broken)).widgets
    assert (one.name, one.tooltip) == ("ab\ufffd\ufffd", "ab\ufffd\ufffd")
