# SPDX-License-Identifier: Apache-2.0
"""LightGBM models as ONNX tree ensembles, exact to the last comparison.

LightGBM compares double thresholds, ONNX float ones. Features are float32, so replacing each threshold by the
largest float32 that is not above it changes no comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper

if TYPE_CHECKING:
    import lightgbm


class _Ensemble:
    """The attribute lists of an ONNX TreeEnsembleRegressor, filled node by node."""

    def __init__(self, outputs: int) -> None:
        self.outputs = outputs
        self.nodes: list[tuple[int, int, int, float, str, int, int]] = []
        self.leaves: list[tuple[int, int, int, float]] = []

    def add_tree(self, number: int, root: dict[str, Any]) -> None:
        """Number the nodes of one tree in preorder and list them."""
        waiting = [(root, 0)]
        used = 1
        while waiting:
            node, own = waiting.pop()
            if "leaf_value" in node:
                self.nodes.append((number, own, 0, 0.0, "LEAF", 0, 0))
                self.leaves.append((number, own, number % self.outputs, float(node["leaf_value"])))
                continue
            left, right = used, used + 1
            used += 2
            threshold = _not_above(float(node["threshold"]))
            self.nodes.append((number, own, int(node["split_feature"]), threshold, "BRANCH_LEQ", left, right))
            waiting += [(node["left_child"], left), (node["right_child"], right)]

    def node(self) -> onnx.NodeProto:
        """The finished ONNX node."""
        tree, own, feature, value, mode, true, false = (
            list(column) for column in zip(*self.nodes, strict=True)
        )
        leaf_tree, leaf, target, weight = (list(column) for column in zip(*self.leaves, strict=True))
        return helper.make_node(
            "TreeEnsembleRegressor",
            ["features"],
            ["scores"],
            domain="ai.onnx.ml",
            n_targets=self.outputs,
            aggregate_function="SUM",
            post_transform="NONE",
            nodes_treeids=tree,
            nodes_nodeids=own,
            nodes_featureids=feature,
            nodes_values=value,
            nodes_modes=mode,
            nodes_truenodeids=true,
            nodes_falsenodeids=false,
            target_treeids=leaf_tree,
            target_nodeids=leaf,
            target_ids=target,
            target_weights=weight,
        )


def to_onnx(model: lightgbm.Booster, outputs: int) -> bytes:
    """A model of ``outputs`` raw scores as the bytes of an ONNX file; best iteration only."""
    dump = model.dump_model(num_iteration=model.best_iteration)
    ensemble = _Ensemble(outputs)
    for number, tree in enumerate(dump["tree_info"]):
        ensemble.add_tree(number, tree["tree_structure"])
    features = helper.make_tensor_value_info(
        "features", TensorProto.FLOAT, [None, dump["max_feature_idx"] + 1]
    )
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, outputs])
    graph = helper.make_graph([ensemble.node()], "trees", [features], [scores])
    versions = [helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 18)]
    proto = helper.make_model(graph, opset_imports=versions, ir_version=9)
    onnx.checker.check_model(proto)
    return bytes(proto.SerializeToString(deterministic=True))


def _not_above(threshold: float) -> float:
    """The largest float32 that is not above a double."""
    rounded = np.float32(threshold)
    if float(rounded) > threshold:
        rounded = np.nextafter(rounded, np.float32(-np.inf))
    return float(rounded)
