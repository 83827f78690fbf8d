# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI 3.1 description of the service, from the same tables and models the service runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acromeld import __version__
from acromeld.detect.registry import DEFAULT, detector_names
from acromeld.fields import KINDS, DocumentFields, PageLine
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.signing import Signatures
from acromeld.form.existing import Existing
from acromeld.serve import metrics, problems
from acromeld.serve.endpoint import LONGEST_PASSWORD, OPTIONS
from acromeld.serve.jobs import OFFERS, Answer, Kind
from acromeld.serve.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acromeld.serve.settings import Settings

    Json = dict[str, Any]

_SUMMARIES = {
    Kind.DETECT: "Find the fields of a PDF.",
    Kind.APPLY: "Write the fields of a fields file into a copy of its PDF.",
    Kind.RECOVER: "Find the missing fields of a PDF and give a fillable copy.",
}
_OPTIONS: dict[str, Json] = {
    "password": {"type": "string", "maxLength": LONGEST_PASSWORD, "description": "For protected files."},
    "detector": {"type": "string", "default": DEFAULT, "description": "Which detector finds the fields."},
    "existing": {
        "type": "string",
        "enum": [choice.value for choice in Existing],
        "default": Existing.KEEP.value,
        "description": "Fields that are there already: keep them, or replace them.",
    },
    "ocr": {
        "type": "string",
        "enum": [choice.value for choice in Ocr],
        "default": Ocr.AUTO.value,
        "description": "Whether scans are read for labels, if an OCR engine is installed.",
    },
    "signatures": {
        "type": "string",
        "enum": [choice.value for choice in Signatures],
        "default": Signatures.AUTO.value,
        "description": "Places to sign: as found, all signature fields, all text fields, or left for a pen.",
    },
    "force": {
        "type": "boolean",
        "default": False,
        "description": "Write signed, cut-off and rights-enabled files; use fields made for another file.",
    },
    "raw": {
        "type": "boolean",
        "default": False,
        "description": "Every candidate above 0.01 for evaluation, class thresholds not applied.",
    },
}
_ALWAYS = (Problem.HOST, Problem.INTERNAL)
_JOBS = (
    Problem.BAD_REQUEST,
    Problem.ORIGIN,
    Problem.NOT_ACCEPTABLE,
    Problem.SLOW_UPLOAD,
    Problem.TOO_LARGE,
    Problem.MEDIA,
    Problem.NOT_A_PDF,
    Problem.PASSWORD,
    Problem.LIMIT,
    Problem.BUSY,
    Problem.CRASHED,
    Problem.STOPPING,
    Problem.TIME,
)
_ONLY: dict[Kind, tuple[Problem, ...]] = {
    Kind.DETECT: (Problem.DETECTOR,),
    Kind.APPLY: (Problem.REFUSED, Problem.FIELDS),
    Kind.RECOVER: (Problem.REFUSED, Problem.DETECTOR),
}


def openapi(settings: Settings) -> Json:
    """The whole document; limits and security are those of this server."""
    document: Json = {
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "AcroMELD",
            "version": __version__,
            "summary": "Finds the missing fields of a flat PDF and gives it back as a real, fillable form.",
            "description": _description(settings),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {f"/v1/{kind}": {"post": _job(kind, settings)} for kind in Kind} | _plain_paths(settings),
        "components": {"schemas": _schemas()},
    }
    if settings.token is not None:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _description(settings: Settings) -> str:
    return (
        "Documents are worked on in processes of their own and deleted before the answer ends. "
        f"Limits of this server: {settings.upload_bytes} bytes, {settings.pages} pages and "
        f"{settings.seconds:g} s per document; {settings.workers} at a time, {settings.queue} waiting."
    )


def _job(kind: Kind, settings: Settings) -> Json:
    form = {"schema": _form(kind, settings), "encoding": _encoding(kind)}
    content = {"multipart/form-data": form}
    offers = {answer.value: {"schema": _answer_schema(kind, answer)} for answer in OFFERS[kind]}
    done = {"description": "Done.", "headers": _summary_headers(kind), "content": offers}
    return {
        "operationId": kind.value,
        "summary": _SUMMARIES[kind],
        "requestBody": {"required": True, "content": content},
        "responses": {"200": done} | _failures((*_JOBS, *_ONLY[kind], *_always(settings))),
    }


def _always(settings: Settings) -> tuple[Problem, ...]:
    return _ALWAYS if settings.token is None else (*_ALWAYS, Problem.UNAUTHORIZED)


def _form(kind: Kind, settings: Settings) -> Json:
    properties: Json = {
        "file": {
            "type": "string",
            "contentMediaType": "application/pdf",
            "description": f"The PDF, up to {settings.upload_bytes} bytes; its name is used in messages.",
        }
    }
    if kind is Kind.APPLY:
        properties["fields"] = {
            "type": "string",
            "contentMediaType": "application/json",
            "description": f"A fields file or lines of /v1/detect, up to {settings.fields_bytes} bytes.",
        }
    required = list(properties)
    for name in sorted(OPTIONS[kind]):
        properties[name] = dict(_OPTIONS[name])
    if "detector" in properties:
        properties["detector"]["enum"] = list(detector_names())
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _encoding(kind: Kind) -> Json:
    """Media types of the parts; the server does not insist on them."""
    file = {"file": {"contentType": "application/pdf"}}
    return file | {"fields": {"contentType": "application/json"}} if kind is Kind.APPLY else file


