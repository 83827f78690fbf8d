# SPDX-License-Identifier: Apache-2.0
"""What crosses the border between the owner of a batch and its workers.

Workers parse hostile files, so nothing they send back is trusted: an outcome is JSON that has to fit the
model below, and the files it made are plain bytes under names that are checked here.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from acromeld.detect.registry import DEFAULT
from acromeld.errors import ExitCode
from acromeld.form.describe.ocr import Ocr, ocr_installed
from acromeld.form.describe.signing import Signatures
from acromeld.form.existing import Existing

PDF = "pdf"
FIELDS = "fields"
_PICTURE = re.compile(r"page-[0-9]{1,5}")


@dataclass(frozen=True)
class Options:
    """What is done with every document; two runs with the same options give the same bytes.

    Attributes:
        detector: Which detector finds the fields.
        fields_only: Write fields.json and no PDF.
        existing: Fields that are there already: keep or replace.
        force: Go on with signed files and files with usage rights.
        ocr: Whether the words of scans are read for labels, where an engine is installed.
        signatures: What becomes of places to sign.
        file_seconds: Time one document may take.
        stall_seconds: Time without a finished page after which a worker is taken for hung.
        memory_mb: Address space of a worker.
    """

    detector: str = DEFAULT
    fields_only: bool = False
    existing: str = Existing.KEEP.value
    force: bool = False
    ocr: str = Ocr.AUTO.value
    signatures: str = Signatures.AUTO.value
    file_seconds: float = 900.0
    stall_seconds: float = 120.0
    memory_mb: int = 4096

    def as_json(self) -> dict[str, Any]:
        """The options as a JSON object."""
        return asdict(self)

    def identity(self) -> dict[str, Any]:
        """What decides about the bytes of an output; limits only decide whether there is one."""
        kept = {key: value for key, value in asdict(self).items() if key not in _LIMITS}
        return kept | {"ocr": self.reads_scans}

    @property
    def reads_scans(self) -> bool:
        """Whether scans are read on this machine, which is a matter of what is installed."""
        return self.ocr == Ocr.AUTO and ocr_installed()


_LIMITS = {"file_seconds", "stall_seconds", "memory_mb"}


@dataclass(frozen=True)
class Job:
    """One document.

    Attributes:
        key: Row of the journal.
        name: File name as text, for messages and fields.json.
        path: What is opened.
        sha256: Content hash the file had when the work was planned.
        stem: Output path below the output folder, without its ending.
        ours: Digests of outputs that may be replaced; none if anything may.
        isolated: Whether each page is read in a process of its own: the second attempt.
    """

    key: int
    name: str
    path: str
    sha256: str
    stem: str = ""
    ours: frozenset[str] | None = frozenset()
    isolated: bool = False

    def again(self) -> Job:
        """The second attempt, in which every page is read in a process of its own."""
        return replace(self, isolated=True)


class Doubt(BaseModel):
    """A page that somebody should look at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    page: int = Field(ge=0)
    fields: int = Field(ge=0)


class Outcome(BaseModel):
    """How a document ended; ``code`` 0 means that it was done."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    code: int = Field(ge=0, le=130)
    reason: str = Field(default="", max_length=2000)
    pages: int = Field(default=0, ge=0)
    found: dict[str, int] = Field(default_factory=dict)
    written: int = Field(default=0, ge=0)
    dropped: int = Field(default=0, ge=0)
    notes: list[str] = Field(default_factory=list)
    doubts: list[Doubt] = Field(default_factory=list)
    again: bool = False
    """Whether a second attempt, page by page, may do better."""

    @property
    def done(self) -> bool:
        """Whether there are outputs."""
        return self.code == ExitCode.OK


def failure(reason: str, code: ExitCode = ExitCode.FAILURE, *, again: bool = False) -> Outcome:
    """An outcome without outputs."""
    return Outcome(code=int(code), reason=reason[:2000], again=again)


Parts = dict[str, bytes]
"""The files a worker made: ``pdf``, ``fields``, and ``page-N`` for pictures of doubtful pages."""


@dataclass(frozen=True)
class Delivered:
    """SHA-256 and size of each output that is in place, by name of the part."""

    digests: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Finished:
    """A job with its outcome.

    Attributes:
        job: What was to be done.
        outcome: How it ended.
        parts: Files still to be written.
        delivered: Files that are in place already, when the engine writes where the work is done.
        attempts: Tries it took.
        seconds: How long the last of them took.
    """

    job: Job
    outcome: Outcome
    parts: Parts = field(default_factory=dict, repr=False)
    delivered: Delivered | None = None
    attempts: int = 1
    seconds: float = 0.0


def known_part(name: str) -> bool:
    """Whether a part has one of the names we write; anything else is a worker gone wrong."""
    return name in (PDF, FIELDS) or _PICTURE.fullmatch(name) is not None
