# SPDX-License-Identifier: Apache-2.0
"""The HTTP face: who may speak to it, what it answers, and that mistakes are one sentence."""

import struct
from threading import Semaphore

import httpx
import pikepdf
import pytest

from acromeld.review.desk import Desk
from acromeld.review.form import ReviewForm, Stage
from acromeld.review.places import fields_path
from tests.review.made import document, flat_pdf, put_form
from tests.review.running import running


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(put_form(tmp_path_factory.mktemp("api"), pages=2)) as server:
        server.ready()
        yield server


def plain(server, path="/api/session", method="GET", token=True, **headers):
    """A request with exactly these headers."""
    if token:
        headers = {"Authorization": f"Bearer {server.token}"} | headers
    with httpx.Client(base_url=server.origin, trust_env=False) as client:
        return client.request(method, path, headers=headers, content=b"{}" if method != "GET" else None)


def test_the_api_asks_for_the_token(server):
    assert plain(server).status_code == 200
    assert plain(server, token=False).status_code == 401
    assert plain(server, Authorization="Bearer wrong").status_code == 401
    assert plain(server, Authorization=f"Basic {server.token}").status_code == 401


def test_the_token_is_long_and_in_no_answer(server):
    assert len(server.token) >= 32
    for path in ("/", "/assets/index.js", "/api/session", "/api/forms"):
        answer = plain(server, path)
        assert answer.status_code == 200
        assert server.token not in answer.text + str(answer.headers)


@pytest.mark.parametrize("path", ["/", "/api/session", "/assets/index.js"])
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1:1", "localhost", "", "127.0.0.1.evil"]
)
def test_another_name_for_this_machine_gets_nothing(server, path, host):
    """DNS rebinding: the attacker's name resolves to 127.0.0.1, and his page has our origin."""
    answer = plain(server, path, Host=host)
    assert answer.status_code in (400, 403)
    assert "acromeld review" not in answer.text.lower().replace("acromeld review has printed", "")


def test_our_own_names_are_known(server):
    port = server.origin.rpartition(":")[2]
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert plain(server, Host=host).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize(("path", "method"), [("/fields", "PUT"), ("/fillable", "POST"), ("/status", "POST")])
def test_another_page_cannot_change_anything_even_with_the_token(server, headers, path, method):
    """CSRF: the browser names the page that sends the request; another port is another page."""
    assert plain(server, server.ready() + path, method, **headers).status_code == 403


def test_every_answer_forbids_what_the_page_does_not_need(server):
    for path in ("/", "/assets/index.js", "/api/session", "/nothing", "/api/nothing"):
        headers = plain(server, path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe-inline" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
    assert plain(server).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/../api.py", "/%2e%2e/api.py", "/..%2fapi.py", "/assets/../../api.py"])
def test_nothing_outside_the_page_is_served(server, path):
    assert plain(server, path).status_code == 404


def test_pictures_come_in_steps_of_size(server):
    def size(wanted):
        data = server.client.get(f"{server.ready()}/pages/1/picture", params={"size": wanted}).content
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        return struct.unpack(">II", data[16:24])

    assert size(100) == (176, 220)
    assert size(1000) == (960, 1200)
    assert size(99999) == (2560, 3200)


def test_guides_are_the_lines_of_the_page(server):
    guides = server.client.get(f"{server.ready()}/pages/0/guides").json()
    assert [78.0, 100.0, 260.0] in guides["horizontal"]
    assert [100.0, 140.0, 112.0, 152.0] in guides["places"]


def test_fields_of_the_original_are_shown(tmp_path):
    pdf = put_form(tmp_path)
    with pikepdf.open(pdf, allow_overwriting_input=True) as opened:
        widget = pikepdf.Dictionary(Subtype=pikepdf.Name.Widget, FT=pikepdf.Name.Tx, Rect=[10, 460, 90, 480])
        widgets = pikepdf.Array([opened.make_indirect(widget)])
        opened.pages[0].obj["/Annots"] = widgets
        opened.Root["/AcroForm"] = pikepdf.Dictionary(Fields=widgets)
        opened.save(pdf)
    fields_path(pdf).write_text(document(pdf).to_json(), "utf-8")
    with running(pdf) as server:
        guides = server.client.get(f"{server.ready()}/pages/0/guides").json()
    assert guides["existing"] == [[10.0, 20.0, 90.0, 40.0]]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/pages/2/picture", None, 404),
        ("GET", "/pages/2/guides", None, 404),
        ("PUT", "/fields", "not json", 400),
        ("PUT", "/fields", '{"base": 1, "pages": {"0": [{"kind": "text", "box": [9, 9, 1, 1]}]}}', 400),
        ("PUT", "/fields", '{"base": 1, "surprise": true}', 400),
        ("PUT", "/fields", '{"base": 1, "thresholds": {"text": 7, "choice": 0, "signature": 0}}', 400),
        ("POST", "/status", '{"status": "failed"}', 400),
        ("DELETE", "/fields", None, 405),
    ],
)
def test_mistakes_are_refused_and_change_nothing(server, method, path, body, status):
    form = server.ready()
    before = server.client.get(f"{form}/revision").json()
    answer = server.client.request(method, form + path, content=body)
    assert answer.status_code == status
    assert status == 405 or answer.json()["detail"].endswith(".")
    assert server.client.get(f"{form}/revision").json() == before


