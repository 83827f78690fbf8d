# SPDX-License-Identifier: Apache-2.0
"""Counters of the service in the text format of Prometheus. Labels are few and fixed, and name nobody."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from acromeld.serve.pool import Pool

BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, float("inf"))
"""Upper bounds of the duration histogram in seconds."""

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class Histogram:
    """How many durations there were, up to each bound, and their sum."""

    counts: list[int] = field(default_factory=lambda: [0] * len(BUCKETS))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        """One more; buckets are cumulative."""
        self.total += seconds
        for index, bound in enumerate(BUCKETS):
            self.counts[index] += seconds <= bound


@dataclass
class Metrics:
    """What has happened since the start."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    durations: dict[str, Histogram] = field(default_factory=dict)
    restarts: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    upload_bytes: int = 0
    in_flight: int = 0

    def done(self, endpoint: str, status: int, seconds: float) -> None:
        """A request has ended."""
        self.requests[endpoint, status] += 1
        self.durations.setdefault(endpoint, Histogram()).add(seconds)

    def text(self, pool: Pool) -> str:
        """Everything, as Prometheus reads it."""
        return "".join(f"{line}\n" for line in self._lines(pool))

    def _lines(self, pool: Pool) -> Iterator[str]:
        requests = sorted(self.requests.items())
        rows = ((f'{{endpoint="{end}",status="{status}"}}', count) for (end, status), count in requests)
        yield from _metric("requests_total", "counter", "Requests answered.", rows)
        yield from self._duration_lines()
        restarts = ((f'{{reason="{reason}"}}', count) for reason, count in sorted(self.restarts.items()))
        yield from _metric("worker_restarts_total", "counter", "Workers replaced.", restarts)
        yield from _single("pages_total", "counter", "Pages worked on.", self.pages)
        yield from _single("upload_bytes_total", "counter", "Bytes uploaded.", self.upload_bytes)
        yield from _single("requests_in_flight", "gauge", "Requests under way.", self.in_flight)
        yield from _single("queue_depth", "gauge", "Documents that wait.", len(pool.waiting))
        yield from _single("queue_limit", "gauge", "Documents that may wait.", pool.settings.queue)
        states = {"busy": len(pool.busy), "idle": pool.idle.qsize(), "starting": len(pool.starting)}
        workers = ((f'{{state="{state}"}}', count) for state, count in states.items())
        yield from _metric("workers", "gauge", "Worker processes.", workers)

    def _duration_lines(self) -> Iterator[str]:
        rows: list[tuple[str, float]] = []
        yield from _metric("request_seconds", "histogram", "From the first byte to the last.", rows)
        for endpoint, histogram in sorted(self.durations.items()):
            for bound, count in zip(BUCKETS, histogram.counts, strict=True):
                limit = "+Inf" if bound == float("inf") else f"{bound:g}"
                yield f'acromeld_request_seconds_bucket{{endpoint="{endpoint}",le="{limit}"}} {count}'
            yield f'acromeld_request_seconds_sum{{endpoint="{endpoint}"}} {histogram.total:.6f}'
            yield f'acromeld_request_seconds_count{{endpoint="{endpoint}"}} {histogram.counts[-1]}'


def _single(name: str, kind: str, meaning: str, value: float) -> Iterator[str]:
    return _metric(name, kind, meaning, [("", value)])


def _metric(name: str, kind: str, meaning: str, rows: Iterable[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP acromeld_{name} {meaning}"
    yield f"# TYPE acromeld_{name} {kind}"
    for labels, value in rows:
        yield f"acromeld_{name}{labels} {value}"
