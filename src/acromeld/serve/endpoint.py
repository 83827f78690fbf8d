# SPDX-License-Identifier: Apache-2.0
"""``POST /v1/…``: from a request to a job, and from its result to an answer."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from starlette.datastructures import Headers

from acromeld.detect.registry import DEFAULT, detector_names
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.signing import Signatures
from acromeld.form.existing import Existing
from acromeld.serve.answers import plain_answer, send_events, unless_gone
from acromeld.serve.jobs import OFFERS, Answer, Job, Kind, Result
from acromeld.serve.negotiation import choose
from acromeld.serve.problems import Problem, Trouble
from acromeld.serve.uploads import FormReader, Upload, read_form

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from acromeld.serve.metrics import Metrics
    from acromeld.serve.pool import Pool
    from acromeld.serve.settings import Settings

E = TypeVar("E", bound=StrEnum)

OPTIONS: dict[Kind, frozenset[str]] = {
    Kind.DETECT: frozenset({"password", "detector", "ocr", "signatures", "raw"}),
    Kind.APPLY: frozenset({"password", "existing", "force"}),
    Kind.RECOVER: frozenset({"password", "detector", "existing", "ocr", "signatures", "force"}),
}
"""Form fields of each job besides its files."""

LONGEST_PASSWORD = 127
"""Of the characters a PDF looks at (ISO 32000-2, 7.6.4.3.3)."""

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class JobEndpoint:
    """One of the three addresses that take documents."""

    def __init__(self, kind: Kind, settings: Settings, pool: Pool, metrics: Metrics, folder: str) -> None:
        self.kind = kind
        self.settings = settings
        self.pool = pool
        self.metrics = metrics
        self.folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; its files are gone when this returns."""
        if self.metrics.in_flight >= self.settings.requests:
            raise Trouble(Problem.BUSY, headers={"Retry-After": str(self.pool.retry_after())})
        self.metrics.in_flight += 1
        try:
            with Upload() as upload:
                await self._handle(scope, receive, send, upload)
        finally:
            self.metrics.in_flight -= 1

    async def _handle(self, scope: Scope, receive: Receive, send: Send, upload: Upload) -> None:
        headers = Headers(scope=scope)
        if scope["query_string"]:
            raise Trouble(Problem.BAD_REQUEST, "Options are form fields; there is no query here.")
        answer = choose(",".join(headers.getlist("accept")), OFFERS[self.kind])
        reader = self._reader(headers, upload)
        self.pool.check_room()
        self.metrics.upload_bytes += await read_form(reader, receive, self.settings)
        job = self._job(upload, answer)
        if answer is Answer.EVENTS:
            stream = send_events(scope, send, lambda tell: self.pool.submit(job, upload.files, tell))
            await unless_gone(receive, stream)
        else:
            result = await unless_gone(receive, self._result(job, upload))
            upload.close()
            await plain_answer(job, result)(scope, receive, send)

    async def _result(self, job: Job, upload: Upload) -> Result:
        return await self.pool.submit(job, upload.files, lambda _name, _data: None)

    def _reader(self, headers: Headers, upload: Upload) -> FormReader:
        files = {"file": self.settings.upload_bytes}
        if self.kind is Kind.APPLY:
            files["fields"] = self.settings.fields_bytes
        reader = FormReader(upload, headers.get("content-type", ""), files, OPTIONS[self.kind], self.folder)
        length = headers.get("content-length", "")
        if length.isdecimal():
            reader.check_length(int(length))
        return reader

    def _job(self, upload: Upload, answer: Answer) -> Job:
        texts = upload.texts
        detector = texts.get("detector", DEFAULT)
        if detector not in detector_names():
            known = ", ".join(detector_names())
            raise Trouble(Problem.DETECTOR, f"There is no such detector; known are {known}.")
        return Job(
            kind=self.kind,
            answer=answer,
            name=upload.name,
            password=_password(texts.get("password", "")),
            detector=detector,
            existing=_one_of(Existing, "existing", texts.get("existing", Existing.KEEP)),
            ocr=_one_of(Ocr, "ocr", texts.get("ocr", Ocr.AUTO)),
            signatures=_one_of(Signatures, "signatures", texts.get("signatures", Signatures.AUTO)),
            force=_truth("force", texts),
            raw=_truth("raw", texts),
        )


def _password(text: str) -> str | None:
    if len(text) > LONGEST_PASSWORD:
        raise Trouble(Problem.BAD_REQUEST, f"A password has {LONGEST_PASSWORD} characters at the most.")
    return text or None


def _one_of(kind: type[E], name: str, text: str) -> E:
    try:
        return kind(text)
    except ValueError:
        known = " or ".join(kind)
        raise Trouble(Problem.BAD_REQUEST, f"The form field {name} is {known}.") from None


def _truth(name: str, texts: dict[str, str]) -> bool:
    value = texts.get(name, "false").lower()
    if value not in _TRUTH:
        raise Trouble(Problem.BAD_REQUEST, f"The form field {name} is true or false.")
    return _TRUTH[value]
