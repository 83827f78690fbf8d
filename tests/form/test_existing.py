# SPDX-License-Identifier: Apache-2.0
"""Documents that already are forms: what stays, what goes, and what new fields make of it."""

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

import acromeld
from acromeld.fields import MAX_CELLS, Field, parse_document
from acromeld.form.existing import Existing
from acromeld.form.from_widgets import fields_from_widgets
from acromeld.form.writer import apply_fields
from tests.form.samples import (
    FIELDS,
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
    widget_named,
    widgets,
)
from tests.form.tagged import tagged_form

ON_TEXT_BOX = (120, 792 - 108, 300, 792 - 90)
ELSEWHERE = (400, 100, 500, 120)
PUSH_BUTTON = 1 << 16
COMB = 1 << 24
HIDDEN, NO_VIEW = 2, 32


def with_widget(rect=ELSEWHERE, name="old", data=None, **entries):
    return edited(data or flat(), lambda pdf: add_widget(pdf, rect, name, **entries))


def names(pdf, page=0):
    return [str(item.T) for item in widgets(pdf, page)]


def test_existing_fields_stay_as_they_are():
    document = source(with_widget(V=String("Ada"), DA=String("/Cour 12 Tf")))
    result = apply_fields(document, fields_for(document))
    with opened(result.data) as pdf:
        old = widget_named(pdf, "old")
        assert (str(old.V), str(old.DA), str(old.T)) == ("Ada", "/Cour 12 Tf", "old")
        assert str(pdf.Root.AcroForm.Fields[0].T) == "old"
    assert (result.written, result.dropped) == (4, 0)


@pytest.mark.parametrize("entries", [{}, {"FT": Name.Btn, "Ff": PUSH_BUTTON}, {"FT": Name.Sig}])
def test_a_new_field_on_an_existing_one_is_dropped(entries):
    document = source(with_widget(ON_TEXT_BOX, **entries))
    result = apply_fields(document, fields_for(document))
    assert (result.written, result.dropped) == (3, 1)
    assert result.notes == ("1 new field was left out where the document has a field already.",)


def test_overlap_is_judged_on_the_displayed_page():
    rect = (90, 120, 108, 300)
    document = source(with_widget(rect, data=paged(rotation=90)))
    assert apply_fields(document, fields_for(document)).dropped == 1


@pytest.mark.parametrize("flag", [HIDDEN, NO_VIEW])
def test_a_field_nobody_sees_is_in_nobodys_way(flag):
    document = source(with_widget(ON_TEXT_BOX, F=flag))
    assert apply_fields(document, fields_for(document)).written == 4


def test_new_names_keep_clear_of_old_ones():
    document = source(with_widget(name="text_1_1"))
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        assert names(pdf) == ["text_1_1_2", "choice_1_1", "text_1_2", "signature_1_1", "text_1_1"]


def test_new_names_keep_clear_of_parents_and_of_widgets_outside_the_tree():
    def edit(pdf: pikepdf.Pdf) -> None:
        kid = add_widget(pdf, ELSEWHERE, "kid")
        parent = pdf.make_indirect(Dictionary(T=String("person"), Kids=Array([kid])))
        kid["/Parent"] = parent
        pdf.Root.AcroForm["/Fields"] = Array([parent])
        add_widget(pdf, (400, 200, 500, 220), "stray")
        del pdf.Root.AcroForm.Fields[1]

    document = source(edited(flat(), edit))
    fields = [
        Field(kind=TEXT, box=(100, y, 200, y + 18), name=name)
        for y, name in [(300, "person"), (340, "stray")]
    ]
    with opened(apply_fields(document, fields_for(document, fields)).data) as pdf:
        assert set(names(pdf)) == {"kid", "stray", "person_2", "stray_2"}


def test_a_name_that_is_taken_gives_way_and_takes_nobody_elses():
    document = source(with_widget(name="date"))
    fields = [
        Field(kind=TEXT, box=(100, y, 200, y + 18), name=name) for y, name in [(300, "date"), (340, "date_2")]
    ]
    result = apply_fields(document, fields_for(document, fields))
    with opened(result.data) as pdf:
        at = {str(item.T): float(item.Rect[1]) for item in widgets(pdf)}
    assert at["date_3"] > at["date_2"]
    assert result.notes == ("1 name was taken already: date is now date_3.",)


