# SPDX-License-Identifier: Apache-2.0
"""An exported network as a function from pictures to cells, run by onnxruntime."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from acromeld.errors import IntegrityError
from acromeld.peers.commonforms.environment import digest
from acromeld.peers.commonforms.steps import PeerUnavailable

if TYPE_CHECKING:
    from acromeld.peers.commonforms.augment import Answer
    from acromeld.peers.commonforms.environment import Artifacts
    from acromeld.peers.commonforms.profiles import ModelName


class OnnxNetwork:
    """Callable session: ``(1, 3, H, W)`` to ``(1, 7, n)``."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def __call__(self, images: Answer) -> Answer:
        """One forward pass."""
        cells: Answer = self._session.run(None, {"images": images})[0]
        return cells


def _runtime() -> Any:
    """onnxruntime, which only this function needs and which has no types."""
    try:
        return importlib.import_module("onnxruntime")
    except ImportError:
        raise PeerUnavailable("The CommonForms reference needs onnxruntime; install it with pip.") from None


def open_network(artifacts: Artifacts, model: ModelName, threads: int | None = None) -> OnnxNetwork:
    """Load a network after checking that it is the file that was exported; ``threads`` none means all."""
    onnxruntime = _runtime()
    path = artifacts.network(model)
    if digest(path) != artifacts.onnx[model]:
        raise IntegrityError(f"{path.name} changed since it was exported; delete it and set up again.")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or 0
    return OnnxNetwork(onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]))
