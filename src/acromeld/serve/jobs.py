# SPDX-License-Identifier: Apache-2.0
"""What the server asks of a worker, and the forms an answer can take."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from acromeld.detect.registry import DEFAULT
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.signing import Signatures
from acromeld.form.existing import Existing


class Kind(StrEnum):
    """The three jobs, named like the commands."""

    DETECT = "detect"
    APPLY = "apply"
    RECOVER = "recover"


class Answer(StrEnum):
    """Media types of an answer."""

    PDF = "application/pdf"
    JSON = "application/json"
    LINES = "application/x-ndjson"
    EVENTS = "text/event-stream"


OFFERS: dict[Kind, tuple[Answer, ...]] = {
    Kind.DETECT: (Answer.JSON, Answer.LINES, Answer.EVENTS),
    Kind.APPLY: (Answer.PDF, Answer.JSON, Answer.EVENTS),
    Kind.RECOVER: (Answer.PDF, Answer.JSON, Answer.EVENTS),
}
"""What each job can be answered with; the first if the client has no wish."""


@dataclass(frozen=True)
class Job:
    """One document to work on; its bytes travel beside it."""

    kind: Kind
    answer: Answer
    name: str = "document.pdf"
    password: str | None = field(default=None, repr=False)
    detector: str = DEFAULT
    existing: Existing = Existing.KEEP
    ocr: Ocr = Ocr.AUTO
    signatures: Signatures = Signatures.AUTO
    force: bool = False
    raw: bool = False

    def to_message(self) -> dict[str, Any]:
        """Plain JSON for the worker."""
        return asdict(self)

    @classmethod
    def from_message(cls, data: dict[str, Any]) -> Job:
        """The job back again."""
        kinds = {"kind": Kind, "answer": Answer, "existing": Existing, "ocr": Ocr, "signatures": Signatures}
        return cls(**data | {name: kind(data[name]) for name, kind in kinds.items()})


@dataclass(frozen=True)
class Result:
    """The finished answer and what there is to say about it: counts, notes."""

    body: bytes = field(repr=False)
    summary: dict[str, Any]
