# SPDX-License-Identifier: Apache-2.0
"""COCO JSON in and out: strict annotations kept apart from the PDFs, and files other scorers can read.

A page is an image whose ``file_name`` is ``<sha256>/<page index>`` and whose size is in displayed points, so
that a file made here can be read back, and one made elsewhere needs nothing but that naming.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.detect.decoding import raw_point
from acromeld.errors import BadFields, InputNotFound
from acromeld.evaluate.adapters import STRICT
from acromeld.evaluate.pages import PageKey, TargetPage
from acromeld.fields import KINDS, OperatingPoint
from acromeld.geometry import area, as_boxes

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from acromeld.evaluate.pages import PredictedPage
    from acromeld.geometry import Boxes


def _file_name(key: PageKey) -> str:
    return f"{key[0]}/{key[1]}"


def _xywh(box: Boxes) -> list[list[float]]:
    rows: list[list[float]] = np.column_stack([box[:, :2], box[:, 2:] - box[:, :2]]).tolist()
    return rows


def export_annotations(targets: Iterable[TargetPage]) -> dict[str, Any]:
    """Targets as a COCO dataset; image ids count from 1 in the order given."""
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, page in enumerate(targets, 1):
        images.append(
            {"id": number, "file_name": _file_name(page.key), "width": page.width, "height": page.height}
        )
        sizes = area(page.box).tolist()
        for kind, box, size in zip(page.kind.tolist(), _xywh(page.box), sizes, strict=True):
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": number,
                    "category_id": kind + 1,
                    "bbox": box,
                    "area": size,
                    "iscrowd": 0,
                }
            )
    categories = [{"id": index, "name": kind.value} for index, kind in enumerate(KINDS, 1)]
    return {"images": images, "annotations": annotations, "categories": categories}


def export_predictions(
    predicted: Mapping[PageKey, PredictedPage],
    targets: Sequence[TargetPage],
    point: OperatingPoint | None = None,
    cap: int = STRICT.cap,
) -> list[dict[str, Any]]:
    """Predictions as COCO results for the images of `export_annotations` over the same targets.

    Every representative above the floor is given, within the class-global cap.
    """
    point = raw_point(point or OperatingPoint())
    results: list[dict[str, Any]] = []
    for number, target in enumerate(targets, 1):
        page = predicted.get(target.key)
        if page is None:
            continue
        chosen = page.select(point)[:cap]
        found = page.candidates
        rows = zip(_xywh(found.box[chosen]), found.kind[chosen].tolist(), found.score[chosen], strict=True)
        results.extend(
            {"image_id": number, "category_id": kind + 1, "bbox": box, "score": float(score)}
            for box, kind, score in rows
        )
    return results


def import_annotations(path: str | os.PathLike[str]) -> dict[PageKey, TargetPage]:
    """Strict annotations from a COCO file; crowd regions are left out, unknown categories refused."""
    try:
        data = json.loads(Path(path).read_bytes())
        return _pages(data)
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadFields(f"{Path(path).name} is not a COCO file this project can read: {error!r}.") from None


def _pages(data: dict[str, Any]) -> dict[PageKey, TargetPage]:
    names = [kind.value for kind in KINDS]
    kinds = {category["id"]: names.index(category["name"].lower()) for category in data["categories"]}
    boxes: dict[int, list[list[float]]] = {image["id"]: [] for image in data["images"]}
    labels: dict[int, list[int]] = {image["id"]: [] for image in data["images"]}
    for annotation in data["annotations"]:
        if annotation.get("iscrowd"):
            continue
        x, y, width, height = annotation["bbox"]
        boxes[annotation["image_id"]].append([x, y, x + width, y + height])
        labels[annotation["image_id"]].append(kinds[annotation["category_id"]])
    pages = [_page(image, boxes[image["id"]], labels[image["id"]]) for image in data["images"]]
    return {page.key: page for page in pages}


def _page(image: dict[str, Any], boxes: list[list[float]], labels: list[int]) -> TargetPage:
    document, _, index = image["file_name"].rpartition("/")
    return TargetPage(
        document,
        int(index),
        float(image["width"]),
        float(image["height"]),
        as_boxes(boxes),
        np.array(labels, dtype=np.int64),
    )
