# SPDX-License-Identifier: Apache-2.0
"""Requests that are not as they should be, and the addresses beside the jobs."""

import pytest

STUB = b"%STUB 3"


def test_the_server_says_that_it_lives_and_is_ready(server):
    server.post("/v1/detect", STUB)
    assert server.client.get("/healthz").json() == {"status": "ok"}
    assert server.client.get("/readyz").json() == {"status": "ready"}


@pytest.mark.parametrize(
    "options",
    [
        {"existing": "maybe"},
        {"force": "perhaps"},
        {"unknown": "1"},
        {"raw": "true"},
        {"force": ""},
        {"ocr": "yes"},
    ],
)
def test_options_that_are_not_understood_are_refused(server, options):
    assert server.post("/v1/recover", STUB, **options).json()["code"] == "bad_request"


def test_an_unknown_detector_is_named_among_the_known(server):
    problem = server.post("/v1/recover", STUB, detector="magic").json()
    assert (problem["status"], problem["code"], problem["exit_code"]) == (422, "detector", 3)
    assert "ffgbt" in problem["detail"]


def test_options_do_not_go_into_the_address(server):
    answer = server.post("/v1/recover?password=secret", STUB)
    assert answer.json()["code"] == "bad_request"


@pytest.mark.parametrize(("length", "status"), [(127, 200), (128, 400), (2000, 400)])
def test_a_password_has_a_length(server, length, status):
    assert server.post("/v1/recover", STUB, password="x" * length).status_code == status


def raw(server, body, content_type="multipart/form-data; boundary=b"):
    headers = {"Content-Type": content_type} if content_type else {}
    return server.client.post("/v1/recover", content=body, headers=headers)


PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%STUB 3\r\n'


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (PART + b"--b--\r\n", "multipart/form-data; boundary=b", 200),
        (PART, "multipart/form-data; boundary=b", 400),
        (PART + PART + b"--b--", "multipart/form-data; boundary=b", 400),
        (b"", "multipart/form-data; boundary=b", 400),
        (b"--b--\r\n", "multipart/form-data; boundary=b", 400),
        (b"nonsense", "multipart/form-data; boundary=b", 400),
        (PART + b"--b--\r\n", "multipart/form-data", 400),
        (PART + b"--b--\r\n", f"multipart/form-data; boundary={'b' * 300}", 400),
        (PART.replace(b"file", b"\xff") + b"--b--\r\n", "multipart/form-data; boundary=b", 400),
        (PART.replace(b"Content-D", b"D") + b"--b--\r\n", "multipart/form-data; boundary=b", 400),
        (b"%PDF-1.7", "application/pdf", 415),
        (b"{}", "application/json", 415),
        (b"", None, 415),
    ],
)
def test_bodies_are_well_formed_or_refused(server, body, content_type, status):
    assert raw(server, body, content_type).status_code == status


@pytest.mark.parametrize("accept", ["image/png", "text/html", "application/pdf;q=0", "application/x-ndjson"])
def test_an_answer_that_cannot_be_given_is_not_worked_on(server, accept):
    answer = server.post("/v1/recover", STUB, accept=accept)
    assert answer.json()["code"] == "not_acceptable"
    assert "application/pdf" in answer.json()["detail"]


def test_other_addresses_and_methods_are_problems_too(server):
    assert server.client.get("/").json()["code"] == "not_found"
    assert server.client.post("/v1/detect/").json()["code"] == "not_found"
    refused = server.client.get("/v1/detect")
    assert refused.json()["code"] == "method"
    assert refused.headers["allow"] == "POST"


def test_a_request_keeps_the_identity_its_client_gave_it(server):
    def identity(given):
        return server.client.get("/healthz", headers={"X-Request-Id": given}).headers["x-request-id"]

    assert identity("job-17.a") == "job-17.a"
    assert identity("no spaces") != "no spaces"
    assert identity("x" * 65) != "x" * 65


def test_answers_are_not_kept_by_anybody_on_the_way(server):
    for answer in (server.client.get("/healthz"), server.post("/v1/detect", STUB)):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers


def test_metrics_count_what_happened(server):
    before = server.service.metrics.requests["/v1/detect", 200]
    server.post("/v1/detect", STUB)
    text = server.client.get("/metrics").text
    assert f'acromeld_requests_total{{endpoint="/v1/detect",status="200"}} {before + 1}' in text
    assert 'acromeld_request_seconds_bucket{endpoint="/v1/detect",le="+Inf"}' in text
    assert "acromeld_queue_depth 0" in text
    assert 'acromeld_workers{state="idle"} 1' in text


def test_addresses_that_do_not_exist_do_not_fill_the_metrics(server):
    for number in range(3):
        server.client.get(f"/nothing/{number}")
    assert "nothing" not in server.client.get("/metrics").text
