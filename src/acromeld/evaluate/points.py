# SPDX-License-Identifier: Apache-2.0
"""Operating points as files: what was selected, on which pages, from which candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from acromeld.errors import BadFields
from acromeld.fields import OperatingPoint
from acromeld.provenance.implementation import package_implementation
from acromeld.provenance.records import create_json, read_json

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.evaluate.calibration import Calibration
    from acromeld.evaluate.sources import Predictions

SCHEMA = "acromeld.calibration/1"


def write_point(
    path: Path, found: Calibration, read: Predictions, *, index: str, role: str, seconds: float
) -> dict[str, Any]:
    """Write the calibration record, once; returns it."""
    record = {
        "schema": SCHEMA,
        "detector": sorted(read.detectors),
        "index": index,
        "role": str(role),
        "predictions": {file.name: digest for file, digest in read.files.items()},
        "pages": len(read.pages),
        "seconds": round(seconds, 3),
        "implementation": package_implementation().digest,
        **found.as_dict(),
    }
    create_json(path, record)
    return record


def read_point(path: Path) -> OperatingPoint:
    """The point in a calibration record, an operating-point record of a candidate, or a bare point."""
    record = read_json(path)
    try:
        return OperatingPoint.model_validate(record.get("point", record))
    except ValidationError:
        raise BadFields(f"{path} holds no operating point.") from None


def read_calibration(path: Path) -> dict[str, Any]:
    """A whole calibration record."""
    return read_json(path, schema=SCHEMA)
