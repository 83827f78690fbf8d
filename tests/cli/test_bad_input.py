# SPDX-License-Identifier: Apache-2.0
"""Bad files end with a sentence and a documented exit code; the original stays, nothing else appears."""

import io
import json
from decimal import Decimal
from functools import partial

import pikepdf
import pytest

from acromeld import recovery
from acromeld.cli import detect as detect_command
from acromeld.cli import recover as recover_command
from acromeld.errors import ExitCode
from acromeld.fields import parse_line
from acromeld.pdf.isolation import IsolatedReader
from acromeld.pdf.limits import Limits
from tests.form.samples import flat
from tests.pdf import hostile
from tests.pdf.drawn import drawn, saved

RULE = "20 20 m 180 20 l S"


def without_a_trailer() -> bytes:
    """Cut in the middle of the page tree: nothing that qpdf could repair is left."""
    return flat()[:100]


REFUSED = {
    "truncated": (without_a_trailer(), ExitCode.NOT_A_PDF),
    "cut off at the end": (flat()[: flat().rindex(b"startxref")], ExitCode.REFUSED),
    "not a PDF": (b"Dear Sir or Madam,\n", ExitCode.NOT_A_PDF),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(500), ExitCode.NOT_A_PDF),
    "only a header": (b"%PDF-1.7\n", ExitCode.NOT_A_PDF),
    "empty": (b"", ExitCode.NOT_A_PDF),
    "no pages": (hostile.without_pages(), ExitCode.NOT_A_PDF),
    "page tree without end": (hostile.endless_page_tree(), ExitCode.NOT_A_PDF),
    "page tree with a loop": (hostile.page_tree_with_a_loop(), ExitCode.NOT_A_PDF),
    "page of 1 pt": (drawn(RULE, MediaBox=pikepdf.Array([0, 0, 1, 1])), ExitCode.LIMIT),
    "page of no height to speak of": (
        drawn(RULE, MediaBox=pikepdf.Array([0, 0, 200, Decimal("0.0004")])),
        ExitCode.LIMIT,
    ),
    "page of 201 inches": (drawn(RULE, MediaBox=pikepdf.Array([0, 0, 14_472, 14_472])), ExitCode.LIMIT),
    "page of 10,000 inches": (drawn(RULE, UserUnit=3_600.0), ExitCode.LIMIT),
    "password needed": (hostile.locked(), ExitCode.PASSWORD),
    "signed": (hostile.signed(), ExitCode.REFUSED),
    "dynamic XFA": (hostile.dynamic_xfa(), ExitCode.REFUSED),
}


