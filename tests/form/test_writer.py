# SPDX-License-Identifier: Apache-2.0
"""What a written form consists of."""

import itertools

import numpy as np
import pikepdf
import pytest

from acromeld.errors import BadFields
from acromeld.fields import Field, PageFields, PageRef, parse_document
from acromeld.form.from_widgets import fields_from_widgets, strip_widgets
from acromeld.form.writer import apply_fields
from acromeld.pdf.source import Source
from tests.form.samples import (
    CHOICE,
    FIELDS,
    LINK,
    SIGNATURE,
    TEXT,
    TEXT_BOX,
    add_widget,
    annotations,
    edited,
    fields_for,
    flat,
    opened,
    paged,
    source,
    widgets,
)

FRAMES = list(itertools.product((0, 90, 180, 270), (None, (13.5, 40.25, 590.0, 777.7)), (None, 1.7)))


@pytest.mark.parametrize(("rotation", "crop", "unit"), FRAMES)
def test_boxes_come_back_where_they_were_put(rotation, crop, unit):
    document = source(paged(rotation=rotation, crop=crop, unit=unit))
    wanted = fields_for(document)
    again = fields_from_widgets(source(apply_fields(document, wanted).data))
    assert [field.kind for field in again.pages[0].fields] == [field.kind for field in FIELDS]
    boxes = np.array([field.box for field in again.pages[0].fields])
    assert np.abs(boxes - np.array([field.box for field in FIELDS])).max() < 0.05
    assert again.pages[0].page == wanted.pages[0].page


@pytest.mark.parametrize(("rotation", "crop", "unit"), FRAMES)
def test_written_files_are_clean(rotation, crop, unit, qpdf_check):
    document = source(paged(rotation=rotation, crop=crop, unit=unit))
    assert qpdf_check(apply_fields(document, fields_for(document)).data) == ""


def test_every_widget_prints_and_has_an_appearance_for_every_state():
    document = source(flat())
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        text, check, notes, signature = widgets(pdf)
        assert [item.F for item in widgets(pdf)] == [4, 4, 4, 4]
        assert all(item.P.objgen == pdf.pages[0].obj.objgen for item in widgets(pdf))
        assert text.AP.N.read_bytes() == b"/Tx BMC\nEMC\n"
        assert text.AP.N.Resources.Font.Helv.BaseFont == "/Helvetica"
        assert {*check.AP.N.keys()} == {*check.AP.D.keys()} == {"/Yes", "/Off"}
        assert (check.V, check.AS, str(check.MK.CA)) == ("/Off", "/Off", "4")
        assert check.AP.N.Yes.read_bytes() != check.AP.N.Off.read_bytes() == b""
        assert (signature.FT, signature.AP.N.Subtype) == ("/Sig", "/Form")
        assert (int(text.get("/Ff", 0)), int(notes.Ff)) == (0, 1 << 12)
        assert pdf.pages[0].obj.Tabs == "/S"


def test_form_dictionary_has_fonts_and_flags_and_no_need_appearances():
    document = source(flat())
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        form = pdf.Root.AcroForm
        assert form.DR.Font.Helv.Encoding == "/WinAnsiEncoding"
        assert form.DR.Font.ZaDb.BaseFont == "/ZapfDingbats"
        assert str(form.DA) == "/Helv 0 Tf 0 g"
        assert form.SigFlags == 1
        assert "/NeedAppearances" not in form
        assert [field.objgen for field in form.Fields] == [item.objgen for item in widgets(pdf)]


def test_no_signature_field_no_signature_flag():
    document = source(flat())
    with opened(apply_fields(document, fields_for(document, FIELDS[:3])).data) as pdf:
        assert "/SigFlags" not in pdf.Root.AcroForm


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_rotated_pages_say_so_in_widget_and_appearance(rotation):
    document = source(paged(rotation=rotation))
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        text = widgets(pdf)[0]
        assert int(text.MK.R) == rotation
        assert [float(value) for value in text.AP.N.BBox] == [0, 0, 180, 18]
        a, b, c, d, *_ = (float(value) for value in text.AP.N.Matrix)
        angle = np.deg2rad(rotation)
        assert np.allclose([a, b, c, d], [np.cos(angle), np.sin(angle), -np.sin(angle), np.cos(angle)])


def test_font_sizes_are_in_units_of_the_page():
    document = source(paged(unit=2.0))
    field = Field(kind=TEXT, box=TEXT_BOX, font_size=9)
    with opened(apply_fields(document, fields_for(document, [field])).data) as pdf:
        assert str(widgets(pdf)[0].DA) == "/Helv 4.5 Tf 0 g"


def test_comb_fields_have_cells_and_a_single_line():
    document = source(flat())
    field = Field(kind=TEXT, box=TEXT_BOX, comb=9, multiline=True)
    with opened(apply_fields(document, fields_for(document, [field])).data) as pdf:
        widget = widgets(pdf)[0]
        assert widget.MaxLen == 9
        assert int(widget.Ff) & (1 << 24)
        assert not int(widget.Ff) & (1 << 12)


