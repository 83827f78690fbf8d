# SPDX-License-Identifier: Apache-2.0
"""Documents that are not what they should be: written all the same, or refused with one of our sentences."""

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from acromeld.errors import NotAPdf, Refused
from acromeld.form.existing import Existing
from acromeld.form.from_widgets import fields_from_widgets, strip_widgets
from acromeld.form.writer import apply_fields
from tests.form.samples import FIELDS, add_widget, edited, fields_for, flat, opened, source, widgets

ELSEWHERE = (400, 100, 500, 120)


def set_root(key, value):
    return lambda pdf: pdf.Root.__setitem__(key, value)


def set_page(key, value):
    return lambda pdf: pdf.pages[0].obj.__setitem__(key, value)


def set_form(key, value):
    def edit(pdf: pikepdf.Pdf) -> None:
        add_widget(pdf, ELSEWHERE)
        pdf.Root.AcroForm[key] = value

    return edit


ODD = {
    "form is a number": set_root("/AcroForm", 7),
    "form is empty": set_root("/AcroForm", Dictionary()),
    "fields are a name": set_root("/AcroForm", Dictionary(Fields=Name.Odd)),
    "fields hold numbers": set_root("/AcroForm", Dictionary(Fields=Array([1, 2]))),
    "resources are an array": set_form("/DR", Array()),
    "fonts are a string": set_form("/DR", Dictionary(Font=String("x"))),
    "a font is a number": set_form("/DR", Dictionary(Font=Dictionary(Helv=3))),
    "signature flags are a name": set_form("/SigFlags", Name.Odd),
    "default appearance is a number": set_form("/DA", 1),
    "annotations are a number": set_page("/Annots", 5),
    "annotations hold rubbish": set_page("/Annots", Array([1, String("x"), Dictionary()])),
    "a widget without a rectangle": lambda pdf: add_widget(pdf, (1, 2)),
    "a widget with a strange flag": lambda pdf: add_widget(pdf, ELSEWHERE, F=String("x")),
    "structure tree is broken": set_root("/StructTreeRoot", Dictionary(ParentTree=Dictionary(Nums=3))),
}


@pytest.mark.parametrize("existing", list(Existing))
@pytest.mark.parametrize("edit", ODD.values(), ids=ODD.keys())
def test_odd_structures_do_not_stop_the_writer(edit, existing, qpdf_check):
    document = source(edited(flat(), edit))
    result = apply_fields(document, fields_for(document), existing=existing)
    assert result.written == len(FIELDS)
    assert len(fields_from_widgets(source(result.data)).pages[0].fields) >= len(FIELDS)
    assert qpdf_check(result.data) == ""


@pytest.mark.parametrize("edit", ODD.values(), ids=ODD.keys())
def test_odd_structures_do_not_stop_stripping(edit):
    with opened(strip_widgets(source(edited(flat(), edit)))) as pdf:
        assert "/AcroForm" not in pdf.Root
        assert not [item for item in pdf.pages[0].obj.get("/Annots", Array()) if is_widget(item)]


def is_widget(item):
    return isinstance(item, Dictionary) and item.get("/Subtype") == "/Widget"


def test_a_truncated_file_is_repaired_and_written_only_when_forced():
    good = flat()
    document = source(good[: good.rindex(b"\nxref")])
    with pytest.raises(Refused, match="cut off"):
        apply_fields(document, fields_for(document))
    with opened(apply_fields(document, fields_for(document), force=True).data) as pdf:
        assert len(widgets(pdf)) == len(FIELDS)


def test_a_page_tree_that_bites_its_tail_is_a_sentence():
    def bite(pdf: pikepdf.Pdf) -> None:
        pdf.Root.Pages["/Kids"] = Array([pdf.Root.Pages])

    document = source(edited(flat(), bite))
    with pytest.raises(NotAPdf):
        apply_fields(document, fields_for(source(flat())), force=True)
    for way_back in (fields_from_widgets, strip_widgets):
        with pytest.raises(NotAPdf):
            way_back(document)


@pytest.mark.parametrize("data", [b"", b"hello", b"%PDF-1.7\n"])
def test_not_a_pdf_is_a_sentence(data):
    with pytest.raises(NotAPdf):
        apply_fields(source(data), fields_for(source(flat())), force=True)
