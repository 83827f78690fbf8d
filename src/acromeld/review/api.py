# SPDX-License-Identifier: Apache-2.0
"""The HTTP face of the review, for its own page and nobody else.

Everything under ``/api`` asks for the token. The page gets it in the fragment of the address it is opened
with, which browsers send to no server, and keeps it per origin: a cookie would also go to other ports of
this machine, which may belong to other people. The Host and Origin guards are those of `acromeld.serve`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from acromeld import __version__
from acromeld.errors import AcromeldError, InputNotFound
from acromeld.review.existing import existing_boxes
from acromeld.review.fillable import Occupied, finished
from acromeld.review.fillable import save_fillable as write_fillable
from acromeld.review.form import ReviewForm, Stage
from acromeld.review.memory import Status
from acromeld.review.places import fields_path, fillable_path
from acromeld.review.protection import AnswerHeaders, TokenGuard
from acromeld.review.reader import SIZES
from acromeld.review.revision import Change, Stale
from acromeld.review.state import Thresholds
from acromeld.serve.guards import HostGuard, OriginGuard

if TYPE_CHECKING:
    from starlette.requests import Request

    from acromeld.review.desk import Desk

STATIC = Path(__file__).parent / "static"

Model = TypeVar("Model", bound=BaseModel)


class FillableWish(BaseModel):
    """What to do if the name of the fillable PDF is taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overwrite: bool = False
    another: bool = False


