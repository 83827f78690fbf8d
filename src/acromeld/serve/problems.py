# SPDX-License-Identifier: Apache-2.0
"""Every way a request can fail, with its status, as ``application/problem+json`` (RFC 9457).

Failures of the command line keep their name and exit code here, so that a program that knows one knows the
other. ``detail`` is one sentence for people; programs read ``code``.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from acromeld.errors import AcromeldError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Scope

MEDIA_TYPE = "application/problem+json"
REQUEST_ID = "acromeld.request_id"
"""Key of the ASGI scope under which the middleware keeps the identity of a request."""


class Problem(Enum):
    """Code, HTTP status, exit code of the command line, title, and the sentence if there is no better one."""

    BAD_REQUEST = ("bad_request", 400, ExitCode.USAGE, "The request was not understood.")
    UNAUTHORIZED = ("unauthorized", 401, None, "This server asks for its bearer token.")
    HOST = ("host", 403, None, "The request was sent to a name that is not one of this server's.")
    ORIGIN = ("origin", 403, None, "The page that sent the request is not trusted.")
    NOT_FOUND = ("not_found", 404, None, "There is nothing at this address.")
    METHOD = ("method", 405, None, "This address does not answer to this method.")
    NOT_ACCEPTABLE = ("not_acceptable", 406, None, "None of the accepted media types can be given.")
    SLOW_UPLOAD = ("slow_upload", 408, ExitCode.LIMIT, "The upload took too long.")
    TOO_LARGE = ("too_large", 413, ExitCode.LIMIT, "The upload is larger than the limit.")
    MEDIA = ("media_type", 415, None, "The body has a media type that is not read here.")
    DETECTOR = ("detector", 422, ExitCode.NOT_FOUND, "There is no such detector.")
    NOT_A_PDF = ("not_a_pdf", 422, ExitCode.NOT_A_PDF, "The file is not a PDF, or is damaged beyond repair.")
    PASSWORD = ("password", 422, ExitCode.PASSWORD, "A password is needed, or the one given is wrong.")
    LIMIT = ("limit", 422, ExitCode.LIMIT, "The file exceeds a limit.")
    REFUSED = ("refused", 422, ExitCode.REFUSED, "Writing the file would damage it.")
    FIELDS = ("fields", 422, ExitCode.FIELDS, "The fields are malformed or for another document.")
    BUSY = ("busy", 429, None, "All workers are busy and the queue is full.")
    INTERNAL = ("internal", 500, ExitCode.FAILURE, "Something unexpected went wrong.")
    CRASHED = ("crashed", 502, ExitCode.FAILURE, "The file crashed the worker that read it.")
    STOPPING = ("stopping", 503, None, "The server is shutting down.")
    STARTING = ("starting", 503, None, "No worker is ready yet.")
    TIME = ("time", 504, ExitCode.LIMIT, "The work took longer than the limit.")

    def __init__(self, code: str, status: int, exit_code: ExitCode | None, sentence: str) -> None:
        self.code = code
        self.status = status
        self.exit_code = exit_code
        self.sentence = sentence


_BY_EXIT_CODE = {
    ExitCode.NOT_FOUND: Problem.DETECTOR,
    ExitCode.NOT_A_PDF: Problem.NOT_A_PDF,
    ExitCode.PASSWORD: Problem.PASSWORD,
    ExitCode.LIMIT: Problem.LIMIT,
    ExitCode.REFUSED: Problem.REFUSED,
    ExitCode.FIELDS: Problem.FIELDS,
}


class Trouble(Exception):
    """A problem of one request, raised anywhere and answered by the application.

    ``log`` is for the operator only: what went wrong inside, without anything of the document.
    """

    def __init__(
        self,
        problem: Problem,
        detail: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        log: str | None = None,
    ) -> None:
        super().__init__(detail or problem.sentence)
        self.problem = problem
        self.headers = dict(headers or {})
        self.log = log

    @classmethod
    def from_error(cls, error: AcromeldError) -> Trouble:
        """What a failure of the library is in HTTP; options of the command line are form fields here."""
        problem = _BY_EXIT_CODE.get(error.exit_code, Problem.INTERNAL)
        if problem is Problem.INTERNAL:
            return cls(problem, log=type(error).__name__)
        return cls(problem, re.sub(r"--(\w+)", r"the form field \1", str(error)))

    def document(self, scope: Scope) -> dict[str, Any]:
        """The problem as JSON."""
        problem = self.problem
        body: dict[str, Any] = {
            "type": f"urn:acromeld:problem:{problem.code}",
            "title": problem.sentence,
            "status": problem.status,
            "detail": str(self),
            "code": problem.code,
        }
        if problem.exit_code is not None:
            body["exit_code"] = int(problem.exit_code)
        if REQUEST_ID in scope:
            body["request_id"] = scope[REQUEST_ID]
        return body

    def response(self, scope: Scope) -> JSONResponse:
        """The problem as a response."""
        return JSONResponse(
            self.document(scope),
            status_code=self.problem.status,
            headers=self.headers,
            media_type=MEDIA_TYPE,
        )