def new_between_old(**page):
    def edit(pdf: pikepdf.Pdf) -> None:
        add_widget(pdf, (100, 700, 200, 720), "first")
        add_widget(pdf, (100, 500, 200, 520), "last")
        for key, value in page.items():
            pdf.pages[0].obj[f"/{key}"] = value

    document = source(edited(flat(), edit))
    boxes = {"above": 20, "between": 180, "below": 400}
    fields = [
        Field(kind=TEXT, box=(100, y, 200, y + 18), name=name, order=order)
        for order, (name, y) in enumerate(boxes.items())
    ]
    return opened(apply_fields(document, fields_for(document, fields)).data)


def test_new_fields_are_visited_where_they_are_read_among_the_authors():
    with new_between_old() as pdf:
        assert names(pdf) == ["above", "first", "between", "last", "below"]
        assert pdf.pages[0].obj.Tabs == "/S"
        (document,) = pdf.Root.StructTreeRoot.K
        assert [str(form.K.Obj.T) for form in document.K] == names(pdf)


def test_the_authors_order_of_fields_stays():
    with new_between_old(Tabs=Name.C) as pdf:
        assert pdf.pages[0].obj.Tabs == "/C"
        assert [name for name in names(pdf) if name in ("first", "last")] == ["first", "last"]


def test_fonts_of_the_document_are_left_alone():
    def edit(pdf: pikepdf.Pdf) -> None:
        add_widget(pdf, ELSEWHERE)
        odd = Dictionary(Type=Name.Font, Subtype=Name.TrueType, BaseFont=Name("/ABCDEF+Odd"))
        pdf.Root.AcroForm["/DR"] = Dictionary(Font=Dictionary(Helv=odd), XObject=Dictionary())
        pdf.Root.AcroForm["/DA"] = String("/Helv 7 Tf 0 g")

    document = source(edited(flat(), edit))
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        form = pdf.Root.AcroForm
        assert form.DR.Font.Helv.BaseFont == "/ABCDEF+Odd"
        assert str(form.DA) == "/Helv 7 Tf 0 g"
        assert "/XObject" in form.DR
        new = widget_named(pdf, "text_1_1")
        name = str(new.DA).split()[0]
        assert name != "/Helv"
        assert form.DR.Font[name].BaseFont == "/Helvetica"
        assert name in new.AP.N.Resources.Font


@pytest.mark.parametrize(
    ("entries", "kept"),
    [
        ({}, True),
        ({"AP": Dictionary(N=Dictionary())}, False),
        ({"AP": Dictionary(N=Dictionary()), "V": String("filled by a program")}, True),
    ],
)
def test_need_appearances_stays_only_where_an_old_field_needs_it(entries, kept):
    def edit(pdf: pikepdf.Pdf) -> None:
        add_widget(pdf, ELSEWHERE, **entries)
        pdf.Root.AcroForm["/NeedAppearances"] = True

    document = source(edited(flat(), edit))
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        assert ("/NeedAppearances" in pdf.Root.AcroForm) is kept


def test_replacing_removes_widgets_of_named_pages_only():
    def edit(pdf: pikepdf.Pdf) -> None:
        add_widget(pdf, ON_TEXT_BOX, "first")
        add_widget(pdf, ON_TEXT_BOX, "second", page=1)
        pdf.Root.AcroForm["/CO"] = Array(list(pdf.Root.AcroForm.Fields))

    document = source(edited(flat(pages=2), edit))
    result = apply_fields(document, fields_for(document), existing=Existing.REPLACE)
    with opened(result.data) as pdf:
        assert "first" not in names(pdf)
        assert names(pdf, 1) == ["second"]
        assert str(pdf.Root.AcroForm.Fields[0].T) == "second"
        assert [str(field.T) for field in pdf.Root.AcroForm.CO] == ["second"]
        assert annotations(pdf)[0].Subtype == "/Link"
    assert (result.written, result.dropped) == (4, 0)
    assert result.notes == ("1 existing field was removed.",)


def test_replacing_prunes_the_field_tree():
    def edit(pdf: pikepdf.Pdf) -> None:
        gone, stays = add_widget(pdf, ON_TEXT_BOX, "x"), add_widget(pdf, ON_TEXT_BOX, "x", page=1)
        lonely = add_widget(pdf, ELSEWHERE, "y")
        for kid in (gone, stays):
            del kid["/T"]
        shared = pdf.make_indirect(Dictionary(FT=Name.Tx, T=String("shared"), Kids=Array([gone, stays])))
        gone["/Parent"] = stays["/Parent"] = shared
        group = pdf.make_indirect(Dictionary(T=String("group"), Kids=Array([lonely])))
        lonely["/Parent"] = group
        data = pdf.make_indirect(Dictionary(FT=Name.Tx, T=String("data"), V=String("no widget")))
        pdf.Root.AcroForm["/Fields"] = Array([shared, group, data])

    document = source(edited(flat(pages=2), edit))
    result = apply_fields(document, fields_for(document, ()), existing=Existing.REPLACE)
    with opened(result.data) as pdf:
        shared, data = pdf.Root.AcroForm.Fields
        assert (str(shared.T), len(shared.Kids), str(data.T)) == ("shared", 1, "data")
        assert shared.Kids[0].objgen == widgets(pdf, 1)[0].objgen


