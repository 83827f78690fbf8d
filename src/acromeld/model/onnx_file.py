# SPDX-License-Identifier: Apache-2.0
"""What makes an ONNX graph a weights file: half precision where it loses nothing, and metadata."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld import weights
from acromeld.detect.ffgbt.weights import unpack, weights_file
from acromeld.errors import IntegrityError
from acromeld.model.contract import ModelContract
from acromeld.provenance.digests import sha256_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORTH_HALVING = 1024
"""Numbers in a tensor from which on halving it pays for the node that widens it again."""


def store_halves(graph: bytes) -> bytes:
    """The same graph with every weight that loses nothing by it in half precision, widened by a Cast."""
    import onnx

    proto = onnx.load_from_string(graph)
    nodes = []
    for tensor in proto.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < _WORTH_HALVING:
            continue
        halves = values.astype(np.float16)
        if (halves.astype(np.float32) != values).any():
            continue
        name = tensor.name
        tensor.CopyFrom(onnx.numpy_helper.from_array(halves, f"{name}.half"))
        nodes.append(onnx.helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT))
    nodes += proto.graph.node
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    return bytes(proto.SerializeToString())


def signed(
    graph: bytes,
    contract: ModelContract,
    expert: bytes | None = None,
    looks: Mapping[str, bytes] | None = None,
) -> bytes:
    """The graph followed by what it is: its contract, digests of both, and the FFGBT it relies on.

    Protocol buffers may be concatenated, so the metadata can follow the bytes they vouch for.

    Args:
        graph: The ONNX model.
        contract: What it was made for.
        expert: The weights file of the FFGBT it reads opinions of, if it does; by default the one that ships.
        looks: The weights files of the second looks that the contract has, by the name it has for them.
    """
    import onnx

    facts = {
        weights.FORMAT_KEY: weights.FORMAT,
        weights.CONTRACT_KEY: contract.canonical(),
        weights.CONTRACT_DIGEST_KEY: contract.digest(),
        weights.GRAPH_BYTES_KEY: str(len(graph)),
        weights.GRAPH_DIGEST_KEY: sha256_bytes(graph),
    }
    if contract.opinions:
        expert = weights_file() if expert is None else expert
        facts[weights.EXPERT_KEY] = base64.b64encode(expert).decode()
        facts[weights.EXPERT_DIGEST_KEY] = unpack(expert).digest
    for name, (key, digest_key) in weights.LOOKS.items():
        if getattr(contract, name):
            assert looks is not None, "a contract with a second look needs its weights"
            facts[key] = base64.b64encode(looks[name]).decode()
            facts[digest_key] = sha256_bytes(looks[name])
    trailer = onnx.ModelProto()
    for key, value in facts.items():
        trailer.metadata_props.add(key=key, value=value)
    return graph + bytes(trailer.SerializeToString())


def metadata(data: bytes) -> dict[str, str]:
    """What a weights file says of itself."""
    import onnx

    try:
        return {entry.key: entry.value for entry in onnx.load_from_string(data).metadata_props}
    except Exception:  # whatever protocol buffers find wrong with it
        return {}


def finished(data: bytes, name: str, looks: Mapping[str, bytes] | None = None, **chosen: float) -> bytes:
    """A weights file with the same network and what may be chosen after training.

    Args:
        data: A weights file.
        name: What it is called.
        looks: Second looks to put in, by name of `weights.LOOKS`; others stay as they were.
        chosen: ``page_evidence`` and ``evidence_scores``, in place of the contract's.
    """
    meta = metadata(data)
    try:
        told = json.loads(meta[weights.CONTRACT_KEY])
        graph = data[: int(meta[weights.GRAPH_BYTES_KEY])]
        held = {look: base64.b64decode(meta[key]) for look, (key, _) in weights.LOOKS.items() if key in meta}
        held |= looks or {}
        contract = ModelContract.model_validate(told | chosen | dict.fromkeys(held, True))
        expert = base64.b64decode(meta[weights.EXPERT_KEY]) if contract.opinions else None
    except (KeyError, ValueError):
        raise IntegrityError(f"{name} is not a weights file of AcroMELD that this version reads.") from None
    return signed(graph, contract, expert, held)
