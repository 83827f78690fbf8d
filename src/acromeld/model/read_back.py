# SPDX-License-Identifier: Apache-2.0
"""A weights file as the network it was made from, to look into it or to go on training from it.

Most tensors of an exported graph are named after the parameters they were; the others were turned for a
matrix product, or cut out of a table. Which is which is found by exporting a network with numbers of our own
by the same path: there each tensor equals the parameter it came from. Only heads of earlier layers, which
training alone uses, are not in a graph; they begin as the last layer's. That all of this is right is shown by
the result: exported again, it must give the graph of the file, byte for byte.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import torch

from acromeld.detect.acromeld import weights
from acromeld.errors import IntegrityError
from acromeld.model.acromeld import AcroMeld
from acromeld.model.contract import ModelContract
from acromeld.model.export import exported_graph
from acromeld.model.onnx_file import metadata

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt
    from torch import Tensor

    Array = npt.NDArray[np.float32]
    Origin = tuple[str, tuple[int, ...] | None]

_PREFIX = "model."
_FEW = 64
"""Numbers of a table below which single ones are looked for, too."""

_TRUST = "heads.head_start.trust"
_LAYER_HEAD = re.compile(r"heads\.(classes|quality)\.(\d+)\.(weight|bias)")


def read_back(data: bytes, name: str) -> AcroMeld:
    """The network of a weights file, ready for use; ``name`` is what the file is called.

    Raises:
        IntegrityError: It was exported by another version, from which there is no way back.
    """
    contract, graph = _parts(data, name)
    held, model = _tensors(graph), AcroMeld(contract)
    probe = _probe(contract)
    probed = _tensors(exported_graph(probe))
    if probed.keys() != held.keys():
        raise IntegrityError(f"{name} was exported by another version; it cannot be read back.")
    origins = _origins(probe)
    state, found = model.state_dict(), set()
    for tensor, values in held.items():
        for parameter, place in origins.get(_key(probed[tensor], tensor), ()):
            found.add(parameter)
            _fill(state[parameter], place, values)
    _fill_earlier_heads(state, found, contract.graph_depth)
    model.load_state_dict(state)
    if exported_graph(model.eval()) != graph:
        raise IntegrityError(f"{name} cannot be read back: exported again, it is another file.")
    return model


def _parts(data: bytes, name: str) -> tuple[ModelContract, bytes]:
    meta = metadata(data)
    try:
        contract = ModelContract.model_validate_json(meta[weights.CONTRACT_KEY])
        return contract, data[: int(meta[weights.GRAPH_BYTES_KEY])]
    except (KeyError, ValueError):
        raise IntegrityError(f"{name} is not a weights file of AcroMELD that this version reads.") from None


def _probe(contract: ModelContract) -> AcroMeld:
    """A network whose numbers are hardly ever equal, so that every tensor tells where it is from."""
    model, made = AcroMeld(contract), torch.Generator().manual_seed(1)
    with torch.no_grad():
        for values in (*model.parameters(), *model.buffers()):
            if values.is_floating_point():
                values.copy_(torch.rand(values.shape, generator=made) + 0.5)
    return model.eval()


def _tensors(graph: bytes) -> dict[str, Array]:
    """Weights of a graph by name, halves widened."""
    import onnx

    held = onnx.load_from_string(graph).graph.initializer
    arrays = {tensor.name.removesuffix(".half"): onnx.numpy_helper.to_array(tensor) for tensor in held}
    return {name: values.astype(np.float32) for name, values in arrays.items() if values.dtype.kind == "f"}


def _origins(model: AcroMeld) -> dict[object, list[Origin]]:
    """Where each tensor of an exported model may come from, by its name or by its numbers."""
    out: dict[object, list[Origin]] = {}
    for parameter, values in model.state_dict().items():
        array = values.numpy()
        out.setdefault(_PREFIX + parameter, []).append((parameter, None))
        if array.dtype != np.float32:
            continue
        if array.ndim == 2:
            out.setdefault((array.T.shape, array.T.tobytes()), []).append((parameter, ()))
            for row in range(len(array)):
                out.setdefault((array[row].shape, array[row].tobytes()), []).append((parameter, (row,)))
        if array.size < _FEW:
            for place in np.ndindex(array.shape):
                out.setdefault(((), array[place].tobytes()), []).append((parameter, place))
    return out


def _key(probed: Array, tensor: str) -> object:
    return tensor if tensor.startswith(_PREFIX) else (probed.shape, probed.tobytes())


def _fill(target: Tensor, place: tuple[int, ...] | None, values: Array) -> None:
    """Numbers of a tensor where they belong: whole, turned (an empty place), or part of a table."""
    given = torch.from_numpy(values.copy())
    if place is None:
        target.copy_(given)
    elif place == ():
        target.copy_(given.T)
    else:
        target[place] = given


def _fill_earlier_heads(state: Mapping[str, Tensor], found: set[str], depth: int) -> None:
    if _TRUST in state:
        state[_TRUST][:-1] = state[_TRUST][-1]
    for name in state.keys() - found:
        part = _LAYER_HEAD.fullmatch(name)
        if part is not None:
            state[name].copy_(state[f"heads.{part[1]}.{depth - 1}.{part[3]}"])
