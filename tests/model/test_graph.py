# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
import math

import numpy as np
import onnxruntime
import pytest
import torch

from acromeld import geometry
from acromeld.model import boxes as tensor_boxes
from acromeld.model.graph import EDGE_LIMIT, GraphLayer, SparseAttention, edge_features, nearest
from tests.model.made import TINY, random_boxes


def test_overlaps_agree_with_the_numpy_geometry() -> None:
    generator = torch.Generator().manual_seed(0)
    a, b = (tensor_boxes.cxcywh_to_xyxy(random_boxes(n, generator, 0.6)) for n in (20, 15))
    for ours, theirs in ((tensor_boxes.iou, geometry.iou), (tensor_boxes.overlap, geometry.overlap)):
        expected = theirs(a.double().numpy(), b.double().numpy())
        assert np.allclose(tensor_boxes.pairs(ours, a, b).numpy(), expected, atol=1e-5)


def test_generalized_iou_of_known_boxes() -> None:
    unit = torch.tensor([0.0, 0.0, 1.0, 1.0])
    apart = torch.tensor([2.0, 0.0, 3.0, 1.0])
    assert float(tensor_boxes.generalized_iou(unit, unit)) == pytest.approx(1.0)
    assert float(tensor_boxes.generalized_iou(unit, apart)) == pytest.approx(-1 / 3)


def test_valid_boxes_lie_on_the_canvas_and_keep_good_ones() -> None:
    wild = torch.tensor(
        [[0.0, 0.0, 0.4, 0.4], [1.0, 1.0, 1e-9, 1e-9], [0.5, 0.5, 3.0, 0.2], [0.5, 0.5, 0.2, 0.1]]
    )
    corners = tensor_boxes.cxcywh_to_xyxy(tensor_boxes.valid_boxes(wild))
    assert (corners > -1e-6).all()
    assert (corners < 1 + 1e-6).all()
    assert (corners[:, 2:] - corners[:, :2] > 0.9e-4).all()
    assert torch.allclose(tensor_boxes.valid_boxes(wild)[3], wild[3])


def test_nearest_is_what_sorting_all_distances_gives() -> None:
    boxes = random_boxes(40, torch.Generator().manual_seed(1))[None].repeat(2, 1, 1)
    rows = nearest(boxes, 7)
    for query in range(40):
        distance = ((boxes[0, :, :2] - boxes[0, query, :2]) ** 2).sum(-1)
        assert set(rows[0, query].tolist()) == set(distance.argsort()[:7].tolist())
        assert query in rows[1, query].tolist()
    assert nearest(boxes[:, :4], 7).shape == (2, 4, 4)


def test_equally_near_queries_are_chosen_in_order() -> None:
    boxes = torch.tensor([[0.3, 0.4, 0.1, 0.1]]).repeat(50, 1)[None]
    assert nearest(boxes, 5)[0].sort(-1).values.tolist() == [[0, 1, 2, 3, 4]] * 50


def test_ties_on_a_grid_go_to_the_earlier_row_in_both_engines() -> None:
    """Forms are grids: nearly every neighbourhood ends among centres that are equally far."""

    class Nearest(torch.nn.Module):
        def forward(self, boxes: torch.Tensor) -> torch.Tensor:
            return nearest(boxes, 32)

    side = 28
    step = torch.arange(side) / 32 + 1 / 64  # exact in binary, so that ties are ties
    centre = torch.cartesian_prod(step, step)
    order = torch.randperm(len(centre), generator=torch.Generator().manual_seed(7))
    boxes = torch.cat([centre[order], torch.full((len(order), 2), 0.01)], dim=-1)[None]
    graph = io.BytesIO()
    torch.onnx.export(Nearest(), (boxes,), graph, input_names=["boxes"], opset_version=18, dynamo=False)
    session = onnxruntime.InferenceSession(graph.getvalue(), providers=["CPUExecutionProvider"])
    ours = nearest(boxes, 32).sort(-1).values
    assert (np.sort(session.run(None, {"boxes": boxes.numpy()})[0]) == ours.numpy()).all()
    whole = (boxes[0, :, :2] * 64).round().long()
    for query in range(0, len(order), 37):
        distance = ((whole - whole[query]) ** 2).sum(-1)
        expected = sorted(range(len(order)), key=lambda row: (int(distance[row]), row))[:32]
        assert ours[0, query].tolist() == sorted(expected)


