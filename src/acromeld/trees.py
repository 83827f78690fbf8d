# SPDX-License-Identifier: Apache-2.0
"""Boosted trees at run time, evaluated by onnxruntime."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnxruntime

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Floats


class Trees:
    """An ensemble of trees: features ``(n, f)`` in, raw scores ``(n, outputs)`` out."""

    def __init__(self, model: bytes, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def __call__(self, features: npt.NDArray[np.float32]) -> Floats:
        """Raw scores, float64."""
        (scores,) = self._session.run(None, {"features": features})
        return np.asarray(scores, dtype=np.float64)


def softmax(raw: Floats) -> Floats:
    """Class probabilities ``(n, k)`` from raw scores."""
    shifted = np.exp(raw - raw.max(axis=1, keepdims=True))
    probabilities: Floats = shifted / shifted.sum(axis=1, keepdims=True)
    return probabilities


def sigmoid(raw: Floats) -> Floats:
    """Element-wise logistic function."""
    return 1.0 / (1.0 + np.exp(-np.clip(raw, -40, 40)))
