# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.errors import BadFields, ExitCode
from acromeld.fields import (
    SCHEMA,
    DetectorRef,
    DocumentFields,
    DocumentRef,
    Field,
    FieldKind,
    OperatingPoint,
    PageFields,
    PageRef,
    json_schema,
    parse_document,
    parse_line,
)

SHA = "0" * 64
HEAD = {"schema": SCHEMA, "document": {"name": "a.pdf", "sha256": SHA}}
PAGE = {"index": 0, "width": 612.0, "height": 792.0}
FIELD = {"kind": "text", "box": [1.0, 2.0, 30.0, 40.0], "score": 0.5}
LINE = HEAD | {"page": PAGE, "fields": [FIELD]}
DOCUMENT = HEAD | {"pages": [{"page": PAGE, "fields": [FIELD]}]}

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
shares = st.floats(0, 1)
near = st.floats(-100, 2_000)
side = st.floats(0.5, 500)


@st.composite
def fields(draw):
    x, y = draw(near), draw(near)
    return Field(
        kind=draw(st.sampled_from(FieldKind)),
        box=(x, y, x + draw(side), y + draw(side)),
        score=draw(shares),
        quality=draw(st.none() | shares),
        origin=draw(st.none() | texts),
        name=draw(st.none() | texts),
        tooltip=draw(st.none() | texts),
        group=draw(st.none() | texts),
        order=draw(st.none() | st.integers(0, 999)),
        multiline=draw(st.none() | st.booleans()),
        comb=draw(st.none() | st.integers(1, 40)),
        font_size=draw(st.none() | st.floats(1, 40)),
    )


@st.composite
def documents(draw):
    refs = st.builds(PageRef, index=st.integers(0, 99), width=side, height=side)
    notes = st.lists(texts, max_size=2).map(tuple)
    page = st.builds(
        PageFields,
        page=refs,
        fields=st.lists(fields(), max_size=3).map(tuple),
        notes=notes,
        skipped=st.sampled_from([None, True]),
    )
    return DocumentFields(
        document=DocumentRef(name=draw(texts), sha256=SHA),
        detector=draw(st.none() | st.builds(DetectorRef, name=texts, weights=st.none() | texts)),
        operating_point=draw(st.none() | st.builds(OperatingPoint, text=shares, choice=shares)),
        pages=tuple(draw(st.lists(page, min_size=1, max_size=3, unique_by=lambda one: one.page.index))),
    )


@given(documents())
def test_json_goes_there_and_back(document):
    assert parse_document(document.to_json()) == document
    assert parse_document(document.to_json().encode()) == document


@given(documents())
def test_page_lines_go_there_and_back(document):
    text = "".join(f"{line}\n" for line in document.to_lines())
    assert parse_document(text) == document
    assert parse_document(text.encode()) == document


@given(documents())
def test_a_line_is_one_line_and_stands_for_itself(document):
    for page, line in zip(document.pages, document.to_lines(), strict=True):
        assert "\n" not in line
        read = parse_line(line)
        assert (read.page, read.fields, read.document) == (page.page, page.fields, document.document)


def test_a_name_with_odd_line_breaks_survives_the_page_lines():
    name = "first\u2028second\x85third\x0cfourth"
    document = parse_document(json.dumps(DOCUMENT | {"pages": [{"page": PAGE, "notes": [name]}]}))
    assert parse_document("\n".join(document.to_lines())).pages[0].notes == (name,)


def test_the_least_another_tool_must_write():
    field = parse_line(json.dumps(LINE | {"fields": [{"kind": "choice", "box": [0, 0, 9, 9]}]})).fields[0]
    assert field == Field(kind=FieldKind.CHOICE, box=(0, 0, 9, 9), score=1.0)


def changed(**entries):
    return HEAD | {"pages": [{"page": PAGE, "fields": [FIELD | entries]}]}


