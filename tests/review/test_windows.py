# SPDX-License-Identifier: Apache-2.0
"""Several windows, a server that dies, and pages of other people in the same browser."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urldefrag
from urllib.request import urlopen

import pytest

from acromeld.cli import run
from acromeld.review.places import fields_path, fillable_path
from tests.review.hands import field, press, saving
from tests.review.made import put_form, saved_fields
from tests.review.running import running


@contextmanager
def command(pdf: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``acromeld review`` as a process of its own, and the address it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "acromeld", "review", str(pdf), "--detector", "rules", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        line = process.stdout.readline()
        assert " at http://127.0.0.1:" in line, line + process.stdout.read()
        yield process, line.split(" at ")[1].strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_killed_server_loses_nothing(tmp_path, open_page):
    pdf = put_form(tmp_path)
    with command(pdf) as (process, address):
        page = open_page(address)
        with saving(page):
            field(page, "name").click()
            press(page, "ArrowRight", "ArrowRight", "2")
        process.send_signal(signal.SIGKILL)
        process.wait()
        press(page, "ArrowDown")
        page.get_by_text("Not saved: The review program does not answer.").wait_for()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download my fields").click()
        rescued = download.value.path().read_bytes()
        page.close(run_before_unload=False)
    assert saved_fields(pdf).pages[0].fields[0].box == (102, 60, 262, 78)
    with command(pdf) as (_, address):
        page = open_page(address)
        assert field(page, "name").get_attribute("class") == "box choice checked"
    # What the dead server could not save is in the file the browser kept, and that file can be put in place.
    fields_path(pdf).write_bytes(rescued)
    assert saved_fields(pdf).pages[0].fields[0].box == (102, 61, 262, 79)


def until_it_answers(process: subprocess.Popen[str], address: str) -> None:
    """Before that, an interrupt is lost if the tests run in the background: shells have it ignored there."""
    while process.poll() is None:
        with suppress(OSError), urlopen(urldefrag(address).url, timeout=5):
            return


def test_stopping_the_command_is_not_a_failure(tmp_path):
    with command(put_form(tmp_path)) as (process, address):
        until_it_answers(process, address)
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 0
        assert "Traceback" not in process.stdout.read()


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["missing.pdf"], 3, "missing.pdf does not exist."),
        (["text.pdf"], 4, "text.pdf is not a PDF, or is damaged beyond repair."),
        (["empty"], 3, "There is no PDF in"),
        (["form.pdf", "--detector", "nonsense"], 3, "There is no detector 'nonsense'"),
    ],
)
def test_what_cannot_be_reviewed_is_said_at_once(tmp_path, monkeypatch, capsys, arguments, code, sentence):
    put_form(tmp_path)
    (tmp_path / "text.pdf").write_text("not a PDF")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run(["review", *arguments, "--no-browser"]) == code
    assert sentence in capsys.readouterr().err


def test_two_windows_do_not_overwrite_each_other(tmp_path, open_page):
    pdf = put_form(tmp_path)
    with running(pdf) as server:
        first, second = open_page(server.address), open_page(server.address)
        with saving(first):
            field(first, "name").click()
            press(first, "ArrowRight")
        field(second, "street").click()
        press(second, "ArrowRight")
        dialog = second.get_by_role("dialog", name="Changed elsewhere")
        dialog.wait_for()
        press(second, "Escape")
        assert dialog.is_visible()
        assert saved_fields(pdf).pages[0].fields[1].box[0] == 100
        dialog.get_by_role("button", name="Load the other").click()
        second.locator(".sheet .picture").wait_for()
        with saving(second):
            field(second, "street").click()
            press(second, "ArrowRight")
        assert [item.box[0] for item in saved_fields(pdf).pages[0].fields[:2]] == [101, 101]
        field(first, "agree").click()
        press(first, "ArrowLeft")
        first.get_by_role("dialog").get_by_role("button", name="Keep mine").click()
        first.locator(".save-state.saved").wait_for()
        assert [item.box[0] for item in saved_fields(pdf).pages[0].fields[:3]] == [101, 100, 99]


ATTACK = """
<!doctype html><title>attack</title><form method="post" enctype="text/plain" target="sink"></form>
<iframe name="sink"></iframe><iframe id="framed"></iframe><script>
window.attack = async (target, form) => {
  const tries = {
    read: () => fetch(target + "/api/session"),
    page: () => fetch(target + "/").then(answer => answer.text()),
    simple: () => fetch(target + form + "/fillable", {method: "POST", mode: "no-cors", body: "{}"}),
    put: () => fetch(target + form + "/fields", {method: "PUT", body: '{"base": 1}'}),
    bearer: () => fetch(target + "/api/session", {headers: {Authorization: "Bearer guess"}}),
    cookies: () => fetch(target + "/api/session", {credentials: "include"}),
  };
  const got = {};
  for (const [name, run] of Object.entries(tries)) {
    try { got[name] = (await run()).type ?? "text"; } catch (error) { got[name] = "blocked"; }
  }
  document.forms[0].action = target + form + "/fillable";
  document.forms[0].submit();
  document.getElementById("framed").src = target + "/";
  return got;
};
</script>
"""


@contextmanager
def attacker() -> Iterator[str]:
    """Another page on this machine: the server of another user, on another port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(ATTACK.encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_another_page_in_the_same_browser_cannot_drive_it(tmp_path, context, open_page):
    pdf = put_form(tmp_path)
    before = fields_path(pdf).read_bytes()
    with running(pdf) as server, attacker() as address:
        open_page(server.address)
        form = server.ready()
        page = context.new_page()
        page.goto(address)
        with page.expect_response(lambda answer: answer.url.endswith("/fillable")) as posted:
            got = page.evaluate("([target, form]) => window.attack(target, form)", [server.origin, form])
        assert posted.value.status == 403
        assert got == {
            "read": "blocked",
            "page": "blocked",
            "simple": "blocked",
            "put": "blocked",
            "bearer": "blocked",
            "cookies": "blocked",
        }
        page.frame_locator("#framed").locator("body.neterror").wait_for(state="attached")
        assert page.frame_locator("#framed").locator("#app").count() == 0
        assert context.cookies() == []
    assert fields_path(pdf).read_bytes() == before
    assert not fillable_path(pdf).exists()


def test_a_name_that_was_bent_to_this_machine_gets_nothing(tmp_path, context):
    """The attacker's name resolves to 127.0.0.1: the same origin for the browser, another host for us."""
    with running(put_form(tmp_path)) as server:
        page = context.new_page()
        answer = page.goto(server.address.replace("127.0.0.1", "rebound.test"))
        assert answer.status == 403
        assert page.locator("#app").count() == 0
        ask = "token => fetch('/api/session', {headers: {Authorization: 'Bearer ' + token}})"
        assert page.evaluate(f"{ask}.then(answer => answer.status)", server.token) == 403