def test_edge_equation_pair_by_pair() -> None:
    boxes = random_boxes(12, torch.Generator().manual_seed(2), 0.5)[None]
    rows = nearest(boxes, 5)
    edges = edge_features(boxes, rows)
    for i in range(12):
        for k, j in enumerate(rows[0, i].tolist()):
            (xi, yi, wi, hi), (xj, yj, wj, hj) = boxes[0, i].tolist(), boxes[0, j].tolist()
            dx, dy = (xj - xi) / wi, (yj - yi) / hi
            shared = tensor_boxes.iou(*tensor_boxes.cxcywh_to_xyxy(boxes[0, [i, j]]))
            expected = [
                *(max(-EDGE_LIMIT, min(EDGE_LIMIT, value)) for value in (dx, dy)),
                math.log(wj / wi),
                math.log(hj / hi),
                float(shared),
                math.exp(-abs(dy)),
                math.exp(-abs(dx)),
            ]
            assert edges[0, i, k].tolist() == pytest.approx(expected, abs=1e-4)


def test_sparse_attention_equals_dense_attention_with_everything_else_forbidden() -> None:
    generator = torch.Generator().manual_seed(4)
    layer = SparseAttention(32, 4, 16)
    x = torch.randn(2, 15, 32, generator=generator)
    boxes = torch.stack([random_boxes(15, generator) for _ in range(2)])
    rows = nearest(boxes, 5)
    edges = edge_features(boxes, rows)
    result = layer(x, rows, edges)
    q, (k, v) = layer.query(x), layer.key_value(x).chunk(2, dim=-1)
    bias = layer.edge(edges)
    for page in range(2):
        for i in range(15):
            heads = []
            for head in range(4):
                part = slice(8 * head, 8 * head + 8)
                score = torch.full((15,), -torch.inf)
                for n, j in enumerate(rows[page, i].tolist()):
                    score[j] = q[page, i, part] @ k[page, j, part] / math.sqrt(8) + bias[page, i, n, head]
                heads.append(score.softmax(0) @ v[page, :, part])
            assert torch.allclose(result[page, i], layer.out(torch.cat(heads)), atol=1e-5)


def test_sparse_attention_stores_nothing_quadratic_in_queries() -> None:
    queries, sizes = 300, []
    layer = SparseAttention(32, 4, 16)
    x = torch.randn(1, queries, 32, requires_grad=True)
    boxes = random_boxes(queries, torch.Generator().manual_seed(5))[None]
    rows = nearest(boxes, 6)
    edges = edge_features(boxes, rows)

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        sizes.append(tensor.numel())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        layer(x, rows, edges)
    assert 0 < max(sizes) < queries * queries


def test_layer_moves_with_its_queries_and_ignores_padding_and_token_order() -> None:
    generator = torch.Generator().manual_seed(6)
    layer = GraphLayer(TINY).eval()
    x, memory = torch.randn(1, 18, 32, generator=generator), torch.randn(1, 9, 32, generator=generator)
    boxes = random_boxes(18, generator)[None]
    mask = torch.tensor([[True] * 6 + [False] * 3])
    result = layer(x, boxes, memory, mask)
    order = torch.randperm(18, generator=generator)
    assert torch.allclose(layer(x[:, order], boxes[:, order], memory, mask), result[:, order], atol=1e-5)
    tokens = torch.randperm(9, generator=generator)
    assert torch.allclose(layer(x, boxes, memory[:, tokens], mask[:, tokens]), result, atol=1e-5)
    memory[:, 6:] = 1e3
    assert torch.allclose(layer(x, boxes, memory, mask), result, atol=1e-5)
