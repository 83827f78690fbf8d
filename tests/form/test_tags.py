# SPDX-License-Identifier: Apache-2.0
"""Where new controls stand in the structure tree, with and without one before."""

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from acromeld.fields import Field
from acromeld.form import marked_content, tag_places
from acromeld.form.marked_content import MarkedRuns
from acromeld.form.writer import apply_fields
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds, Words
from acromeld.pdf.source import page_frame
from tests.form.samples import (
    CHOICE,
    FIELDS,
    TEXT,
    add_widget,
    edited,
    fields_for,
    flat,
    opened,
    paged,
    source,
    widget_named,
    widgets,
)
from tests.form.tagged import (
    FAR_BOX,
    NAME_BOX,
    NO_BOX,
    NUMBER_BOX,
    STREET_BOX,
    YES_BOX,
    tagged_form,
)

TAGGED_FIELDS = (
    Field(kind=TEXT, box=NAME_BOX, tooltip="Full name"),
    Field(kind=CHOICE, box=YES_BOX, tooltip="Member", option="Yes", group="member"),
    Field(kind=CHOICE, box=NO_BOX, tooltip="Member", option="No", group="member"),
    Field(kind=TEXT, box=STREET_BOX, tooltip="Street"),
    Field(kind=TEXT, box=NUMBER_BOX, tooltip="Number"),
    Field(kind=TEXT, box=FAR_BOX),
)


def words_of(data):
    with open_document(data) as document:
        return {0: document.read_page(0, PageNeeds()).primitives.words}


def written(data, fields=TAGGED_FIELDS, *, language=None):
    document = source(data)
    wanted = fields_for(document, fields).model_copy(update={"language": language})
    return apply_fields(document, wanted, words=words_of(data))


def outline(element):
    """The tree as nested lists: types, MCIDs, and the spoken names of widgets."""
    kids = element.get("/K", Array())
    kids = kids if isinstance(kids, Array) else [kids]
    return [
        int(kid)
        if not isinstance(kid, Dictionary)
        else str(kid.Obj.TU)
        if kid.get("/Type") == "/OBJR"
        else (str(kid.S)[1:], outline(kid))
        for kid in kids
    ]


def check_links(pdf):
    """Up, down and the number tree agree for every widget."""
    numbers = pikepdf.NumberTree(pdf.Root.StructTreeRoot.ParentTree)
    for page in range(len(pdf.pages)):
        for widget in widgets(pdf, page):
            element = numbers[int(widget.StructParent)]
            assert element.S == "/Form"
            assert element.K.Obj.objgen == widget.objgen
            assert element.Pg.objgen == pdf.pages[page].obj.objgen
            assert any(
                isinstance(kid, Dictionary) and kid.objgen == element.objgen
                for kid in (element.P.K if isinstance(element.P.K, Array) else [element.P.K])
            )
    assert pdf.Root.StructTreeRoot.ParentTreeNextKey == max(numbers.keys()) + 1


def test_untagged_files_get_a_tree_of_their_controls_and_no_claim_to_be_tagged():
    document = source(paged(pages=2, rotation=90))
    with opened(apply_fields(document, fields_for(document, page=1)).data) as pdf:
        tree = pdf.Root.StructTreeRoot
        assert outline(tree) == [("Document", [("Form", [str(item.TU)]) for item in widgets(pdf, 1)])]
        check_links(pdf)
        assert "/MarkInfo" not in pdf.Root
        # The first page has a link.
        assert [page.obj.Tabs for page in pdf.pages] == ["/S", "/S"]


@pytest.mark.parametrize(("namespace", "kids"), [(False, False), (True, True)])
def test_in_tagged_files_controls_stand_beside_their_labels(namespace, kids):
    with opened(written(tagged_form(namespace=namespace, kids=kids)).data) as pdf:
        yes, no = ("Form", ["Member: Yes"]), ("Form", ["Member: No"])
        number, last = ("Form", ["Number"]), ("Form", ["Text field 4, page 1"])
        assert outline(pdf.Root.StructTreeRoot) == [
            (
                "Document",
                [
                    ("H1", [0]),
                    ("Label", [1, ("Form", ["Full name"])]),
                    (
                        "L",
                        [
                            ("LI", [("Lbl", [2]), ("LBody", [3, yes])]),
                            ("LI", [("Lbl", [4]), ("LBody", [5, no])]),
                        ],
                    ),
                    (
                        "Table",
                        [("TR", [("TH", [6, ("Form", ["Street"])])]), ("TR", [("TD", [7, number, last])])],
                    ),
                ],
            )
        ]
        check_links(pdf)
        assert pdf.Root.MarkInfo.Marked
        # What was there is still found where it was.
        owners = pikepdf.NumberTree(pdf.Root.StructTreeRoot.ParentTree)[0]
        assert [str(owner.S) for owner in owners][:2] == ["/H1", "/Label"]
        form = pikepdf.NumberTree(pdf.Root.StructTreeRoot.ParentTree)[int(widgets(pdf)[1].StructParent)]
        assert ("/NS" in form) is namespace