BAD = {
    "box of three numbers": changed(box=[1, 2, 3]),
    "inverted box": changed(box=[30, 2, 1, 40]),
    "box without area": changed(box=[1, 2, 1, 40]),
    "NaN": changed(box=[float("nan"), 2, 30, 40]),
    "infinite": changed(box=[1, 2, float("inf"), 40]),
    "text in a box": changed(box=[1, 2, "wide", 40]),
    "score above one": changed(score=1.5),
    "NaN score": changed(score=float("nan")),
    "unknown kind": changed(kind="button"),
    "comb without cells": changed(comb=0),
    "comb of more cells than a page has room for": changed(comb=10**20),
    "order beyond all numbers": changed(order=10**20),
    "order below all numbers": changed(order=-(10**20)),
    "page beyond all numbers": HEAD | {"pages": [{"page": PAGE | {"index": 10**20}}]},
    "the same page twice": HEAD | {"pages": [{"page": PAGE}, {"page": PAGE}]},
    "font without size": changed(font_size=0),
    "extra key": changed(colour="red"),
    "misspelt key": changed(tooltipp="x"),
    "half a character": changed(name="\ud800"),
    "no kind": HEAD | {"pages": [{"page": PAGE, "fields": [{"box": [0, 0, 1, 1]}]}]},
    "negative page": HEAD | {"pages": [{"page": PAGE | {"index": -1}}]},
    "page without size": HEAD | {"pages": [{"page": PAGE | {"width": 0}}]},
    "no document": {"schema": SCHEMA, "pages": []},
    "short hash": {"schema": SCHEMA, "document": {"name": "a", "sha256": "abc"}, "pages": []},
    "a later version": DOCUMENT | {"schema": "acromeld.fields/2"},
    "no schema": {"pages": []},
    "schema that is no text": DOCUMENT | {"schema": ["acromeld.fields/1"]},
    "a list": [DOCUMENT],
    "a number": 5,
    "nothing": None,
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_what_is_wrong_is_told_in_one_sentence(data):
    with pytest.raises(BadFields) as caught:
        parse_document(json.dumps(data), "edited.json")
    one_sentence(caught.value)
    assert "edited.json" in str(caught.value)


GARBAGE = {
    "empty": b"",
    "only blank lines": b" \n \n",
    "not JSON": b"hello",
    "cut off": json.dumps(DOCUMENT).encode()[:-9],
    "not UTF-8": b'{"schema": "\xff\xfe\xfa"}',
    "NUL bytes": b"\0" * 64,
    "deep nesting": b"[" * 200_000,
    "deeply nested objects": b'{"a":' * 200_000,
    "a number too long to be one": b'{"schema": ' + b"9" * 5_000 + b"}",
    "second line broken": json.dumps(LINE).encode() + b"\n{",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_told_in_one_sentence(data):
    with pytest.raises(BadFields) as caught:
        parse_document(data, "edited.json")
    one_sentence(caught.value)


def one_sentence(error):
    text = str(error)
    assert error.exit_code is ExitCode.FIELDS
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < 300


def test_the_sentence_names_the_place():
    with pytest.raises(BadFields, match=r"pages\.0\.fields\.0\.box"):
        parse_document(json.dumps(changed(box=[3, 3, 1, 1])))
    with pytest.raises(BadFields, match="line 2"):
        parse_document(json.dumps(LINE) + "\n" + json.dumps(LINE | {"page": {}}))
    with pytest.raises(BadFields, match=r"acromeld\.fields/2.*acromeld\.fields/1"):
        parse_document(json.dumps(BAD["a later version"]))
    with pytest.raises(BadFields, match="and 1 more problem"):
        parse_document(json.dumps(changed(kind="x", score=7)))


@pytest.mark.parametrize("newline", ["\n", "\n\n", "\r\n"])
def test_a_typing_mistake_is_told_where_it_is(newline):
    good = json.dumps(DOCUMENT, indent=1).replace("\n", newline)
    before, after = good.split("0.5")
    line = before.count("\n") + 1
    with pytest.raises(BadFields, match=f"edited.json is not valid JSON: .* at line {line} column"):
        parse_document(f"{before}oops{after}", "edited.json")
    with pytest.raises(BadFields, match=f"edited.json is not valid JSON: EOF .* at line {line} column"):
        parse_document(before.rstrip(), "edited.json")
    with pytest.raises(
        BadFields, match=f"edited.json is not valid JSON: .* at line {good.count(newline[-1]) + 2}"
    ):
        parse_document(f"{good}\n}}", "edited.json")


def test_a_typing_mistake_in_a_page_line_is_told_where_it_is():
    lines = [json.dumps(LINE | {"page": PAGE | {"index": index}}) for index in range(3)]
    lines[2] = lines[2].replace('"score": 0.5', '"score": oops')
    with pytest.raises(BadFields, match=r"edited.jsonl, line 5 is not valid JSON: [^0-9]* at column \d+\.$"):
        parse_document("\n" + lines[0] + "\n\n" + "\n".join(lines[1:]), "edited.jsonl")


def test_a_page_that_comes_twice_is_told_by_its_number():
    twice = json.dumps(LINE | {"page": PAGE | {"index": 6}})
    with pytest.raises(BadFields, match=r"edited.jsonl .*page 7 is there twice\.$"):
        parse_document(f"{twice}\n{twice}\n", "edited.jsonl")


def test_lines_of_two_documents_are_not_one_document():
    other = LINE | {"document": {"name": "b.pdf", "sha256": "1" * 64}}
    with pytest.raises(BadFields, match="several documents"):
        parse_document(json.dumps(LINE) + "\n" + json.dumps(other))


@pytest.mark.parametrize("prefix", ["", "\ufeff"])
def test_a_byte_order_mark_from_an_editor_is_fine(prefix):
    assert parse_document((prefix + json.dumps(DOCUMENT)).encode()).document.name == "a.pdf"
    assert parse_document((prefix + json.dumps(LINE)).encode()).document.name == "a.pdf"


def test_records_cannot_be_changed():
    field = Field(kind=FieldKind.TEXT, box=(0, 0, 1, 1))
    with pytest.raises(ValueError, match="frozen"):
        field.score = 0.1


def test_the_json_schema_names_what_the_files_hold():
    schema = json_schema()
    definitions = schema["$defs"]
    assert schema["properties"]["schema"]["const"] == SCHEMA
    assert set(schema["properties"]) == {
        "schema",
        "document",
        "detector",
        "operating_point",
        "language",
        "pages",
    }
    assert set(definitions["Field"]["properties"]) == set(Field.model_fields)
    assert definitions["Field"]["required"] == ["kind", "box"]
    assert definitions["FieldKind"]["enum"] == [kind.value for kind in FieldKind]
    assert definitions["Field"]["additionalProperties"] is False


def test_every_reference_of_the_json_schema_leads_somewhere():
    schema = json_schema()
    text = json.dumps(schema)
    references = {part.split('"')[0] for part in text.split('"$ref": "')[1:]}
    assert references == {f"#/$defs/{name}" for name in schema["$defs"]}


def test_lines_carry_the_language():
    page = PageFields(page=PageRef(index=0, width=612, height=792))
    document = DocumentFields(
        document=DocumentRef(name="form.pdf", sha256="0" * 64), language="de", pages=(page,)
    )
    assert parse_document("\n".join(document.to_lines())) == document


def test_the_thinnest_page_still_has_a_size():
    page = PageRef.of(2, 612.00049, 1e-6)
    assert (page.index, page.width, page.height) == (2, 612.0, 0.001)