class StatusWish(BaseModel):
    """What a person says about a form."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Literal["review", "done"]


def make_app(desk: Desk, *, token: str, port: int) -> Starlette:
    """The application for a desk, guarded for a server on this port of the local machine."""
    hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
    app = Starlette(
        routes=_routes(),
        middleware=[
            Middleware(AnswerHeaders),
            Middleware(HostGuard, hosts=hosts),
            Middleware(OriginGuard),
            Middleware(TokenGuard, token=token),
        ],
        exception_handlers={AcromeldError: _sentence},
    )
    app.state.desk = desk
    return app


def _routes() -> list[Route | Mount]:
    form = "/api/forms/{key}"
    page = form + "/pages/{number:int}"
    return [
        Route("/api/session", session),
        Route("/api/forms", work_list),
        Route(form, about),
        Route(form + "/fields", fields),
        Route(form + "/fields", save, methods=["PUT"]),
        Route(form + "/revision", revision),
        Route(page + "/picture", picture),
        Route(page + "/guides", guides),
        Route(form + "/preview", preview),
        Route(form + "/fillable", save_fillable, methods=["POST"]),
        Route(form + "/status", set_status, methods=["POST"]),
        Mount("/", StaticFiles(directory=STATIC, html=True)),
    ]


def session(request: Request) -> JSONResponse:
    """What was opened: a file or a folder."""
    desk = _desk(request)
    keys = None if desk.is_folder else desk.entries()[0].key
    return JSONResponse(
        {"version": __version__, "folder": desk.is_folder, "path": str(desk.path), "form": keys}
    )


def work_list(request: Request) -> JSONResponse:
    """Every file with its state."""
    entries = [
        {
            "key": entry.key,
            "name": entry.name,
            "status": entry.line.status,
            "fields": entry.line.fields,
            "pages": entry.line.pages,
            "message": entry.line.message,
            "changed": entry.line.changed,
        }
        for entry in _desk(request).entries()
    ]
    return JSONResponse({"forms": entries})


def about(request: Request) -> JSONResponse:
    """How far opening has got, and once the file is read, its pages."""
    form, opening = _desk(request).look(request.path_params["key"])
    answer: dict[str, Any] = {
        "name": form.pdf.name,
        "stage": opening.stage,
        "done": opening.done,
        "total": opening.total,
        "message": opening.message,
        "fieldsFile": fields_path(form.pdf).name,
        "fillableFile": fillable_path(form.pdf).name,
    }
    if opening.stage in (Stage.DETECTING, Stage.READY):
        answer["sha256"] = form.source.sha256
        answer["pages"] = [
            {"width": round(frame.width, 3), "height": round(frame.height, 3)} for frame in form.facts.frames
        ]
    if opening.stage is Stage.READY:
        answer["status"] = form.begin()
    return JSONResponse(answer)


def fields(request: Request) -> JSONResponse:
    """Every field and candidate of the form, page by page."""
    state = _form(request).state()
    point = state.head.operating_point
    return JSONResponse(
        {
            "revision": state.revision,
            "thresholds": state.thresholds.model_dump(),
            "calibrated": Thresholds.of(point).model_dump(),
            "detector": state.head.detector.name if state.head.detector else None,
            "notes": list(dict.fromkeys(state.notes)),
            "document": state.head.model_dump(
                mode="json", by_alias=True, exclude_none=True, exclude={"pages"}
            ),
            "pages": [
                [field.model_dump(mode="json", exclude_none=True) for field in page.fields]
                for page in state.pages.values()
            ],
        }
    )


async def save(request: Request) -> JSONResponse:
    """Save the changes of a window."""
    form = await run_in_threadpool(_form, request)
    change = await _body(request, Change)
    state = await run_in_threadpool(form.save, change)
    return JSONResponse({"revision": state.revision})


def revision(request: Request) -> JSONResponse:
    """The latest revision, for a window that comes back to the front."""
    return JSONResponse({"revision": _form(request).state().revision})


def picture(request: Request) -> Response:
    """A page as PNG."""
    form = _form(request)
    try:
        size = int(request.query_params.get("size", SIZES[1]))
    except ValueError:
        size = SIZES[1]
    fitting = next((known for known in SIZES if known >= size), SIZES[-1])
    data = _desk(request).reader.picture(form.source, form.facts, _number(request, form), fitting)
    return Response(data, media_type="image/png")


def guides(request: Request) -> JSONResponse:
    """Rules and writing places of a page, and the fields it has already."""
    form = _form(request)
    number = _number(request, form)
    found = _desk(request).reader.guides(form.source, form.facts, number)
    return JSONResponse({**found, "existing": existing_boxes(form.source, number)})


def preview(request: Request) -> Response:
    """The finished form, not saved anywhere; what there is to say about it is in a header."""
    form = finished(_form(request))
    notes = quote(json.dumps(list(dict.fromkeys(form.notes))))
    return Response(form.data, media_type="application/pdf", headers={"X-Notes": notes})


async def save_fillable(request: Request) -> JSONResponse:
    """Write the fillable PDF beside the original."""
    form = await run_in_threadpool(_form, request)
    wish = await _body(request, FillableWish)

    def work() -> dict[str, Any]:
        target, written = write_fillable(form, overwrite=wish.overwrite, another=wish.another)
        return {
            "file": target.name,
            "written": written.written,
            "dropped": written.dropped,
            "notes": list(dict.fromkeys(written.notes)),
        }

    return JSONResponse(await run_in_threadpool(work))


async def set_status(request: Request) -> JSONResponse:
    """Mark a form as done, or take it back into review."""
    form = await run_in_threadpool(_form, request)
    wish = await _body(request, StatusWish)
    await run_in_threadpool(form.memory.set_status, form.pdf.name, Status(wish.status))
    return JSONResponse({"status": wish.status})


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def _form(request: Request) -> ReviewForm:
    return _desk(request).form(request.path_params["key"])


def _number(request: Request, form: ReviewForm) -> int:
    number: int = request.path_params["number"]
    if number >= len(form.facts):
        raise InputNotFound(f"{form.pdf.name} has no page {number + 1}.")
    return number


async def _body(request: Request, model: type[Model]) -> Model:
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadRequest(f"The request was not understood: {place}: {first['msg']}.") from None


class BadRequest(AcromeldError):
    """The page sent something that is not valid; it shows a fault of ours, not of the person."""


def _sentence(_request: Request, error: Exception) -> JSONResponse:
    """Failures as one sentence, with a status that tells the page which question to ask."""
    body: dict[str, Any] = {"detail": str(error)}
    if isinstance(error, Stale):
        return JSONResponse(body | {"code": "stale", "revision": error.revision}, status_code=409)
    if isinstance(error, Occupied):
        return JSONResponse(body | {"code": "occupied"}, status_code=409)
    missing = isinstance(error, InputNotFound)
    return JSONResponse(body, status_code=404 if missing else 400 if isinstance(error, BadRequest) else 422)
