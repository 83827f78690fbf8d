# SPDX-License-Identifier: Apache-2.0
"""Who may come in: the token, the names of the server, the pages of other people."""

import pytest

from acromeld.errors import Refused
from acromeld.serve.server import check_exposure, served_hosts
from tests.serve.running import running

TOKEN = "a-secret-of-some-length"
STUB = {"file": b"%STUB 3"}


@pytest.fixture(scope="module")
def guarded():
    with running(token=TOKEN) as up:
        yield up


@pytest.mark.parametrize("given", [None, "Bearer wrong", f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN}x"])
def test_without_the_token_there_is_nothing(guarded, given):
    headers = {} if given is None else {"Authorization": given}
    for path in ("/metrics", "/openapi.json", "/nothing"):
        answer = guarded.client.get(path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert guarded.client.post("/v1/detect", files=STUB, headers=headers).status_code == 401


def test_with_the_token_there_is(guarded):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.client.post("/v1/detect", files=STUB, headers=headers).status_code == 200
    assert guarded.client.get("/metrics", headers=headers).status_code == 200


def test_probes_need_no_token(guarded):
    assert guarded.client.get("/healthz").status_code == 200
    assert guarded.client.get("/readyz").status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/metrics", "/openapi.json", "/v1/detect"])
def test_a_rebound_name_gets_nothing(server, path):
    """A page of evil.example whose name now points at 127.0.0.1 is of the same origin as our answers."""
    answer = server.client.get(path, headers={"Host": f"evil.example:{server.port}"})
    assert (answer.status_code, answer.json()["code"]) == (403, "host")


def test_a_rebound_name_cannot_post(server):
    headers = {"Host": "evil.example", "Origin": "http://evil.example"}
    answer = server.client.post("/v1/detect", files=STUB, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "host")


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_the_page_of_another_site_cannot_post(server, headers):
    answer = server.client.post("/v1/detect", files=STUB, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "origin")


def test_other_sites_may_not_read_answers(server):
    answer = server.client.get("/healthz", headers={"Origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_a_public_address_needs_a_token_of_some_length():
    check_exposure("127.0.0.1", None)
    check_exposure("0.0.0.0", TOKEN)
    for host in ("0.0.0.0", "::", "192.0.2.7", "name.example"):
        with pytest.raises(Refused, match="needs a token"):
            check_exposure(host, None)
    with pytest.raises(Refused, match="too short"):
        check_exposure("0.0.0.0", "short")


def test_names_the_server_answers_to():
    assert served_hosts("127.0.0.1", ()) == {"127.0.0.1", "localhost", "[::1]"}
    assert "forms.example" in served_hosts("127.0.0.1", ["forms.example"])
    assert served_hosts("0.0.0.0", ()) is None
    assert "forms.example" in served_hosts("0.0.0.0", ["forms.example"])
