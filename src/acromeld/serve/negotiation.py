# SPDX-License-Identifier: Apache-2.0
"""Choosing the form of an answer from the ``Accept`` header (RFC 9110, 12.5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.serve.jobs import Answer
from acromeld.serve.problems import Problem, Trouble

if TYPE_CHECKING:
    from collections.abc import Sequence


def choose(accept: str, offers: Sequence[Answer]) -> Answer:
    """The offer the client likes best, the earlier of two it likes equally; `Trouble` if it likes none."""
    if not accept.strip():
        return offers[0]
    ranges = [_media_range(item) for item in accept.split(",")]
    liking = {offer: _quality(offer, ranges) for offer in offers}
    best = max(offers, key=lambda offer: liking[offer])
    if liking[best] <= 0:
        raise Trouble(Problem.NOT_ACCEPTABLE, f"The answer can be {', '.join(offers)}.")
    return best


def _media_range(item: str) -> tuple[str, float]:
    """``type/subtype`` and its quality; what cannot be read counts as not wanted."""
    name, *parameters = (part.strip() for part in item.split(";"))
    quality = next((part[2:] for part in parameters if part.lower().startswith("q=")), "1")
    try:
        return name.lower(), min(max(float(quality), 0.0), 1.0)
    except ValueError:
        return name.lower(), 0.0


def _quality(offer: Answer, ranges: list[tuple[str, float]]) -> float:
    """That of the most specific range that covers the offer."""
    liked = dict(ranges)
    for pattern in (offer.value, f"{offer.value.partition('/')[0]}/*", "*/*"):
        if pattern in liked:
            return liked[pattern]
    return 0.0