def _answer_schema(kind: Kind, answer: Answer) -> Json:
    if answer is Answer.JSON:
        return _ref("DocumentFields" if kind is Kind.DETECT else "Outcome")
    if answer is Answer.LINES:
        return {"type": "string", "description": "One PageLine as JSON per line, as the command line writes."}
    if answer is Answer.EVENTS:
        return {
            "type": "string",
            "description": (
                "Events queued {ahead}, started {}, progress {done, total}, then one of result (the JSON "
                "answer) or problem (a Problem; the status of the response is 200 all the same)."
            ),
        }
    return {"type": "string", "contentMediaType": "application/pdf"}


def _summary_headers(kind: Kind) -> Json:
    """Sent with every answer but an event stream, whose last event says the same."""
    counts = ["Acromeld-Pages"] + ([] if kind is Kind.DETECT else ["Acromeld-Written", "Acromeld-Dropped"])
    headers: Json = {name: {"schema": {"type": "integer", "minimum": 0}} for name in counts}
    headers["Acromeld-Notes"] = {
        "description": "JSON array of sentences on what was lost or left out; shortened at 4000 bytes.",
        "schema": {"type": "string"},
    }
    return headers


def _failures(kinds: Iterable[Problem]) -> Json:
    by_status: dict[int, list[Problem]] = {}
    for problem in kinds:
        by_status.setdefault(problem.status, []).append(problem)
    return {str(status): _failure(by_status[status]) for status in sorted(by_status)}


def _failure(kinds: list[Problem]) -> Json:
    sentences = " ".join(f"{problem.code}: {problem.sentence}" for problem in kinds)
    response: Json = {"description": sentences, "content": {problems.MEDIA_TYPE: {"schema": _ref("Problem")}}}
    if kinds[0] in (Problem.BUSY, Problem.STARTING):
        meaning = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
        response["headers"] = {"Retry-After": meaning}
    return response


def _plain_paths(settings: Settings) -> Json:
    status = {"application/json": {"schema": _ref("Status")}}
    text = {metrics.MEDIA_TYPE: {"schema": {"type": "string"}}}
    anything = {"application/json": {"schema": {"type": "object"}}}
    return {
        "/healthz": {"get": _plain("healthz", "The server answers.", status, _ALWAYS) | {"security": []}},
        "/readyz": {
            "get": _plain("readyz", "The server can take a document.", status, (*_ALWAYS, Problem.STARTING))
            | {"security": []}
        },
        "/metrics": {"get": _plain("metrics", "Counters for Prometheus.", text, _always(settings))},
        "/openapi.json": {"get": _plain("openapi", "This description.", anything, _always(settings))},
    }


def _plain(name: str, summary: str, content: Json, kinds: Iterable[Problem]) -> Json:
    done = {"200": {"description": summary, "content": content}}
    return {"operationId": name, "summary": summary, "responses": done | _failures(kinds)}


def _schemas() -> Json:
    schemas: Json = {}
    for model in (DocumentFields, PageLine):
        schema = model.model_json_schema(
            by_alias=True, mode="serialization", ref_template="#/components/schemas/{model}"
        )
        schemas |= schema.pop("$defs", {}) | {model.__name__: schema}
    return schemas | {"Outcome": _outcome(), "Problem": _problem(), "Status": _status()}


def _outcome() -> Json:
    count: Json = {"type": "integer", "minimum": 0}
    found = {kind.value: count for kind in KINDS}
    return {
        "type": "object",
        "description": "What was written; found and fields only where fields were looked for.",
        "properties": {
            "pages": count,
            "found": {"type": "object", "properties": found, "required": list(found)},
            "written": count,
            "dropped": count,
            "notes": {"type": "array", "items": {"type": "string"}},
            "fields": _ref("DocumentFields"),
            "pdf": {"type": "string", "contentEncoding": "base64", "contentMediaType": "application/pdf"},
        },
        "required": ["pages", "written", "dropped", "notes", "pdf"],
        "additionalProperties": False,
    }


def _problem() -> Json:
    return {
        "type": "object",
        "description": "RFC 9457; exit_code is what the command line gives for the same failure.",
        "properties": {
            "type": {"type": "string", "format": "uri"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "code": {"type": "string", "enum": [problem.code for problem in Problem]},
            "exit_code": {"type": "integer"},
            "request_id": {"type": "string"},
        },
        "required": ["type", "title", "status", "detail", "code", "request_id"],
        "additionalProperties": False,
    }


def _status() -> Json:
    return {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}
