# SPDX-License-Identifier: Apache-2.0
"""Radio fields: one answer among several buttons, in the file and in viewers."""

import numpy as np
import pytest
from pikepdf import String

from acromeld.fields import Field, Mark, PageFields, PageRef
from acromeld.form.from_widgets import fields_from_widgets
from acromeld.form.states import option_states
from acromeld.form.writer import apply_fields
from acromeld.pdf.source import open_pikepdf, page_frame
from tests.form.pdfium_user import PdfiumUser, fill
from tests.form.samples import (
    CHOICE,
    TEXT,
    add_widget,
    edited,
    fields_for,
    flat,
    opened,
    paged,
    source,
    widgets,
)

BOXES = [(100.0 + 60 * place, 130.0, 112.0 + 60 * place, 142.0) for place in range(3)]
RADIO, NO_TOGGLE = 1 << 15, 1 << 14


def buttons(options, **entries):
    common = {"tooltip": "Favourite colour", "name": "colour", "group": "g1", **entries}
    return [
        Field(kind=CHOICE, box=box, option=option, **common)
        for box, option in zip(BOXES, options, strict=False)
    ]


def written(fields, data=None):
    document = source(data or flat())
    return apply_fields(document, fields_for(document, fields)).data


def test_one_field_with_a_widget_for_each_option():
    with opened(written(buttons(["red", "green", "dark blue"]))) as pdf:
        (field,) = pdf.Root.AcroForm.Fields
        assert int(field.Ff) & (RADIO | NO_TOGGLE) == RADIO | NO_TOGGLE
        assert (field.FT, str(field.T), str(field.TU), field.V) == (
            "/Btn",
            "colour",
            "Favourite colour",
            "/Off",
        )
        assert "/Opt" not in field
        assert [kid.objgen for kid in field.Kids] == [item.objgen for item in widgets(pdf)]
        for kid, option in zip(field.Kids, ["red", "green", "dark blue"], strict=True):
            assert kid.Parent.objgen == field.objgen
            assert {*kid.AP.N.keys()} == {*kid.AP.D.keys()} == {f"/{option}", "/Off"}
            assert (kid.AS, str(kid.MK.CA)) == ("/Off", "l")
            assert str(kid.TU) == str(kid.Contents) == f"Favourite colour: {option}"
            assert not {"/T", "/FT", "/V"} & {*kid.keys()}


@pytest.mark.parametrize(
    "options", [["yes", "yes", "no"], ["так", "ні", "не знаю"], ["On", "Off", "?"], ["x" * 200, "y", "z"]]
)
def test_options_that_are_no_names_are_numbered_and_listed(options):
    with opened(written(buttons(options))) as pdf:
        (field,) = pdf.Root.AcroForm.Fields
        assert [str(value) for value in field.Opt] == options
        assert [next(key for key in kid.AP.N if key != "/Off") for kid in field.Kids] == ["/0", "/1", "/2"]


def test_options_without_a_label_are_known_by_their_place():
    assert option_states([None, "b", None]).names == ("/1", "/b", "/3")
    with opened(written(buttons([None, None], tooltip=None, name=None))) as pdf:
        assert [str(kid.TU) for kid in widgets(pdf)] == ["Option 1 of 2", "Option 2 of 2"]
        assert str(pdf.Root.AcroForm.Fields[0].T) == "g1"
        assert str(pdf.Root.AcroForm.Fields[0].TU) == "Radio buttons 1, page 1"


def test_a_single_member_is_a_check_box():
    with opened(written(buttons(["red"]))) as pdf:
        (field,) = pdf.Root.AcroForm.Fields
        assert "/Ff" not in field
        assert (str(field.TU), str(field.T)) == ("Favourite colour: red", "colour")
        assert {*field.AP.N.keys()} == {"/red", "/Off"}


def test_only_choice_fields_are_joined():
    fields = [*buttons(["a", "b"]), Field(kind=TEXT, box=(100, 200, 200, 220), group="g1")]
    with opened(written(fields)) as pdf:
        assert [str(field.FT) for field in pdf.Root.AcroForm.Fields] == ["/Btn", "/Tx"]


def test_the_same_name_without_a_group_stays_apart():
    with opened(written(buttons(["a", "b", "c"], group=None))) as pdf:
        assert [str(field.T) for field in pdf.Root.AcroForm.Fields] == ["colour", "colour_2", "colour_3"]


def test_the_name_of_a_radio_field_gives_way_to_an_existing_one():
    data = edited(flat(), lambda pdf: add_widget(pdf, (400, 100, 500, 120), "colour"))
    with opened(written(buttons(["a", "b"]), data)) as pdf:
        assert [str(field.T) for field in pdf.Root.AcroForm.Fields] == ["colour", "colour_2"]


