# SPDX-License-Identifier: Apache-2.0
"""The detectors by name. Each is imported when it is asked for, so that one never pays for another."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from acromeld.errors import InputNotFound

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.detect.candidates import Detector

_DETECTORS = {
    "acromeld": "acromeld.detect.acromeld.detector:AcromeldDetector",
    "ffgbt": "acromeld.detect.ffgbt.detector:FfgbtDetector",
    "rules": "acromeld.detect.rules:RulesDetector",
}

DEFAULT = "acromeld"


def detector_names() -> tuple[str, ...]:
    """Names one can ask for, the default first."""
    return (DEFAULT, *(name for name in _DETECTORS if name != DEFAULT))


def load_detector(
    name: str = DEFAULT, weights: Path | None = None, *, threads: int | None = None
) -> Detector:
    """A detector ready for use, with the weights it ships with or with those of a file.

    ``threads`` bounds the threads of one page where a detector uses several; the others use one anyway.
    """
    if name not in _DETECTORS:
        raise InputNotFound(f"There is no detector {name!r}; known are {', '.join(detector_names())}.")
    module, attribute = _DETECTORS[name].split(":")
    kind = getattr(import_module(module), attribute)
    options = {"threads": threads} if getattr(kind, "takes_threads", False) else {}
    if weights is None:
        return cast("Detector", kind(**options))
    if not hasattr(kind, "from_file"):
        raise InputNotFound(f"The detector {name!r} has no weights to be read from a file.")
    return cast("Detector", kind.from_file(weights, **options))
