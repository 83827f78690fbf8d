# SPDX-License-Identifier: Apache-2.0
"""A page with a line to sign, a box beside it, and a judge whose trees say what the test wants."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from acromeld.detect.acromeld.hashed_words import BUCKETS, Evidence
from acromeld.detect.acromeld.seen import Seen
from acromeld.detect.acromeld.signing.places import places_to_sign
from acromeld.detect.acromeld.signing.weights import Heard, pack
from acromeld.pdf.page import Words

SIZE = (600.0, 800.0)


def words(*printed: tuple[str, float, float]) -> Words:
    """Words of ten points height at places ``(text, left, top)``."""
    n = len(printed)
    box = np.array([[x, y, x + 6.0 * len(text), y + 10.0] for text, x, y in printed]).reshape(-1, 4)
    yes = np.ones(n, dtype=np.bool_)
    text = tuple(text for text, _, _ in printed)
    return Words(box, text, np.full(n, 10.0), np.full(n, 400.0), yes, ~yes, yes)


def line_to_sign() -> Words:
    return words(("Name", 50, 300), ("Signature", 50, 520), ("of", 108, 520), ("applicant", 124, 520))


def seen(
    *places: tuple[list[float], list[float]],
    quality: float = 0.9,
) -> Seen:
    """Places as box and class probabilities."""
    box = np.array([box for box, _ in places], dtype=np.float64).reshape(-1, 4)
    probability = np.array([said for _, said in places], dtype=np.float64).reshape(-1, 3)
    score = np.sqrt(probability.max(axis=1) * quality)
    return Seen(box, probability, np.full(len(box), quality), score, np.eye(len(box), 32))


def columns() -> tuple[str, ...]:
    """What the trees read, in order."""
    found = places_to_sign(seen(([50, 495, 300, 515], [0.8, 0, 0.1])), line_to_sign(), SIZE)
    assert found is not None
    return (*found.columns, "page says", "margin says", "caption says")


def nothing_said() -> Evidence:
    return Evidence(np.zeros(BUCKETS, dtype=np.float32), 0.0)


def linear(names: tuple[str, ...], weight: dict[str, float], bias: float) -> bytes:
    """An ONNX model that is no tree, but a weighted sum of columns: easier to foresee."""
    matrix = np.array([[weight.get(name, 0.0)] for name in names], dtype=np.float32)
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["features", "w"], ["sum"]),
            helper.make_node("Add", ["sum", "b"], ["scores"]),
        ],
        "made",
        [info("features", TensorProto.FLOAT, [None, len(names)])],
        [info("scores", TensorProto.FLOAT, [None, 1])],
        [numpy_helper.from_array(matrix, "w"), numpy_helper.from_array(np.float32([bias]), "b")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def packed(
    weight: dict[str, float] | None = None,
    bias: float = 0.0,
    enough: float = 0.3,
    page: Evidence | None = None,
    margin: Evidence | None = None,
) -> bytes:
    """A weights file with such trees."""
    names = columns()
    model = linear(names, weight or {}, bias)
    heard = Heard(page or nothing_said(), margin or nothing_said(), nothing_said())
    return pack(heard, model, names, enough)
