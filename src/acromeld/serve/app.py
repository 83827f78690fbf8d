# SPDX-License-Identifier: Apache-2.0
"""The application: its addresses, what guards them, and what lives as long as the server does."""

from __future__ import annotations

import tempfile
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from acromeld.serve import metrics as exposition
from acromeld.serve.endpoint import JobEndpoint
from acromeld.serve.entrance import Entrance, TokenGuard, router_problem
from acromeld.serve.guards import HostGuard, OriginGuard
from acromeld.serve.jobs import Kind
from acromeld.serve.metrics import Metrics
from acromeld.serve.openapi import openapi
from acromeld.serve.pool import Pool
from acromeld.serve.problems import Problem, Trouble
from acromeld.serve.worker import WORKER

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from acromeld.serve.settings import Settings

PROBES = ("/healthz", "/readyz")
"""Addresses that need no token, because those who ask there have none."""


class Service:
    """One server: settings, counters, workers, and the private folder of its uploads.

    Args:
        settings: Limits and who may come.
        worker: Arguments of the interpreter that start a worker.
    """

    def __init__(self, settings: Settings, worker: tuple[str, ...] = WORKER) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.pool = Pool(settings, self.metrics, worker)
        # Made here and not when the first large file comes: a server that cannot write should not start.
        self.folder = tempfile.TemporaryDirectory(prefix="acromeld-serve-")
        self.app = self._build()

    def _build(self) -> Starlette:
        routes = self._routes()
        guards = [Middleware(Entrance, metrics=self.metrics, endpoints=[route.path for route in routes])]
        if self.settings.hosts is not None:
            guards.append(Middleware(HostGuard, hosts=self.settings.hosts))
        guards.append(Middleware(OriginGuard))
        if self.settings.token is not None:
            guards.append(Middleware(TokenGuard, token=self.settings.token, but=PROBES))
        app = Starlette(
            routes=routes,
            middleware=guards,
            exception_handlers={HTTPException: router_problem},
            lifespan=self._lifespan,
        )
        app.router.redirect_slashes = False
        return app

    def _routes(self) -> list[Route]:
        parts = (self.settings, self.pool, self.metrics, self.folder.name)
        jobs = [Route(f"/v1/{kind}", JobEndpoint(kind, *parts), methods=["POST"]) for kind in Kind]
        return [
            *jobs,
            Route("/openapi.json", self.openapi),
            Route("/healthz", self.healthz),
            Route("/readyz", self.readyz),
            Route("/metrics", self.show_metrics),
        ]

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self.pool.start()
        try:
            yield
        finally:
            await self.pool.stop()
            self.folder.cleanup()

    async def openapi(self, _request: Request) -> Response:
        """The description of this service."""
        return JSONResponse(openapi(self.settings))

    async def healthz(self, _request: Request) -> Response:
        """The server answers."""
        return JSONResponse({"status": "ok"})

    async def readyz(self, _request: Request) -> Response:
        """The server can take a document."""
        if not self.pool.ready:
            raise Trouble(Problem.STARTING, headers={"Retry-After": "1"})
        return JSONResponse({"status": "ready"})

    async def show_metrics(self, _request: Request) -> Response:
        """Counters for Prometheus."""
        return Response(self.metrics.text(self.pool), media_type=exposition.MEDIA_TYPE)