def second_page(structure):
    """The tagged form with a second page that prints the same words, tagged as ``structure`` says."""

    def edit(pdf: pikepdf.Pdf) -> None:
        first = pdf.pages[0].obj
        pdf.add_blank_page(page_size=(612, 792))
        page = pdf.pages[1].obj
        page["/Resources"], page["/Contents"] = first.Resources, first.Contents
        structure(pdf, page)

    return edited(tagged_form(), edit)


def stale_number(pdf, page):
    page["/StructParents"] = 0


def no_number(pdf, page):
    del pdf, page


def form_with_a_number(pdf, page):
    """The words are those of a Form XObject, whose marked content is listed under a number of its own."""
    first, tree = pdf.pages[0].obj, pdf.Root.StructTreeRoot
    drawn = pdf.make_stream(first.Contents.read_bytes(), Subtype=Name.Form, Resources=first.Resources)
    drawn["/BBox"], drawn["/StructParents"] = Array([0, 0, 612, 792]), 5
    page["/Resources"] = Dictionary(XObject=Dictionary(Fm=drawn))
    page["/Contents"] = pdf.make_stream(b"/Fm Do")
    parent = tree.K[0] if isinstance(tree.K, Array) else tree.K
    label = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.P, P=parent, Pg=page))
    label["/K"] = Dictionary(Type=Name.MCR, Pg=page, Stm=drawn, MCID=1)
    parent.K.append(label)
    tree.ParentTree.Nums.extend([5, Array([None, label])])


@pytest.mark.parametrize(
    ("structure", "parent"),
    [(stale_number, "/Document"), (no_number, "/Document"), (form_with_a_number, "/P")],
)
def test_controls_never_stand_among_the_tags_of_another_page(structure, parent):
    data = second_page(structure)
    document = source(data)
    with open_document(data) as pages:
        words = {1: pages.read_page(1, PageNeeds()).primitives.words}
    fields = fields_for(document, TAGGED_FIELDS[:1], page=1)
    with opened(apply_fields(document, fields, words=words).data) as pdf:
        (widget,) = widgets(pdf, 1)
        element = pikepdf.NumberTree(pdf.Root.StructTreeRoot.ParentTree)[int(widget.StructParent)]
        assert parent == element.P.S
        (document,) = [kid for kid in pdf.Root.StructTreeRoot.K if kid.S == "/Document"]
        assert outline(document.K[1]) == [1]


def test_too_much_content_puts_controls_at_the_end_of_the_page(monkeypatch):
    monkeypatch.setattr(marked_content, "_MAX_BYTES", 100)
    with opened(written(tagged_form(), TAGGED_FIELDS[:1]).data) as pdf:
        assert outline(pdf.Root.StructTreeRoot)[0][1][-1][1][-1] == (
            "TR",
            [("TD", [7, ("Form", ["Full name"])])],
        )


def test_pages_without_controls_are_not_parsed(monkeypatch):
    read = []
    monkeypatch.setattr(
        tag_places, "marked_runs", lambda page, frame: read.append(page) or MarkedRuns(None, ())
    )
    data = second_page(stale_number)
    document = source(data)
    whole = fields_for(document, TAGGED_FIELDS[:1])
    bare = fields_for(document, (), page=1)
    fields = whole.model_copy(update={"pages": (*whole.pages, *bare.pages)})
    with open_document(data) as pages:
        words = {index: pages.read_page(index, PageNeeds()).primitives.words for index in (0, 1)}
    apply_fields(document, fields, words=words)
    assert len(read) == 1


def test_many_words_and_runs_are_matched_as_few_are(monkeypatch):
    data = tagged_form()
    with opened(data) as pdf:
        runs = marked_content.marked_runs(pdf.pages[0], page_frame(pdf.pages[0]))
    words = words_of(data)[0]
    whole = runs.of_words(words)
    assert any(whole)
    monkeypatch.setattr(marked_content, "_MAX_PAIRS", 3)
    assert runs.of_words(words) == whole


