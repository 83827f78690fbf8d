# SPDX-License-Identifier: Apache-2.0
"""The three jobs over HTTP: the same bytes as from the command line, in every form of answer."""

import base64
import hashlib
import json

import pytest

from acromeld.cli import run
from acromeld.errors import ExitCode
from acromeld.fields import parse_document
from tests.form.samples import EXAMPLE, flat
from tests.pdf import hostile
from tests.serve.running import events

FORM = EXAMPLE.read_bytes()


@pytest.fixture(scope="module")
def from_commands(tmp_path_factory):
    """What the command line makes of the form."""
    folder = tmp_path_factory.mktemp("commands")
    (folder / "form.pdf").write_bytes(FORM)
    names = {name: folder / name for name in ("form.pdf", "out.pdf", "fields.json", "lines", "applied.pdf")}
    paths = {name: str(path) for name, path in names.items()}
    assert run(["recover", paths["form.pdf"], "-o", paths["out.pdf"], "--fields", paths["fields.json"]]) == 0
    assert run(["detect", paths["form.pdf"], "-o", paths["lines"]]) == 0
    assert run(["apply", paths["form.pdf"], paths["fields.json"], "-o", paths["applied.pdf"]]) == 0
    return {name: path.read_bytes() for name, path in names.items()}


def test_recover_gives_the_bytes_of_the_command(server, from_commands):
    answer = server.post("/v1/recover", FORM)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content == from_commands["out.pdf"]
    assert answer.headers["acromeld-pages"] == "2"
    assert int(answer.headers["acromeld-written"]) > 0
    assert json.loads(answer.headers["acromeld-notes"]) == []
    assert 'filename="form.fillable.pdf"' in answer.headers["content-disposition"]


def test_recover_as_json_brings_the_fields_along(server, from_commands):
    answer = server.post("/v1/recover", FORM, accept="application/json").json()
    assert base64.b64decode(answer["pdf"]) == from_commands["out.pdf"]
    fields = parse_document(json.dumps(answer["fields"]))
    assert fields == parse_document(from_commands["fields.json"])
    assert sum(answer["found"].values()) == sum(len(page.fields) for page in fields.pages)


def test_detect_gives_the_fields_file_of_the_command(server, from_commands):
    answer = server.post("/v1/detect", FORM)
    assert answer.headers["content-type"] == "application/json"
    assert answer.content == from_commands["fields.json"]


def test_detect_gives_the_lines_of_the_command(server, from_commands):
    answer = server.post("/v1/detect", FORM, accept="application/x-ndjson")
    assert answer.content == from_commands["lines"]


def test_apply_gives_the_bytes_of_the_command(server, from_commands):
    answer = server.post("/v1/apply", FORM, fields=from_commands["fields.json"])
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content == from_commands["applied.pdf"]


def test_progress_comes_as_events_and_the_result_last(server, from_commands):
    answer = server.post("/v1/recover", FORM, accept="text/event-stream")
    assert answer.headers["content-type"].startswith("text/event-stream")
    heard = events(answer.text)
    assert [name for name, _ in heard] == ["queued", "started", "progress", "progress", "result"]
    assert heard[3][1] == {"done": 2, "total": 2}
    assert base64.b64decode(heard[-1][1]["pdf"]) == from_commands["out.pdf"]


def test_the_fields_of_an_event_are_those_of_the_file(server, from_commands):
    heard = events(server.post("/v1/detect", FORM, accept="text/event-stream").text)
    assert heard[-1] == ("result", json.loads(from_commands["fields.json"]))


def test_a_failure_in_an_event_stream_is_its_last_event(server):
    answer = server.post("/v1/detect", b"hello", accept="text/event-stream")
    assert answer.status_code == 200
    name, problem = events(answer.text)[-1]
    assert name == "problem"
    assert (problem["status"], problem["code"]) == (422, "not_a_pdf")


def test_options_reach_the_work(server):
    raw = server.post("/v1/detect", FORM, raw="true", detector="rules").json()
    assert raw["detector"]["name"] == "rules"
    assert raw["operating_point"]["text"] < 0.05


def test_a_password_opens_a_protected_file(server):
    locked = hostile.locked("geheim")
    assert server.post("/v1/recover", locked, password="geheim").status_code == 200
    for options in ({}, {"password": "wrong"}):
        problem = server.post("/v1/recover", locked, **options).json()
        assert (problem["code"], problem["exit_code"]) == ("password", ExitCode.PASSWORD)
        assert "--" not in problem["detail"]


def test_a_signed_file_is_refused_unless_forced(server):
    problem = server.post("/v1/recover", hostile.signed(), "contract.pdf").json()
    assert (problem["status"], problem["code"]) == (422, "refused")
    assert problem["detail"] == (
        "contract.pdf is signed, and adding fields would make the signature invalid; "
        "the form field force does it anyway."
    )
    forced = server.post("/v1/recover", hostile.signed(), force="true")
    assert forced.status_code == 200
    assert any("signature" in note for note in json.loads(forced.headers["acromeld-notes"]))


def test_existing_fields_can_be_replaced(server, from_commands):
    form = from_commands["out.pdf"]
    assert int(server.post("/v1/recover", form).headers["acromeld-written"]) == 0
    assert int(server.post("/v1/recover", form, existing="replace").headers["acromeld-written"]) > 0


@pytest.mark.parametrize(
    ("data", "code", "exit_code"),
    [
        (b"", "not_a_pdf", ExitCode.NOT_A_PDF),
        (b"hello", "not_a_pdf", ExitCode.NOT_A_PDF),
        (hostile.without_pages(), "not_a_pdf", ExitCode.NOT_A_PDF),
        (hostile.dynamic_xfa(), "refused", ExitCode.REFUSED),
        (flat(pages=4), "limit", ExitCode.LIMIT),
    ],
    ids=["empty", "no PDF", "no pages", "XFA", "too many pages"],
)
def test_bad_documents_have_the_codes_of_the_command_line(server, data, code, exit_code):
    answer = server.post("/v1/recover", data)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["code"], problem["exit_code"]) == (code, exit_code)
    assert problem["type"] == f"urn:acromeld:problem:{code}"
    assert problem["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize("fields", [b"", b"{", b"[]", b'{"schema": "other/9"}', b"\xff\xfe"])
def test_bad_fields_are_told(server, fields):
    problem = server.post("/v1/apply", FORM, fields=fields).json()
    assert (problem["status"], problem["code"]) == (422, "fields")
    assert problem["exit_code"] == ExitCode.FIELDS


def test_fields_of_another_document_need_force(server, from_commands):
    other = flat(pages=1)
    assert hashlib.sha256(other).hexdigest().encode() not in from_commands["fields.json"]
    assert server.post("/v1/apply", other, fields=from_commands["fields.json"]).json()["code"] == "fields"


def test_names_of_any_script_survive(server):
    answer = server.post("/v1/recover", FORM, "Übung申.pdf")
    assert "filename*=UTF-8''%C3%9Cbung%E7%94%B3.fillable.pdf" in answer.headers["content-disposition"]
    detected = server.post("/v1/detect", FORM, "../../etc/Übung申.pdf").json()
    assert detected["document"]["name"] == "Übung申.pdf"