def test_a_group_may_go_over_pages():
    document = source(flat(pages=2))
    first, second = buttons(["a", "b"])
    pages = tuple(
        PageFields(page=PageRef(index=index, width=612, height=792), fields=(field,))
        for index, field in enumerate((first, second))
    )
    fields = fields_for(document, ()).model_copy(update={"pages": pages})
    with opened(apply_fields(document, fields).data) as pdf:
        (field,) = pdf.Root.AcroForm.Fields
        assert [kid.P.objgen for kid in field.Kids] == [page.obj.objgen for page in pdf.pages]


@pytest.mark.parametrize("mark", list(Mark))
@pytest.mark.parametrize("group", ["g1", None])
def test_marks_look_different_and_stay_in_the_box(mark, group, poppler):
    form = written(buttons(["a", "b"], mark=mark, group=group), paged())
    with open_pikepdf(source(form)) as pdf:
        filled = fill(form, page_frame(pdf.pages[0]), typed={}, clicked=BOXES[:1])
    ink = np.argwhere(poppler(form).astype(int) - poppler(filled) > 60)
    assert len(ink) > 8
    assert ink[:, 1].min() >= 100
    assert ink[:, 1].max() <= 112
    with opened(filled) as pdf:
        assert str(widgets(pdf)[0].MK.CA) == {"tick": "4", "cross": "8", "circle": "l"}[mark]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("options", [["red", "green", "blue"], ["так", "ні", "ні"]])
def test_pdfium_lets_one_button_win(rotation, options, qpdf_check):
    document = source(paged(rotation=rotation))
    form = apply_fields(document, fields_for(document, buttons(options))).data
    with open_pikepdf(document) as pdf:
        user = PdfiumUser(form, page_frame(pdf.pages[0]))
    for box in (BOXES[0], BOXES[2], BOXES[2], BOXES[1]):
        user.click(box)
    saved = user.saved()
    user.close()
    with opened(saved) as pdf:
        chosen = [str(item.AS) for item in widgets(pdf)]
        assert chosen[0] == chosen[2] == "/Off"
        value = pdf.Root.AcroForm.Fields[0].V
        assert chosen[1] == "/green" or (chosen[1], options[1]) == ("/1", "ні")
        # PDFium stores the index for fields with /Opt as a name, or the value as text.
        assert str(value) in ("/green", "/1", options[1])
        if isinstance(value, String):
            assert str(value) == options[1]
    assert qpdf_check(saved) == ""


def test_pdfjs_sees_radio_buttons_with_values_and_names(pdfjs):
    found = [item for item in pdfjs(written(buttons(["red", "green"])))[0] if item["subtype"] == "Widget"]
    assert [item["radioButton"] for item in found] == [True, True]
    assert [item["fieldName"] for item in found] == ["colour", "colour"]
    assert [item["buttonValue"] for item in found] == ["red", "green"]
    assert [item["alternativeText"] for item in found] == ["Favourite colour: red", "Favourite colour: green"]


def test_the_way_back_finds_the_group():
    again = fields_from_widgets(source(written(buttons(["red", "green"])))).pages[0].fields
    assert [field.group for field in again] == ["colour", "colour"]


@pytest.mark.parametrize(
    ("names", "name"),
    [
        (["member_yes", "member_no"], "member"),
        (["yes", "no"], "g1"),
        (["colour", "colour"], "colour"),
        ([None, None], "g1"),
    ],
)
def test_a_radio_field_is_named_by_what_its_buttons_share(names, name):
    first, second = buttons(["yes", "no"])
    fields = [
        field.model_copy(update={"name": given}) for field, given in zip((first, second), names, strict=True)
    ]
    with opened(written(fields)) as pdf:
        assert str(pdf.Root.AcroForm.Fields[0].T) == name


@pytest.mark.parametrize(
    ("tooltips", "asked"),
    [
        (["Member: yes", "Member: no"], "Member"),
        (["Member", "Member"], "Member"),
        (["yes", "no"], "yes / no"),
        (["One thing", "Another"], "yes / no"),
    ],
)
def test_a_radio_field_asks_what_its_buttons_share(tooltips, asked):
    fields = [
        field.model_copy(update={"tooltip": given})
        for field, given in zip(buttons(["yes", "no"]), tooltips, strict=True)
    ]
    with opened(written(fields)) as pdf:
        assert str(pdf.Root.AcroForm.Fields[0].TU) == asked