def test_an_unknown_form_is_not_there(server):
    assert server.client.get("/api/forms/0123456789abcdef").status_code == 404


def test_a_stale_save_is_a_conflict_that_names_the_revision(server):
    form = server.ready()
    answer = server.client.put(f"{form}/fields", json={"base": 0})
    assert answer.status_code == 409
    assert answer.json()["code"] == "stale"
    assert answer.json()["revision"] == server.client.get(f"{form}/revision").json()["revision"]


def test_a_long_document_is_read_page_by_page(tmp_path):
    with running(put_form(tmp_path, pages=300)) as server:
        form = server.ready()
        assert len(server.client.get(form).json()["pages"]) == 300
        assert server.client.get(f"{form}/pages/299/picture?size=100").status_code == 200
        assert server.client.get(f"{form}/pages/299/guides").json()["horizontal"]


def test_a_folder_is_a_work_list(tmp_path):
    put_form(tmp_path, "b.pdf")
    put_form(tmp_path, "a.pdf")
    (tmp_path / "a.fillable.pdf").write_bytes(flat_pdf())
    (tmp_path / "below").mkdir()
    put_form(tmp_path / "below", "c.PDF")
    (tmp_path / "broken.pdf").write_bytes(b"no PDF at all")
    with running(tmp_path) as server:
        items = server.client.get("/api/forms").json()["forms"]
        assert [item["name"] for item in items] == ["a.pdf", "b.pdf", "below/c.PDF", "broken.pdf"]
        assert {item["status"] for item in items} == {"new"}
        keys = {item["name"]: item["key"] for item in items}
        done = server.ready(keys["a.pdf"])
        server.client.post(f"{done}/status", json={"status": "done"})
        server.ready(keys["below/c.PDF"])
        server.ready(keys["broken.pdf"])
        items = server.client.get("/api/forms").json()["forms"]
    assert [item["status"] for item in items] == ["done", "new", "review", "failed"]
    assert items[3]["message"] == "broken.pdf is not a PDF, or is damaged beyond repair."


def test_a_form_that_failed_is_started_again_when_it_is_opened_again(tmp_path):
    pdf = put_form(tmp_path)
    right = fields_path(pdf).read_bytes()
    pdf.write_bytes(flat_pdf(2))
    with running(tmp_path) as server:
        (key,) = (item["key"] for item in server.client.get("/api/forms").json()["forms"])
        form = server.ready(key)
        assert server.desk.form(key).opening.stage == "failed"
        # Whoever asks for anything but the form itself is no editor that opens it.
        broken = server.desk.form(key)
        assert server.client.get(f"{form}/revision").status_code == 404
        assert server.desk.form(key) is broken
        pdf.write_bytes(flat_pdf())
        assert fields_path(pdf).read_bytes() == right
        server.ready(key)
        assert server.client.get(form).json()["stage"] == "ready"
        assert server.client.get("/api/forms").json()["forms"][0]["status"] == "review"


def test_a_failure_is_told_to_one_who_waits_for_it(tmp_path, monkeypatch):
    """Only opening starts a form again, not every question of a page that waits: it would wait for ever."""
    (tmp_path / "broken.pdf").write_bytes(b"no PDF at all")
    go_on, ended = Semaphore(0), Semaphore(0)
    starts = []
    start = ReviewForm.start

    def held_back(form, detector):
        starts.append(form)
        go_on.acquire(timeout=60)
        start(form, detector)
        ended.release()

    monkeypatch.setattr(ReviewForm, "start", held_back)
    desk = Desk(tmp_path, detector="rules")
    (key,) = (entry.key for entry in desk.entries())
    try:
        for opened in (1, 2):
            assert desk.look(key)[1].stage is Stage.OPENING
            assert desk.look(key)[1].stage is Stage.OPENING
            go_on.release()
            assert ended.acquire(timeout=60)
            assert desk.look(key)[1].stage is Stage.FAILED
            assert len(starts) == opened
    finally:
        desk.close()


def test_the_next_file_of_a_folder_is_prepared_and_stays_new(tmp_path):
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(flat_pdf())
    with running(tmp_path) as server:
        first, second = (item["key"] for item in server.client.get("/api/forms").json()["forms"])
        server.ready(first)
        server.desk.prepared.result()
        items = server.client.get("/api/forms").json()["forms"]
        assert [item["status"] for item in items] == ["review", "new"]
        assert (tmp_path / "b.fields.json").exists()
        assert server.client.get(f"/api/forms/{second}").json()["stage"] == "ready"