def test_names_tooltips_and_order():
    document = source(flat())
    fields = [
        Field(kind=TEXT, box=(100, 300, 200, 320), name="a.b", tooltip="Your  name"),
        Field(kind=TEXT, box=(100, 200, 200, 220)),
        Field(kind=CHOICE, box=(300, 202, 312, 214)),
        Field(kind=TEXT, box=(100, 100, 200, 120), name="a.b", order=0),
    ]
    with opened(apply_fields(document, fields_for(document, fields)).data) as pdf:
        found = widgets(pdf)
        assert [str(item.T) for item in found] == ["a_b", "text_1_2", "choice_1_1", "a_b_2"]
        assert [str(item.TU) for item in found] == [
            "Text field 1, page 1",
            "Text field 2, page 1",
            "Check box 1, page 1",
            "Your name",
        ]
        assert [str(item.Contents) for item in found] == [str(item.TU) for item in found]


def test_names_in_other_scripts_survive():
    document = source(flat())
    field = Field(kind=TEXT, box=TEXT_BOX, name="氏名", tooltip="Прізвище")
    again = fields_from_widgets(source(apply_fields(document, fields_for(document, [field])).data))
    assert (again.pages[0].fields[0].name, again.pages[0].fields[0].tooltip) == ("氏名", "Прізвище")


def test_links_stay_and_come_first():
    document = source(flat())
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        assert str(annotations(pdf)[0].A.URI) == LINK
        assert len(annotations(pdf)) == 1 + len(FIELDS)


def test_pages_that_share_an_annotation_array_do_not_share_new_fields():
    def share(pdf: pikepdf.Pdf) -> None:
        shared = pdf.make_indirect(pikepdf.Array(list(pdf.pages[0].obj.Annots)))
        for page in pdf.pages:
            page.obj["/Annots"] = shared

    document = source(edited(flat(pages=2), share))
    with opened(apply_fields(document, fields_for(document, page=1)).data) as pdf:
        assert (len(annotations(pdf, 0)), len(annotations(pdf, 1))) == (1, 5)


@pytest.mark.parametrize(("with_field", "tabs"), [(True, "/R"), (False, "/S")])
def test_authors_tab_setting_stays_where_the_authors_fields_stay(with_field, tabs):
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj["/Tabs"] = pikepdf.Name.R
        if with_field:
            add_widget(pdf, (400, 100, 500, 120))

    document = source(edited(flat(), edit))
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        assert tabs == pdf.pages[0].obj.Tabs


def test_same_input_same_bytes():
    document = source(paged(rotation=90, pages=2))
    first = apply_fields(document, fields_for(document))
    assert apply_fields(Source(document.data, document.name), fields_for(document)).data == first.data


def test_the_file_identifier_comes_from_the_content_not_the_clock():
    document = source(flat())
    identifiers = set()
    for fields in (FIELDS, FIELDS[:2]):
        with opened(apply_fields(document, fields_for(document, fields)).data) as pdf:
            identifiers.add(bytes(pdf.trailer.ID[1]))
    assert len(identifiers) == 2


def test_json_in_between_changes_nothing():
    document = source(paged(rotation=270, crop=(10, 20, 500, 700)))
    wanted = fields_for(document)
    assert (
        apply_fields(document, parse_document(wanted.to_json())).data == apply_fields(document, wanted).data
    )


def test_no_fields_no_form():
    document = source(flat())
    result = apply_fields(document, fields_for(document, ()))
    with opened(result.data) as pdf:
        assert "/AcroForm" not in pdf.Root
    assert (result.written, result.dropped, result.notes) == (0, 0, ())


def test_useless_fields_are_left_out_and_counted():
    document = source(flat())
    fields = [
        Field(kind=TEXT, box=(100, 100, 101, 120)),
        Field(kind=TEXT, box=(600, 100, 700, 120)),
        Field(kind=SIGNATURE, box=(100, 200, 200, 220)),
    ]
    result = apply_fields(document, fields_for(document, fields))
    assert (result.written, result.dropped) == (1, 2)
    assert result.notes == ("2 new fields were left out: too small to use, or not on the page.",)


def test_fields_of_another_file_are_refused_unless_forced():
    document, other = source(flat()), source(flat(link=False))
    with pytest.raises(BadFields, match="not for this"):
        apply_fields(document, fields_for(other))
    result = apply_fields(document, fields_for(other), force=True)
    assert result.written == len(FIELDS)
    assert "another file" in result.notes[0]


@pytest.mark.parametrize(
    ("ref", "reason"),
    [
        (PageRef(index=3, width=612, height=792), "has 1 page\\."),
        (PageRef(index=0, width=792, height=612), "612 x 792"),
    ],
)
def test_pages_that_do_not_fit_are_refused(ref, reason):
    document = source(flat())
    fields = fields_for(document).model_copy(update={"pages": (PageFields(page=ref, fields=FIELDS),)})
    with pytest.raises(BadFields, match=reason):
        apply_fields(document, fields)


def test_empty_name_is_refused():
    document = source(flat())
    with pytest.raises(BadFields, match="empty name"):
        apply_fields(document, fields_for(document, [Field(kind=TEXT, box=TEXT_BOX, name=" ")]))


def test_stripping_removes_the_form_and_nothing_else():
    document = source(flat())
    form = source(apply_fields(document, fields_for(document)).data)
    bare = strip_widgets(form)
    with opened(bare) as pdf:
        assert "/AcroForm" not in pdf.Root
        assert [item.Subtype for item in annotations(pdf)] == ["/Link"]
    assert strip_widgets(form) == bare
