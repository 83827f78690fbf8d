# SPDX-License-Identifier: Apache-2.0
"""What makes an ONNX graph a weights file: half precision where it loses nothing, and metadata."""

from __future__ import annotations

import base64
import json

import numpy as np

from acromeld.detect.acromeld import weights
from acromeld.detect.ffgbt.weights import unpack, weights_file
from acromeld.errors import IntegrityError
from acromeld.model.contract import ModelContract
from acromeld.provenance.digests import sha256_bytes

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
    graph: bytes, contract: ModelContract, expert: bytes | None = None, signing: bytes | None = None
) -> bytes:
    """The graph followed by what it is: its contract, digests of both, and the FFGBT it relies on.

    Protocol buffers may be concatenated, so the metadata can follow the bytes they vouch for.

    Args:
        graph: The ONNX model.
        contract: What it was made for.
        expert: The weights file of the FFGBT it reads opinions of, if it does; by default the one that ships.
        signing: The weights file of its second look at places to sign, if it has one.
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
    if contract.signing:
        assert signing is not None, "a contract with a second look needs its weights"
        facts[weights.SIGNING_KEY] = base64.b64encode(signing).decode()
        facts[weights.SIGNING_DIGEST_KEY] = sha256_bytes(signing)
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


def finished(data: bytes, name: str, *, signing: bytes | None = None, **chosen: float) -> bytes:
    """A weights file with the same network and what may be chosen after training.

    Args:
        data: A weights file.
        name: What it is called.
        signing: The second look at places to sign to put in; none leaves out any that was there.
        chosen: ``page_evidence`` and ``evidence_scores``, in place of the contract's.
    """
    meta = metadata(data)
    try:
        told = json.loads(meta[weights.CONTRACT_KEY])
        graph = data[: int(meta[weights.GRAPH_BYTES_KEY])]
        contract = ModelContract.model_validate(told | chosen | {"signing": signing is not None})
        expert = base64.b64decode(meta[weights.EXPERT_KEY]) if contract.opinions else None
    except (KeyError, ValueError):
        raise IntegrityError(f"{name} is not a weights file of AcroMELD that this version reads.") from None
    return signed(graph, contract, expert, signing)
