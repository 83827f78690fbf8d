# SPDX-License-Identifier: Apache-2.0
"""The commands on good files."""

import io
import json
import os
from decimal import Decimal

import pikepdf
import pytest

from acromeld.detect.registry import DEFAULT
from acromeld.errors import ExitCode
from acromeld.fields import SCHEMA, parse_document, parse_line
from acromeld.pdf.source import Source
from tests.form.samples import EXAMPLE, flat, widgets
from tests.pdf import hostile
from tests.pdf.drawn import drawn, saved


def field_count(path):
    with pikepdf.open(path) as pdf:
        return sum(len(widgets(pdf, page)) for page in range(len(pdf.pages)))


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_recover_writes_a_fillable_copy_beside_the_original(acromeld, form, tmp_path):
    before = form.read_bytes()
    done = acromeld("recover", form, "--detector", "rules")
    assert done.code == ExitCode.OK
    assert done.err == ""
    assert done.out.startswith(f"{tmp_path / 'form.fillable.pdf'}: ")
    assert done.out.count("\n") == 1
    assert "on 2 pages" in done.out
    assert field_count(tmp_path / "form.fillable.pdf") >= 4
    assert form.read_bytes() == before
    assert files(tmp_path) == ["form.fillable.pdf", "form.pdf"]


def test_recover_tells_programs_in_json(acromeld, form, tmp_path):
    done = acromeld("recover", "form.pdf", "-o", "out.pdf", "--fields", "out.json", "--json")
    told = json.loads(done.out)
    assert told["output"] == "out.pdf"
    assert told["pages"] == 2
    assert (
        told["written"] == field_count(tmp_path / "out.pdf") == sum(told["found"].values()) - told["dropped"]
    )
    fields = parse_document((tmp_path / "out.json").read_bytes())
    assert fields.document.model_dump() == told["document"]
    assert fields.document.name == "form.pdf"
    assert sum(len(page.fields) for page in fields.pages) == sum(told["found"].values())


def test_recover_gives_the_same_bytes_every_time(acromeld, form, tmp_path):
    for name in ("a.pdf", "b.pdf"):
        acromeld("recover", form, "--detector", "rules", "-o", name)
    assert field_count("a.pdf") == 4
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_pictures_replace_nothing_without_force(acromeld, form, tmp_path):
    (tmp_path / "p-2.png").write_bytes(b"somebody's")
    draw = ("detect", form, "--detector", "rules", "--draw", "p.png")
    refused = acromeld(*draw)
    assert refused.code == ExitCode.OUTPUT
    assert "p-2.png exists already" in refused.err
    assert files(tmp_path) == ["form.pdf", "p-2.png"]
    assert acromeld(*draw, "--force").code == ExitCode.OK
    assert (tmp_path / "p-2.png").read_bytes().startswith(b"\x89PNG")


def test_detect_and_apply_are_recover_in_two_steps(acromeld, form, tmp_path):
    rules = ("--detector", "rules")
    assert acromeld("detect", form, *rules, "-o", "found.jsonl").code == ExitCode.OK
    done = acromeld("apply", form, "found.jsonl", "-o", "applied.pdf")
    assert done.code == ExitCode.OK
    assert done.out == "applied.pdf: 4 fields written.\n"
    assert field_count("applied.pdf") == 4
    acromeld("recover", form, *rules, "-o", "recovered.pdf")
    assert (tmp_path / "applied.pdf").read_bytes() == (tmp_path / "recovered.pdf").read_bytes()


def test_apply_tells_programs_in_json(acromeld, form):
    acromeld("recover", form, "--detector", "rules", "--fields", "fields.json")
    told = json.loads(acromeld("apply", form, "fields.json", "-o", "out.pdf", "--json").out)
    assert told["written"] == field_count("out.pdf") == 4
    assert set(told) == {"output", "written", "dropped", "notes"}


def test_apply_writes_edited_fields(acromeld, form, tmp_path):
    acromeld("recover", form, "--fields", "fields.json")
    edited = json.loads((tmp_path / "fields.json").read_text())
    edited["pages"] = edited["pages"][:1]
    edited["pages"][0]["fields"] = [
        {"kind": "text", "box": [100, 400, 300, 420], "name": "motto", "tooltip": "Your motto"}
    ]
    (tmp_path / "fields.json").write_text(json.dumps(edited))
    assert acromeld("apply", form, "fields.json", "-o", "out.pdf").out == "out.pdf: 1 field written.\n"
    with pikepdf.open("out.pdf") as pdf:
        (widget,) = widgets(pdf)
        assert (str(widget.T), str(widget.TU)) == ("motto", "Your motto")


