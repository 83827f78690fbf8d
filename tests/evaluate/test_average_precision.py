# SPDX-License-Identifier: Apache-2.0
"""Our AP against pycocotools, the reference implementation, on random and on plausible predictions."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from acromeld.errors import BadFields
from acromeld.evaluate.adapters import compare
from acromeld.evaluate.average_precision import coco_ap, overlap_ap, ranked_precision
from acromeld.evaluate.coco import export_annotations, export_predictions, import_annotations
from acromeld.evaluate.pages import PageKey, PredictedPage, TargetPage
from acromeld.fields import KINDS
from tests.evaluate.made_up import corpus, digest, predicted_page, target_page


def _reference(predicted: dict[PageKey, PredictedPage], targets: dict[PageKey, TargetPage]) -> dict:
    truth = COCO()
    truth.dataset = export_annotations(targets.values())
    results = export_predictions(predicted, list(targets.values()))
    with contextlib.redirect_stdout(io.StringIO()):
        truth.createIndex()
        run = COCOeval(truth, truth.loadRes(results), "bbox")
        run.params.maxDets = [1, 10, 300]
        run.evaluate()
        run.accumulate()
    precision = run.eval["precision"][:, :, :, 0, 2]
    return {
        "map": _mean(precision),
        "ap50": _mean(precision[0]),
        "ap75": _mean(precision[5]),
        "classes": {
            kind.value: {
                "ap": _mean(precision[:, :, index]),
                "ap50": _mean(precision[0, :, index]),
                "ap75": _mean(precision[5, :, index]),
            }
            for index, kind in enumerate(KINDS)
        },
    }


def _mean(precision: np.ndarray) -> float | None:
    defined = precision[precision > -1]
    return float(defined.mean()) if len(defined) else None


def _assert_equal(ours: dict, reference: dict) -> None:
    for name, value in reference.items():
        if isinstance(value, dict):
            _assert_equal(ours[name], value)
        else:
            assert ours[name] == (None if value is None else pytest.approx(value, abs=1e-6))


@pytest.mark.parametrize("seed", range(6))
def test_coco_ap_equals_pycocotools_on_plausible_pages(seed: int) -> None:
    predicted, targets = corpus(seed, documents=5, pages=2, fields=(0, 3, 40, 40, 150, 200)[seed])
    _assert_equal(coco_ap(compare(predicted, targets)), _reference(predicted, targets))


@pytest.mark.parametrize("seed", range(6))
def test_coco_ap_equals_pycocotools_on_crowded_integer_boxes_with_tied_scores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    predicted, targets = {}, {}
    for number in range(8):
        corner = rng.integers(0, 12, (40, 2))
        box = np.column_stack([corner, corner + rng.integers(1, 9, (40, 2))]).astype(float).tolist()
        kind = rng.integers(0, 2, 40).tolist()
        score = (rng.integers(1, 6, 40) / 5).tolist()
        page = predicted_page(box[:25], kind[:25], score[:25], digest(number))
        truth = target_page(box[25:], kind[25:], digest(number))
        predicted[page.key], targets[truth.key] = page, truth
    ours = coco_ap(compare(predicted, targets))
    _assert_equal(ours, _reference(predicted, targets))
    assert ours["classes"]["signature"] == {"ap": None, "ap50": None, "ap75": None}


def test_the_class_global_cap_comes_before_classes_part() -> None:
    boxes = [[float(10 * i), 0.0, 10.0 * i + 8, 8.0] for i in range(400)]
    page = predicted_page(boxes, [0] * 300 + [1] * 100, [0.9] * 300 + [0.8] * 100)
    truth = target_page(boxes, [0] * 300 + [1] * 100)
    ours = coco_ap(compare({page.key: page}, {truth.key: truth}))
    assert ours["classes"]["text"]["ap"] == pytest.approx(1.0)
    assert ours["classes"]["choice"]["ap"] == 0.0


def _slow_ap(scored: list[tuple[float, bool]], targets: int) -> float:
    """101-point AP by its definition: at each recall level the best precision at that recall or beyond."""
    ranked = sorted(scored, key=lambda item: -item[0])
    points, found = [], 0
    for rank, (_, hit) in enumerate(ranked, 1):
        found += hit
        points.append((found / targets, found / rank))
    levels = [level / 100 for level in range(101)]
    return sum(max((p for r, p in points if r >= level - 1e-12), default=0.0) for level in levels) / 101


@pytest.mark.parametrize("seed", range(5))
def test_ranked_precision_equals_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    score, hit = rng.random(60), rng.random(60) < 0.6
    expected = _slow_ap(list(zip(score, hit, strict=True)), 50)
    assert ranked_precision(score, hit, 50) == pytest.approx(expected, abs=1e-9)


def test_overlap_ap_accepts_what_coco_does_not() -> None:
    truth = target_page([[0, 0, 100, 20], [0, 40, 100, 60]], [0, 0])
    page = predicted_page(
        [[10, 5, 20, 10], [0, 40, 100, 60], [300, 300, 310, 310]], [0, 0, 1], [0.9, 0.8, 0.7]
    )
    pages = compare({page.key: page}, {truth.key: truth})
    assert overlap_ap(pages)["classes"] == {"text": pytest.approx(1.0), "choice": None, "signature": None}
    assert coco_ap(pages)["classes"]["text"]["ap50"] == pytest.approx(0.5 * 51 / 101)


def test_nothing_at_all_is_undefined() -> None:
    assert coco_ap([])["map"] is None
    assert overlap_ap([])["ap"] is None


def test_annotations_survive_export_and_import(tmp_path: Path) -> None:
    _, targets = corpus(4)
    path = tmp_path / "strict.json"
    path.write_text(json.dumps(export_annotations(targets.values())))
    back = import_annotations(path)
    assert back.keys() == targets.keys()
    for key, page in back.items():
        np.testing.assert_allclose(page.box, targets[key].box, atol=1e-9)
        assert page.kind.tolist() == targets[key].kind.tolist()


def test_crowd_regions_are_left_out_and_unknown_categories_refused(tmp_path: Path) -> None:
    data = export_annotations([target_page([[0, 0, 10, 10], [20, 0, 30, 10]], [0, 1])])
    data["annotations"][0]["iscrowd"] = 1
    path = tmp_path / "strict.json"
    path.write_text(json.dumps(data))
    (page,) = import_annotations(path).values()
    assert page.kind.tolist() == [1]
    data["categories"][0]["name"] = "stamp"
    path.write_text(json.dumps(data))
    with pytest.raises(BadFields, match="stamp"):
        import_annotations(path)
