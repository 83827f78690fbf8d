# SPDX-License-Identifier: Apache-2.0
"""DNS rebinding, cross-site requests and tokens, at the level of single requests."""

import pytest

from acromeld.serve.guards import HostGuard, OriginGuard, bearer_token, is_loopback, same_secret, split_host
from tests.serve.alone import run_alone


async def ok(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})
    else:
        await send({"type": "websocket.accept"})


def scope(method="GET", scheme="http", kind="http", **headers):
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": kind, "method": method, "scheme": scheme, "path": "/", "headers": pairs}


def first_message(app, request):
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    run_alone(app(request, receive, send))
    return sent[0]


def status(app, request):
    return first_message(app, request)["status"]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8765", "localhost:1", "LOCALHOST", "[::1]:8", "localhost."]
)
def test_our_own_names_are_let_through(host):
    assert status(HostGuard(ok), scope(host=host)) == 204


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8765",
        "localhost@evil",
        "",
        "127.0.0.1:x",
        "a/b",
        "::1",
    ],
)
def test_a_rebound_name_is_refused(host):
    assert status(HostGuard(ok), scope(host=host)) == 403


def test_no_host_and_two_hosts_are_refused():
    double = scope(host="localhost")
    double["headers"].append((b"host", b"evil.example"))
    assert status(HostGuard(ok), scope()) == 403
    assert status(HostGuard(ok), double) == 403


def test_a_name_with_a_port_is_for_that_port_only():
    guard = HostGuard(ok, ["127.0.0.1:8765"])
    assert status(guard, scope(host="127.0.0.1:8765")) == 204
    assert status(guard, scope(host="127.0.0.1:8766")) == 403
    assert status(guard, scope(host="127.0.0.1")) == 403


POST = {"method": "POST", "host": "127.0.0.1:8765"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://127.0.0.1:8765"},
        {"origin": "http://127.0.0.1:8765", "sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
    ],
)
def test_our_own_page_and_programs_may_post(headers):
    assert status(OriginGuard(ok), scope(**POST, **headers)) == 204


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "https://127.0.0.1:8765"},
        {"origin": "http://localhost:8765"},
        {"origin": "null"},
        {"origin": ""},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_other_pages_may_not(method, headers):
    assert status(OriginGuard(ok), scope(**(POST | {"method": method}), **headers)) == 403


def test_reading_is_not_the_business_of_the_origin_guard():
    assert status(OriginGuard(ok), scope(host="127.0.0.1:8765", origin="https://evil.example")) == 204


def test_origins_can_be_trusted_by_name():
    guard = OriginGuard(ok, ["https://office.example"])
    assert status(guard, scope(**POST, origin="https://office.example:443")) == 204
    assert status(guard, scope(**POST, origin="http://office.example")) == 403


def test_a_page_that_only_browsers_drive_can_ask_for_an_origin():
    guard = OriginGuard(ok, required=True)
    assert status(guard, scope(**POST)) == 403
    assert status(guard, scope(**POST, origin="http://127.0.0.1:8765")) == 204


def test_web_sockets_are_guarded_like_posts():
    def opened(**headers):
        request = scope(kind="websocket", scheme="ws", host="127.0.0.1:8765", **headers)
        return first_message(OriginGuard(ok), request)["type"] == "websocket.accept"

    assert opened(origin="http://127.0.0.1:8765")
    assert not opened(origin="https://evil.example")


def test_secrets_are_compared_whole():
    assert same_secret("täglich", "täglich")
    assert not same_secret("a", "aa")
    assert not same_secret("", "a")


@pytest.mark.parametrize(
    ("value", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer  abc ", "abc"),
        ("Basic abc", None),
        ("Bearer", None),
        ("Bearer ", None),
    ],
)
def test_the_bearer_token_is_read(value, token):
    assert bearer_token(scope(authorization=value)) == token


def test_two_authorizations_are_none():
    request = scope(authorization="Bearer a")
    request["headers"].append((b"authorization", b"Bearer b"))
    assert bearer_token(request) is None


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
        ("10.0.0.1", False),
        ("myhost", False),
    ],
)
def test_public_addresses_are_told_from_local_ones(address, local):
    assert is_loopback(address) is local


def test_hosts_are_split():
    assert split_host("Name.Example:80") == ("name.example", 80)
    assert split_host("[::1]:80") == ("[::1]", 80)
    assert split_host("user@name") is None
