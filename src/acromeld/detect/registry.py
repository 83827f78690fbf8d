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
    "ffgbt": "acromeld.detect.ffgbt.detector:FfgbtDetector",
    "rules": "acromeld.detect.rules:RulesDetector",
}

DEFAULT = "ffgbt"


def detector_names() -> tuple[str, ...]:
    """Names one can ask for, the default first."""
    return (DEFAULT, *(name for name in _DETECTORS if name != DEFAULT))


def load_detector(name: str = DEFAULT, weights: Path | None = None) -> Detector:
    """A detector ready for use, with the weights it ships with or with those of a file."""
    if name not in _DETECTORS:
        raise InputNotFound(f"There is no detector {name!r}; known are {', '.join(detector_names())}.")
    module, attribute = _DETECTORS[name].split(":")
    kind = getattr(import_module(module), attribute)
    if weights is None:
        return cast("Detector", kind())
    if not hasattr(kind, "from_file"):
        raise InputNotFound(f"The detector {name!r} has no weights to be read from a file.")
    return cast("Detector", kind.from_file(weights))
