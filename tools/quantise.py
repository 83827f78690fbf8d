# SPDX-License-Identifier: Apache-2.0
"""The convolutions of a weights file in 8-bit integers; everything else stays as it is.

    python tools/quantise.py WEIGHTS.onnx INDEX CORPUS OUT.onnx [--pages 40] [--seed 20261115]

Ranges of activations are taken from training pages. The result is a weights file of its own, without an
operating point: `acromeld predict --weights` and tools/paired.py say what it costs, tools/bench_detectors.py
says what it gains. docs/results.md has both for the weights that ship, and why they are not quantised.
"""

from __future__ import annotations

import argparse
import base64
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from rich.progress import track

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.detect.acromeld import weights
from acromeld.detect.acromeld.detector import load_expert
from acromeld.detect.acromeld.inputs import feed, read_inputs
from acromeld.detect.acromeld.weights import read_weights
from acromeld.model.contract import ModelContract
from acromeld.model.onnx_file import signed, store_halves
from acromeld.pdf.document import open_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from acromeld.detect.acromeld.weights import Weights

    Inputs = dict[str, np.ndarray]


class Pages(CalibrationDataReader):  # type: ignore[misc]
    """Pages as the quantiser asks for them: one after the other, then none."""

    def __init__(self, pages: Sequence[Inputs]) -> None:
        self._left: Iterator[Inputs] = iter(pages)

    def get_next(self) -> Any:
        """The next page."""
        return next(self._left, None)


def training_pages(loaded: Weights, files: Sequence[Path]) -> list[Inputs]:
    """The first pages of documents, as the model reads them."""
    expert, pages = load_expert(loaded), []
    for path in track(files, "Reading pages"):
        with open_document(path) as document:
            page = document.read_page(0, loaded.contract.needs)
        pages.append(feed(read_inputs(page, loaded.contract, expert=expert)))
    return pages


def quantised(graph: bytes, pages: Sequence[Inputs]) -> bytes:
    """The graph with integer convolutions; norms are folded into them first, as onnxruntime would."""
    with tempfile.TemporaryDirectory() as folder:
        folded, integer = Path(folder, "folded.onnx"), Path(folder, "integer.onnx")
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(folded)
        onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        quantize_static(
            folded,
            integer,
            Pages(pages),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv"],
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
        return store_halves(integer.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("corpus", type=Path, help="folder of the PDFs")
    parser.add_argument("out", type=Path)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--seed", type=int, default=20261115)
    given = parser.parse_args()
    loaded = read_weights(given.weights)
    with open_index(given.index) as index:
        files = sorted(row.file for row in index.documents(Role.TRAIN_REAL))
    drawn = random.Random(given.seed).sample(files, min(given.pages, len(files)))
    pages = training_pages(loaded, [given.corpus / name for name in drawn])
    told = loaded.session.get_modelmeta().custom_metadata_map
    graph = given.weights.read_bytes()[: int(told[weights.GRAPH_BYTES_KEY])]
    contract = ModelContract.model_validate_json(told[weights.CONTRACT_KEY])
    expert = base64.b64decode(told[weights.EXPERT_KEY]) if contract.opinions else None
    looks = {look: base64.b64decode(told[key]) for look, (key, _) in weights.LOOKS.items() if key in told}
    data = signed(quantised(graph, pages), contract, expert, looks)
    given.out.write_bytes(data)
    print(
        f"{given.out}: {len(data) / 1e6:.1f} MB, {given.weights}: {given.weights.stat().st_size / 1e6:.1f} MB"
    )


if __name__ == "__main__":
    main()