def test_detect_prints_one_line_a_page(acromeld):
    done = acromeld("detect", EXAMPLE)
    lines = [parse_line(line) for line in done.out.splitlines()]
    assert done.err == ""
    assert [line.page.index for line in lines] == [0, 1]
    assert all(line.fields for line in lines)
    assert lines[0].detector.name == DEFAULT


def test_detect_raw_keeps_what_the_thresholds_drop(acromeld, form):
    labels = "BT /F1 9 Tf 20 200 Td (Name:) Tj 90 0 Td (Date:) Tj ET"
    form.write_bytes(drawn(f"{labels} 20 100 m 180 100 l S"))
    rules = ("detect", form, "--detector", "rules")
    plain = [parse_line(line) for line in acromeld(*rules).out.splitlines()]
    raw = [parse_line(line) for line in acromeld(*rules, "--raw").out.splitlines()]
    assert len(raw[0].fields) > len(plain[0].fields)
    assert min(field.score for field in raw[0].fields) < min(field.score for field in plain[0].fields)
    assert all(field.score >= 0.01 for field in raw[0].fields)


def test_detect_searches_folders_in_a_stable_order(acromeld, form, tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("b.pdf", "deep/a.PDF", "deep/er/c.pdf", "deep/note.txt"):
        (tmp_path / name).write_bytes(form.read_bytes())
    names = [parse_line(line).document.name for line in acromeld("detect", tmp_path).out.splitlines()]
    assert names == ["b.pdf"] * 2 + ["a.PDF"] * 2 + ["c.pdf"] * 2 + ["form.pdf"] * 2


def test_the_lines_file_gets_the_usual_permissions(acromeld, form, tmp_path):
    acromeld("detect", form, "-o", "found.jsonl")
    (tmp_path / "usual").write_text("")
    assert os.stat("found.jsonl").st_mode == os.stat("usual").st_mode


def test_inspect_tells_programs_in_json(acromeld, form):
    acromeld("recover", form, "--detector", "rules")
    told = json.loads(acromeld("inspect", "form.fillable.pdf", "--json").out)
    assert told["name"] == "form.fillable.pdf"
    assert told["refusal"] is None
    assert not told["signed"]
    page = told["pages"][0]
    assert (page["width"], page["height"], page["rotation"]) == (612, 792, 0)
    assert page["words"] == 2
    assert (page["lines"], page["rects"]) == (1, 1)
    assert page["tokens"] == 5
    assert (page["fields"]["text"], page["fields"]["choice"]) == (1, 1)


def test_inspect_shows_people_a_table(acromeld, form):
    done = acromeld("inspect", form)
    assert done.code == ExitCode.OK
    assert done.err == ""
    assert "612x792" in done.out
    assert "not signed" in done.out


def test_inspect_prints_names_as_they_are_and_sizes_whole(acromeld, tmp_path, monkeypatch):
    """On a terminal of 80 columns, as they come."""
    for variable, value in {"FORCE_COLOR": "1", "TERM": "dumb", "COLUMNS": "80"}.items():
        monkeypatch.setenv(variable, value)
    name = "form [draft] [bold]:smile:.pdf"
    pdf = pikepdf.open(io.BytesIO(hostile.signed()))
    pdf.pages[0].obj["/MediaBox"] = pikepdf.Array([0, 0, Decimal("1190.55"), Decimal("1683.78")])
    pdf.pages[0].obj["/Rotate"] = 90
    (tmp_path / name).write_bytes(saved(pdf))
    done = acromeld("inspect", name)
    first, _, refusal, *table = done.out.splitlines()
    assert first.startswith(f"{name}  sha256 ")
    assert refusal.startswith(f"recover would refuse: {name} ")
    assert "1683.78x1190.55 ↻90" in done.out
    assert "…" not in "".join(table)
    assert max(map(len, table)) <= 80


def test_schema_prints_the_json_schema(acromeld):
    done = acromeld("schema")
    assert done.code == ExitCode.OK
    assert json.loads(done.out)["properties"]["schema"]["const"] == SCHEMA


OVERWRITES = {
    "recover": ["recover", "form.pdf", "-o", "there"],
    "recover's fields": ["recover", "form.pdf", "-o", "new.pdf", "--fields", "there"],
    "detect": ["detect", "form.pdf", "-o", "there"],
    "apply": ["apply", "form.pdf", "fields.json", "-o", "there"],
}


@pytest.mark.parametrize("arguments", OVERWRITES.values(), ids=OVERWRITES.keys())
def test_nothing_is_overwritten_without_force(acromeld, form, tmp_path, arguments):
    acromeld("recover", form, "--fields", "fields.json")
    (tmp_path / "there").write_text("precious")
    before = files(tmp_path)
    done = acromeld(*arguments)
    assert done.code == ExitCode.OUTPUT
    assert "exists already" in done.one_sentence()
    assert (tmp_path / "there").read_text() == "precious"
    assert files(tmp_path) == before
    assert acromeld(*arguments, "--force").code == ExitCode.OK
    assert (tmp_path / "there").read_text("latin-1") != "precious"


SELF = {
    "recover": ["recover", "form.pdf", "-o", "form.pdf"],
    "recover by another name": ["recover", "form.pdf", "-o", "link.pdf"],
    "recover's fields": ["recover", "form.pdf", "-o", "new.pdf", "--fields", "form.pdf"],
    "recover, both outputs": ["recover", "form.pdf", "-o", "new", "--fields", "./new"],
    "detect": ["detect", "form.pdf", "-o", "form.pdf"],
    "detect in a folder": ["detect", ".", "-o", "form.pdf"],
    "apply to the original": ["apply", "form.pdf", "fields.json", "-o", "form.pdf"],
    "apply to the fields": ["apply", "form.pdf", "fields.json", "-o", "fields.json"],
}


@pytest.mark.parametrize("arguments", SELF.values(), ids=SELF.keys())
def test_what_a_command_reads_is_never_overwritten_even_by_force(acromeld, form, tmp_path, arguments):
    (tmp_path / "fields.json").write_text("{}")
    (tmp_path / "link.pdf").symlink_to(form)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = acromeld(*arguments, "--force")
    assert done.code == ExitCode.OUTPUT
    done.one_sentence()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("output", ["no/such/folder/out.pdf", "folder"])
def test_outputs_that_cannot_be(acromeld, form, tmp_path, output):
    (tmp_path / "folder").mkdir()
    for command in ("recover", "detect"):
        done = acromeld(command, form, "-o", output, "--force")
        assert done.code == ExitCode.OUTPUT
        done.one_sentence()


USAGE = [
    ["recover"],
    ["nonsense"],
    ["recover", "form.pdf", "--nope"],
    ["recover", "form.pdf", "--existing", "maybe"],
]


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_a_command_line_that_is_not_understood(acromeld, form, arguments):
    done = acromeld(*arguments)
    assert done.code == ExitCode.USAGE
    assert done.out == ""
    assert done.err.startswith("acromeld: ")
    assert done.err.count("\n") == 1


def test_a_file_too_many_is_named(acromeld, form):
    done = acromeld("recover", form, "more.pdf", "and [this].pdf")
    assert done.code == ExitCode.USAGE
    assert done.err == (
        'acromeld: There is no place for "more.pdf", "and [this].pdf" in this command; --help shows it.\n'
    )


def test_existing_fields_are_kept_or_replaced(acromeld, form):
    acromeld("recover", form)
    count = field_count("form.fillable.pdf")
    kept = json.loads(acromeld("recover", "form.fillable.pdf", "-o", "kept.pdf", "--json").out)
    assert (kept["written"], field_count("kept.pdf")) == (0, count)
    replaced = json.loads(
        acromeld("recover", "form.fillable.pdf", "-o", "new.pdf", "--existing", "replace", "--json").out
    )
    assert replaced["written"] == field_count("new.pdf") == count


def test_an_unnamed_detector(acromeld, form):
    done = acromeld("detect", form, "--detector", "oracle")
    assert done.code == ExitCode.NOT_FOUND
    assert "rules" in done.one_sentence()


def test_the_python_functions_do_the_same(form):
    import acromeld

    found = acromeld.detect(form)
    assert acromeld.apply(form, found).data == acromeld.recover(form).form.data
    assert (
        acromeld.recover(Source(flat(pages=2), "form.pdf")).form.data
        == acromeld.recover(form, isolated=False).form.data
    )
    assert acromeld.detect(form.read_bytes(), isolated=False).pages == found.pages
