# SPDX-License-Identifier: Apache-2.0
"""Programs for the peer's own environment, kept as text so that nothing of ours can import what they import.

They run as separate processes of that environment's Python and speak through files.
"""

from __future__ import annotations

EXPORT = '''\
"""export.py WEIGHTS.pt TARGET.onnx: the network with free input size, boxes and scores as output."""
import sys
import torch
from ultralytics import YOLO

source, target = sys.argv[1:]
network = YOLO(source).model.float().eval().fuse(verbose=False)
for parameter in network.parameters():
    parameter.requires_grad_(False)
head = network.model[-1]
head.export, head.dynamic, head.format = True, True, "onnx"
example = torch.zeros(1, 3, 640, 512)
network(example)
torch.onnx.export(
    network, (example,), target, dynamo=False, opset_version=17,
    input_names=["images"], output_names=["cells"],
    dynamic_axes={"images": {2: "height", 3: "width"}, "cells": {2: "count"}},
)
'''

REFERENCE = '''\
"""reference.py JOB.json: the toolkit's own prediction for pictures saved as RGB arrays, as JSON lines."""
import json
import sys
import numpy
import torch
from ultralytics import YOLO

job = json.load(open(sys.argv[1]))
torch.set_num_threads(job["threads"])
network = YOLO(job["weights"])
with open(job["output"], "w") as output:
    for picture in job["pictures"]:
        pixels = numpy.ascontiguousarray(numpy.load(picture)[:, :, ::-1])
        boxes = network.predict(pixels, verbose=False, device="cpu", **job["settings"])[0].boxes
        row = {"box": boxes.xyxy.tolist(), "score": boxes.conf.tolist(), "kind": boxes.cls.int().tolist()}
        output.write(json.dumps(row) + "\\n")
'''

STUB_VERSION = "0.0.0"

STUB = f'''\
"""Stands in for torchvision, of which the toolkit needs only box suppression."""
from torchvision import ops

__version__ = "{STUB_VERSION}"
'''

STUB_OPS = '''\
"""Greedy box suppression with plain torch operations."""
import torch


def nms(boxes, scores, iou_threshold):
    """Indices of the boxes kept, best first."""
    size = (boxes[:, 2:] - boxes[:, :2]).clamp(min=0)
    area = size[:, 0] * size[:, 1]
    left, kept = scores.argsort(descending=True), []
    while len(left):
        best, left = left[0], left[1:]
        kept.append(int(best))
        near = torch.maximum(boxes[best, :2], boxes[left, :2])
        far = torch.minimum(boxes[best, 2:], boxes[left, 2:])
        shared = (far - near).clamp(min=0).prod(dim=1)
        left = left[shared <= iou_threshold * (area[best] + area[left] - shared)]
    return torch.tensor(kept, dtype=torch.int64, device=boxes.device)
'''

STUB_METADATA = f"""\
Metadata-Version: 2.1
Name: torchvision
Version: {STUB_VERSION}
Summary: Stand-in written by acromeld for its comparison environment
"""

STUB_FILES: dict[str, str] = {
    "torchvision/__init__.py": STUB,
    "torchvision/ops.py": STUB_OPS,
    f"torchvision-{STUB_VERSION}.dist-info/METADATA": STUB_METADATA,
}
"""The stand-in as files below the environment's site-packages.

The toolkit asks for the version of the installed distribution before it imports anything, hence the metadata.
"""
