# SPDX-License-Identifier: Apache-2.0
"""The weights of AcroMELD: one ONNX file that says itself what it is, and thresholds beside it.

The file's metadata carry the model's contract and digests of the contract and of the graph, so that a file
that was cut, patched or made by something else is refused with a sentence. A model that reads opinions has
the FFGBT it was trained with in its metadata too: the two only make sense together. Weights may be stored in
half precision: the graph widens them when it is loaded. The operating point is a file of its own, because it
is chosen after the weights are frozen and names their digest.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from acromeld.detect.acromeld.appraisal import weights as appraisal
from acromeld.detect.acromeld.contract import RuntimeContract
from acromeld.detect.acromeld.signing import weights as signing
from acromeld.detect.ffgbt import weights as ffgbt
from acromeld.errors import InputNotFound, IntegrityError
from acromeld.fields import OperatingPoint

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt
    import onnxruntime

    from acromeld.detect.acromeld.appraisal.weights import AppraisalWeights
    from acromeld.detect.acromeld.signing.weights import SigningWeights

FORMAT = "acromeld.onnx/2"
FORMAT_KEY = "acromeld.format"
CONTRACT_KEY = "acromeld.contract"
CONTRACT_DIGEST_KEY = "acromeld.contract_sha256"
GRAPH_DIGEST_KEY = "acromeld.graph_sha256"
GRAPH_BYTES_KEY = "acromeld.graph_bytes"
EXPERT_KEY = "acromeld.expert"
EXPERT_DIGEST_KEY = "acromeld.expert_sha256"
"""The FFGBT weights file whose opinion the tokens carry, in base 64; only for contracts with opinions."""

LOOKS = {look: (f"acromeld.{look}", f"acromeld.{look}_sha256") for look in ("signing", "appraisal")}
"""Second looks by the name the contract has for them: the keys of their weights, in base 64, and digests."""

INPUTS = ("image", "kind", "box", "descriptor", "text", "available")
"""The canvas ``(1, C, H, W)`` float in 0..1, then the arrays of `TokenArrays` in order, one page each; a page
alone has no padding, so its mask is not asked for."""

OUTPUTS = ("probability", "corners", "quality", "link")
"""``(1, Q, 3)`` class probabilities without "no object", ``(1, Q, 4)`` ``xyxy`` boxes as shares of the
canvas, ``(1, Q)`` quality in 0..1 and ``(1, Q, 32)`` unit link vectors."""

_POINT = "operating-point.json"
_SHIPPED = "candidate"
_SHIPPED_WEIGHTS = "candidate.onnx"


@dataclass(frozen=True)
class Weights:
    """A model ready to answer.

    Attributes:
        session: The loaded graph, inputs `INPUTS`, outputs `OUTPUTS`.
        contract: How to read pages for it.
        digest: SHA-256 of the file.
        expert: The FFGBT it reads opinions of; none if it reads none.
        signing: The second look at places to sign; none if there is none.
        appraisal: The second look at every place; none if there is none.
        point: The thresholds calibrated for it; those of training time when none lie beside it.
    """

    session: onnxruntime.InferenceSession
    contract: RuntimeContract
    digest: str
    expert: ffgbt.Weights | None
    signing: SigningWeights | None
    appraisal: AppraisalWeights | None
    point: OperatingPoint

    def answers(self, page: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[np.float32]]:
        """`OUTPUTS` of one page, without the batch, from `INPUTS`.

        Raises:
            MemoryError: There is not enough; onnxruntime has an exception of its own for everything.
        """
        try:
            found = self.session.run(list(OUTPUTS), page)
        except Exception as error:
            _raise_if_starved(error)
            raise
        return {name: answer[0] for name, answer in zip(OUTPUTS, found, strict=True)}


def shipped_candidate() -> Path:
    """The frozen candidate inside the package: weights, operating point and the records of how they came."""
    return Path(str(files("acromeld.detect.acromeld") / _SHIPPED))


def shipped_file() -> Path:
    """The weights inside the package."""
    return shipped_candidate() / _SHIPPED_WEIGHTS


def read_weights(path: Path, threads: int | None = None) -> Weights:
    """Weights of a file, and the operating point in the same folder if there is one."""
    try:
        data = path.read_bytes()
        point = path.with_name(_POINT)
        record = point.read_bytes() if point.is_file() else None
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None
    session = _session(data, path.name, threads)
    meta = session.get_modelmeta().custom_metadata_map
    contract = _checked(meta, data, path.name)
    _check_names(session, path.name)
    digest = hashlib.sha256(data).hexdigest()
    chosen = OperatingPoint() if record is None else _point(record, digest, str(point))
    return Weights(
        session,
        contract,
        digest,
        expert=_expert(meta, contract, path.name),
        signing=_signing(meta, contract, path.name),
        appraisal=_appraisal(meta, contract, path.name),
        point=chosen,
    )


def _session(data: bytes, name: str, threads: int | None) -> onnxruntime.InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what goes wrong is told by exceptions
    # Between two pages, threads that wait in a loop would take the core from reading and describing the next.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if threads is not None:
        options.intra_op_num_threads = threads
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no common ancestor of their own
        _raise_if_starved(error)
        raise IntegrityError(f"{name} is not an ONNX model, or is damaged.") from None


def _raise_if_starved(error: Exception) -> None:
    if "allocate memory" in str(error):
        raise MemoryError(str(error)) from None


def _checked(meta: Mapping[str, str], data: bytes, name: str) -> RuntimeContract:
    """The contract of a file whose metadata are complete and agree with its content."""
    if meta.get(FORMAT_KEY) != FORMAT:
        raise IntegrityError(f"{name} is not a weights file of AcroMELD that this version reads ({FORMAT}).")
    try:
        text, graph = meta[CONTRACT_KEY], data[: int(meta[GRAPH_BYTES_KEY])]
        told = (meta[CONTRACT_DIGEST_KEY], meta[GRAPH_DIGEST_KEY])
        contract = RuntimeContract.model_validate_json(text)
    except (KeyError, ValueError):
        raise IntegrityError(f"{name} does not say which contract its weights belong to.") from None
    if told != (hashlib.sha256(text.encode()).hexdigest(), hashlib.sha256(graph).hexdigest()):
        raise IntegrityError(f"{name} was changed after it was exported: its digests do not match.")
    return contract


def _expert(meta: Mapping[str, str], contract: RuntimeContract, name: str) -> ffgbt.Weights | None:
    """The FFGBT inside a file whose contract asks for opinions."""
    if not contract.opinions:
        return None
    data = _inner(meta, (EXPERT_KEY, EXPERT_DIGEST_KEY), name, "the FFGBT whose opinion its model reads")
    return ffgbt.unpack(data, f"The FFGBT in {name}")


def _signing(meta: Mapping[str, str], contract: RuntimeContract, name: str) -> SigningWeights | None:
    """The second look inside a file whose contract has one."""
    if not contract.signing:
        return None
    data = _inner(meta, LOOKS["signing"], name, "its second look at places to sign")
    return signing.unpack(data, f"The second look in {name}")


def _appraisal(meta: Mapping[str, str], contract: RuntimeContract, name: str) -> AppraisalWeights | None:
    """The appraisal inside a file whose contract has one."""
    if not contract.appraisal:
        return None
    data = _inner(meta, LOOKS["appraisal"], name, "its appraisal of places")
    return appraisal.unpack(data, f"The appraisal in {name}")


def _inner(meta: Mapping[str, str], keys: tuple[str, str], name: str, what: str) -> bytes:
    """Another weights file in the metadata of a file."""
    try:
        data, told = base64.b64decode(meta[keys[0]], validate=True), meta[keys[1]]
    except (KeyError, binascii.Error):
        raise IntegrityError(f"{name} lacks {what}.") from None
    if told != hashlib.sha256(data).hexdigest():
        raise IntegrityError(f"{name} was changed after it was exported: {what} is another.")
    return data


def _check_names(session: onnxruntime.InferenceSession, name: str) -> None:
    given = {part.name for part in session.get_inputs()}, {part.name for part in session.get_outputs()}
    if given != (set(INPUTS), set(OUTPUTS)):
        raise IntegrityError(f"{name} asks or answers other things than this version of AcroMELD knows.")


def _point(data: bytes, digest: str, name: str) -> OperatingPoint:
    try:
        record: dict[str, Any] = json.loads(data)
        point = OperatingPoint.model_validate(record["point"])
        bound_to = record["candidate"]
    except (KeyError, TypeError, ValueError, ValidationError):
        raise IntegrityError(f"{name} is not an operating point, or is damaged.") from None
    if bound_to != digest:
        raise IntegrityError(f"{name} belongs to other weights.")
    return point