def test_replacing_leaves_no_ghosts_in_the_structure_tree():
    def edit(pdf: pikepdf.Pdf) -> None:
        widget = add_widget(pdf, ON_TEXT_BOX, StructParent=0)
        element = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Form))
        element["/K"] = Dictionary(Type=Name.OBJR, Obj=widget)
        pdf.Root["/StructTreeRoot"] = Dictionary(
            Type=Name.StructTreeRoot, K=element, ParentTree=Dictionary(Nums=Array([0, element]))
        )

    document = source(edited(flat(), edit))
    result = apply_fields(document, fields_for(document, FIELDS), existing=Existing.REPLACE)
    with opened(result.data) as pdf:
        tree = pdf.Root.StructTreeRoot
        (group,) = tree.K
        assert {item.K.Obj.objgen for item in group.K} == {item.objgen for item in widgets(pdf)}
        assert [int(key) for key in tree.ParentTree.Nums[::2]] == [item.StructParent for item in widgets(pdf)]


def test_pages_that_could_not_be_read_keep_their_fields():
    def edit(pdf: pikepdf.Pdf) -> None:
        add_widget(pdf, ON_TEXT_BOX, "first")
        add_widget(pdf, ON_TEXT_BOX, "second", page=1)
        pdf.pages[1].obj["/MediaBox"] = Array([0, 0, 20_000, 792])

    data = edited(flat(pages=2), edit)
    done = acromeld.recover(data, detector="rules", existing=Existing.REPLACE, isolated=False)
    assert [page.skipped for page in done.fields.pages] == [None, True]
    assert "1 existing field was removed." in done.notes
    with opened(done.form.data) as pdf:
        assert "first" not in names(pdf)
        assert names(pdf, 1) == ["second"]
    # The fields file keeps the difference, in both of its forms.
    for text in (done.fields.to_json(), "\n".join(done.fields.to_lines())):
        again = acromeld.apply(data, parse_document(text), existing=Existing.REPLACE, isolated=False)
        with opened(again.data) as pdf:
            assert names(pdf, 1) == ["second"]


def test_a_comb_of_more_cells_than_there_can_be_is_a_plain_field():
    for cells, taken_as in ((12, 12), (MAX_CELLS, MAX_CELLS), (MAX_CELLS + 1, None)):
        document = source(with_widget(FT=Name.Tx, Ff=COMB, MaxLen=cells))
        (field,) = fields_from_widgets(document).pages[0].fields
        assert field.comb == taken_as


def test_replacing_leaves_tags_alone_that_a_stale_number_leads_to():
    def edit(pdf: pikepdf.Pdf) -> None:
        add_widget(pdf, ON_TEXT_BOX, StructParent=0)

    document = source(edited(tagged_form(), edit))
    result = apply_fields(document, fields_for(document, FIELDS[:1]), existing=Existing.REPLACE)
    with opened(result.data) as pdf:
        assert isinstance(pikepdf.NumberTree(pdf.Root.StructTreeRoot.ParentTree)[0], Array)


def test_a_field_tree_that_loops_is_walked_once():
    def edit(pdf: pikepdf.Pdf) -> None:
        kid = add_widget(pdf, ON_TEXT_BOX)
        node = pdf.make_indirect(Dictionary(T=String("loop")))
        node["/Kids"] = Array([node, node, kid, node])
        pdf.Root.AcroForm["/Fields"] = Array([node, node])

    document = source(edited(flat(), edit))
    assert apply_fields(document, fields_for(document), existing=Existing.REPLACE).written == len(FIELDS)


def test_pdfjs_sees_old_and_new_fields(pdfjs):
    document = source(with_widget(V=String("Ada")))
    found = pdfjs(apply_fields(document, fields_for(document, [Field(kind=TEXT, box=TEXT_BOX)])).data)[0]
    assert [(item["subtype"], item.get("fieldName")) for item in found] == [
        ("Link", None),
        ("Widget", "text_1_1"),
        ("Widget", "old"),
    ]