def test_without_words_controls_follow_the_last_element_of_their_page():
    document = source(tagged_form())
    with opened(apply_fields(document, fields_for(document, TAGGED_FIELDS[:2])).data) as pdf:
        table = outline(pdf.Root.StructTreeRoot)[0][1][-1]
        assert table[1][-1] == ("TR", [("TD", [7, ("Form", ["Full name"]), ("Form", ["Member: Yes"])])])
        check_links(pdf)


def test_keys_in_use_are_not_used_again():
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj.Annots[0]["/StructParent"] = 41

    document = source(edited(flat(), edit))
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        assert [int(item.StructParent) for item in widgets(pdf)] == [42, 43, 44, 45]


def test_applying_twice_adds_to_the_tree():
    first = written(tagged_form(), TAGGED_FIELDS[:1]).data
    with opened(written(first, TAGGED_FIELDS[3:4]).data) as pdf:
        check_links(pdf)
        assert len(widgets(pdf)) == 2


@pytest.mark.parametrize(
    "tree",
    [
        Dictionary(),
        Dictionary(K=Array([5, Name.Odd]), ParentTree=Dictionary(Nums=Array([0]))),
        Dictionary(K=Dictionary(S=Name.P), ParentTree=Dictionary(Kids=Array([Dictionary()]))),
        Dictionary(K=Array(), ParentTree=Dictionary(Nums=Array([0, 7, 1, Name.Odd])), ParentTreeNextKey=-9),
    ],
)
def test_odd_trees_do_not_stop_anybody(tree):
    document = source(edited(flat(), lambda pdf: pdf.Root.__setitem__("/StructTreeRoot", tree)))
    result = apply_fields(document, fields_for(document))
    assert result.written == len(FIELDS)


def test_in_untagged_files_the_authors_fields_are_in_the_tree_but_not_those_nobody_sees():
    def edit(pdf: pikepdf.Pdf) -> None:
        add_widget(pdf, (400, 100, 500, 120))
        add_widget(pdf, (400, 60, 500, 80), "hidden", F=2)

    document = source(edited(flat(), edit))
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        numbers = pikepdf.NumberTree(pdf.Root.StructTreeRoot.ParentTree)
        old = widget_named(pdf, "old")
        assert numbers[int(old.StructParent)].K.Obj.objgen == old.objgen
        assert "/StructParent" not in widget_named(pdf, "hidden")


@pytest.mark.parametrize(
    ("language", "catalog", "element"), [(None, None, "en"), ("de", "de", "en"), ("en-US", "en-US", None)]
)
def test_the_language_of_made_up_names_is_said(language, catalog, element):
    with opened(written(flat(), FIELDS[:1], language=language).data) as pdf:
        assert pdf.Root.get("/Lang") == catalog
        form = pdf.Root.StructTreeRoot.K[0].K
        form = form[0] if isinstance(form, Array) else form
        assert form.get("/Lang") == element


@pytest.mark.parametrize(
    ("words", "tooltip", "language"),
    [({0: Words.empty()}, None, "en"), ({0: Words.empty()}, "Name", None), ({}, None, None)],
)
def test_where_no_page_has_words_our_own_are_the_language(words, tooltip, language):
    document = source(flat())
    field = FIELDS[0].model_copy(update={"tooltip": tooltip})
    with opened(apply_fields(document, fields_for(document, [field]), words=words).data) as pdf:
        assert pdf.Root.get("/Lang") == language


def test_the_authors_language_stays():
    with opened(written(tagged_form(), language="fr").data) as pdf:
        assert str(pdf.Root.Lang) == "en-GB"


def test_three_hundred_fields_on_a_page(qpdf_check):
    fields = [
        Field(
            kind=CHOICE if column % 3 else TEXT,
            box=(20.0 + 38 * column, 20.0 + 37 * row, 50.0 + 38 * column, 40.0 + 37 * row),
            name="same",
            tooltip=f"Row {row}",
            group=f"g{row}" if column % 3 else None,
            option=f"{column}",
        )
        for row in range(20)
        for column in range(15)
    ]
    result = written(flat(), fields)
    with opened(result.data) as pdf:
        assert len(widgets(pdf)) == result.written == 300
        names = [str(field.T) for field in pdf.Root.AcroForm.Fields]
        # Five text fields and one radio field of ten buttons a row.
        assert len(names) == len(set(names)) == 20 * 6
        check_links(pdf)
    assert qpdf_check(result.data) == ""
    assert written(flat(), fields).data == result.data