@pytest.mark.parametrize(("data", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_recover_refuses_with_a_sentence(acromeld, tmp_path, data, code):
    path = tmp_path / "bad.pdf"
    path.write_bytes(data)
    done = acromeld("recover", path, "--fields", "fields.json")
    assert done.code == code
    assert "bad.pdf" in done.one_sentence()
    assert path.read_bytes() == data
    assert [file.name for file in tmp_path.iterdir()] == ["bad.pdf"]


@pytest.mark.parametrize("name", ["truncated", "no pages", "password needed"])
@pytest.mark.parametrize(
    "arguments",
    [("detect", "bad.pdf", "-o", "out"), ("inspect", "bad.pdf"), ("apply", "bad.pdf", "f.json", "-o", "out")],
    ids=lambda arguments: arguments[0],
)
def test_the_other_commands_refuse_it_likewise(acromeld, tmp_path, name, arguments):
    data, code = REFUSED[name]
    (tmp_path / "bad.pdf").write_bytes(data)
    (tmp_path / "f.json").write_text(
        json.dumps(
            {"schema": "acromeld.fields/1", "document": {"name": "x", "sha256": "0" * 64}, "pages": []}
        )
    )
    done = acromeld(*arguments)
    assert done.code == code
    done.one_sentence()
    assert not (tmp_path / "out").exists()


def test_files_that_are_not_there(acromeld, tmp_path):
    (tmp_path / "folder").mkdir()
    for arguments in (
        ["recover", "no.pdf"],
        ["inspect", "no.pdf"],
        ["recover", "folder"],
        ["detect", "folder"],
    ):
        done = acromeld(*arguments)
        assert done.code == ExitCode.NOT_FOUND
        done.one_sentence()
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


def test_a_wrong_password_and_the_right_one(acromeld, tmp_path):
    (tmp_path / "locked.pdf").write_bytes(hostile.locked())
    done = acromeld("recover", "locked.pdf", "--password", "guess")
    assert (done.code, done.one_sentence()) == (ExitCode.PASSWORD, "The password does not open locked.pdf.")
    assert "--password" in acromeld("recover", "locked.pdf").one_sentence()
    done = acromeld("recover", "locked.pdf", "--password", "secret")
    assert done.code == ExitCode.OK
    assert "not protected" in done.err
    with pikepdf.open("locked.fillable.pdf") as pdf:
        assert not pdf.is_encrypted


def test_an_empty_password_opens_with_a_note(acromeld, tmp_path):
    (tmp_path / "form.pdf").write_bytes(hostile.protected_by_an_empty_password())
    done = acromeld("recover", "form.pdf")
    assert done.code == ExitCode.OK
    assert "encrypted with an empty password" in done.err


def test_signed_files_go_through_by_force(acromeld, tmp_path):
    (tmp_path / "signed.pdf").write_bytes(hostile.signed())
    done = acromeld("recover", "signed.pdf", "--force")
    assert done.code == ExitCode.OK
    assert "signature of the original is not valid" in done.err


def test_inspect_says_what_recover_would_refuse(acromeld, tmp_path):
    for name, data in {"signed": hostile.signed(), "XFA": hostile.dynamic_xfa()}.items():
        (tmp_path / "bad.pdf").write_bytes(data)
        told = json.loads(acromeld("inspect", "bad.pdf", "--json").out)
        assert name in told["refusal"]


def test_a_form_that_draws_itself_ends(acromeld, tmp_path):
    (tmp_path / "form.pdf").write_bytes(hostile.endless_form())
    assert acromeld("recover", "form.pdf").code == ExitCode.OK


def test_fifty_thousand_paths_give_a_note_and_a_file(acromeld, tmp_path):
    (tmp_path / "form.pdf").write_bytes(hostile.many_paths())
    done = acromeld("recover", "form.pdf")
    assert done.code == ExitCode.OK
    assert done.err == "note: Page 1 has more than 40,000 words or shapes; the rest was ignored.\n"
    assert (tmp_path / "form.fillable.pdf").exists()


def test_a_bad_page_among_good_ones_costs_that_page(acromeld, tmp_path):
    pdf = pikepdf.open(io.BytesIO(flat(pages=3)))
    pdf.pages[1].obj["/MediaBox"] = pikepdf.Array([0, 0, 1, 1])
    (tmp_path / "form.pdf").write_bytes(saved(pdf))
    done = acromeld("recover", "form.pdf", "--detector", "rules", "--json")
    assert done.code == ExitCode.OK
    told = json.loads(done.out)
    assert told["notes"] == ["Page 2 is 1 x 1 pt, outside the limits, and was skipped."]
    assert told["pages"] == 3
    assert told["written"] >= 4


SMALL = Limits(memory_bytes=320 * 2**20)


def test_a_content_bomb_costs_its_page(acromeld, tmp_path, monkeypatch):
    monkeypatch.setattr(recover_command, "recover_pdf", partial(recovery.recover, limits=SMALL))
    data = hostile.content_bomb(200)
    (tmp_path / "bomb.pdf").write_bytes(data)
    done = acromeld("recover", "bomb.pdf")
    assert done.code == ExitCode.OK
    (note,) = done.err.splitlines()
    assert note.startswith("note: Page 2 could not be read")
    assert (tmp_path / "bomb.pdf").read_bytes() == data


def test_an_object_stream_bomb_is_refused(acromeld, tmp_path, monkeypatch):
    monkeypatch.setattr(recover_command, "recover_pdf", partial(recovery.recover, limits=SMALL))
    (tmp_path / "bomb.pdf").write_bytes(hostile.object_stream_bomb(200))
    done = acromeld("recover", "bomb.pdf")
    assert done.code in (ExitCode.LIMIT, ExitCode.NOT_A_PDF)
    done.one_sentence()
    assert [file.name for file in tmp_path.iterdir()] == ["bomb.pdf"]


@pytest.mark.parametrize(
    "limits", [Limits(file_bytes=500), Limits(pages=1)], ids=["too large", "too many pages"]
)
def test_limits_stop_the_work(acromeld, form, tmp_path, monkeypatch, limits):
    monkeypatch.setattr(detect_command, "IsolatedReader", partial(IsolatedReader, limits))
    done = acromeld("detect", form, "-o", "out")
    assert done.code == ExitCode.LIMIT
    assert "limit" in done.one_sentence()
    assert not (tmp_path / "out").exists()


def test_detect_goes_on_after_bad_files(acromeld, form, tmp_path):
    good = {"a.pdf": flat(), "m.pdf": hostile.numbered("m", 3), "z.pdf": flat()}
    bad = {"b.pdf": b"hello", "c.pdf": hostile.locked(), "n.pdf": hostile.endless_page_tree(), "x.pdf": b""}
    form.unlink()
    for name, data in (good | bad).items():
        (tmp_path / name).write_bytes(data)
    done = acromeld("detect", tmp_path, "-o", "found.jsonl")
    assert done.code == ExitCode.PARTIAL
    told = done.err.splitlines()
    assert len(told) == len(bad)
    assert all(name in line for name, line in zip(sorted(bad), told, strict=True))
    names = [parse_line(line).document.name for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert names == ["a.pdf", "m.pdf", "m.pdf", "m.pdf", "z.pdf"]


def test_detect_leaves_no_empty_file_when_all_is_bad(acromeld, tmp_path):
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(b"hello")
    assert acromeld("detect", tmp_path, "-o", "found.jsonl").code == ExitCode.PARTIAL
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "b.pdf"]


FIELDS = {
    "not JSON": b"hello",
    "not UTF-8": b"\xff\xfe\xfa",
    "a later version": b'{"schema": "acromeld.fields/9"}',
    "deep": b"[" * 100_000,
    "another document": json.dumps(
        {"schema": "acromeld.fields/1", "document": {"name": "x", "sha256": "0" * 64}, "pages": []}
    ).encode(),
}


@pytest.mark.parametrize("data", FIELDS.values(), ids=FIELDS.keys())
def test_apply_refuses_bad_fields(acromeld, form, tmp_path, data):
    (tmp_path / "fields.json").write_bytes(data)
    done = acromeld("apply", form, "fields.json", "-o", "out.pdf")
    assert done.code == ExitCode.FIELDS
    done.one_sentence()
    assert not (tmp_path / "out.pdf").exists()
