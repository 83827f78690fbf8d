# SPDX-License-Identifier: Apache-2.0
"""The detector with a graph made by hand: three fields at known places, whatever it is shown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from acromeld.cli import run
from acromeld.detect.acromeld.appraisal.weights import pack as pack_appraisal
from acromeld.detect.acromeld.detector import AcromeldDetector, page_evidence
from acromeld.detect.acromeld.weights import (
    EXPERT_KEY,
    INPUTS,
    OUTPUTS,
    read_weights,
    shipped_candidate,
    shipped_file,
)
from acromeld.detect.candidates import Detector
from acromeld.detect.decoding import decode
from acromeld.detect.ffgbt.weights import shipped
from acromeld.detect.registry import DEFAULT, detector_names, load_detector
from acromeld.errors import ExitCode, InputNotFound, IntegrityError
from acromeld.fields import OperatingPoint
from acromeld.model.contract import COMPACT, ModelContract
from acromeld.model.onnx_file import finished, signed, store_halves
from acromeld.pdf.page import Primitives
from acromeld.provenance.candidate import load_candidate
from acromeld.provenance.digests import sha256_bytes
from acromeld.provenance.gate import CLAIM
from acromeld.provenance.internal_report import load_internal_report
from tests.detect.acromeld.appraisal.made import weights as appraisal_weights
from tests.detect.acromeld.pages import page, picture, ruled
from tests.detect.acromeld.signing.made import packed, words

SIZES = {"visual_queries": 2, "structure_queries": 2, "free_queries": 1, "max_evidence": 384}
CONTRACT = ModelContract.model_validate(
    COMPACT.model_dump()
    | {
        "name": "made",
        "opinions": False,
        "head_start": False,
        "descriptor": 32,
        "page_evidence": 0.0,
        "evidence_scores": 1,
        **SIZES,
    }
)
_TYPES = {"image": 1, "kind": 7, "box": 1, "descriptor": 1, "text": 2, "available": 9}

CORNERS = np.array(
    [
        [0.10, 0.20, 0.30, 0.22],
        [0.10, 0.20, 0.30, 0.221],
        [0.50, 0.50, 0.52, 0.52],
        [0.00, 0.00, 0.10, 0.01],
        [0.40, 0.70, 0.60, 0.72],
    ],
    dtype=np.float32,
)
PROBABILITY = np.array(
    [[0.9, 0, 0], [0.8, 0.1, 0], [0, 0.7, 0.1], [0.9, 0, 0], [0.009, 0.001, 0]], dtype=np.float32
)


def graph(outputs: dict[str, np.ndarray] | None = None, *, wide: int = 32) -> bytes:
    answers = outputs or {
        "probability": PROBABILITY,
        "corners": CORNERS,
        "quality": np.array([0.9, 0.9, 0.4, 0.9, 0.001], dtype=np.float32),
        "link": np.eye(5, 32, dtype=np.float32),
    }
    given = [helper.make_tensor_value_info("image", _TYPES["image"], [1, 1, "h", "w"])]
    tails = {"box": [4], "descriptor": [wide], "text": [48]}
    given += [helper.make_tensor_value_info(n, _TYPES[n], [1, "t", *tails.get(n, [])]) for n in INPUTS[1:]]
    answered = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, *array.shape])
        for name, array in answers.items()
    ]
    constants = [
        helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array[None]))
        for name, array in answers.items()
    ]
    model = helper.make_model(
        helper.make_graph(constants, "made", given, answered),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=10,
    )
    return bytes(model.SerializeToString())


def written(folder: Path, data: bytes) -> Path:
    path = folder / "candidate.onnx"
    path.write_bytes(data)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path, signed(graph(), CONTRACT))


def test_answers_become_candidates_in_points(file):
    detector: Detector = load_detector("acromeld", file, threads=1)
    (found,) = detector.detect([page(primitives=ruled(), raster=picture())])
    # The last query is below the floor; the fourth lies beside the page, on padding.
    assert found.origin == ("visual", "visual", "structure")
    assert found.kind.tolist() == [0, 0, 1]
    assert found.score == pytest.approx(np.sqrt([0.81, 0.72, 0.28]))
    assert found.quality == pytest.approx([0.9, 0.9, 0.4])
    assert found.link.shape == (3, 32)
    scale = 736 / 600
    top = (1024 - 800 * scale) / 2
    expected = [0.1 * 600, (0.2 * 1024 - top) / scale, 0.3 * 600, (0.22 * 1024 - top) / scale]
    assert found.box[0] == pytest.approx(expected, abs=1e-3)
    assert decode(found, OperatingPoint(nms=0.9, link=0.99), cap=detector.cap).kept.tolist() == [0, 2]


def test_pages_of_any_shape_and_without_structure_are_answered(file):
    detector = AcromeldDetector.from_file(file)
    blank = page()
    assert [len(found) for found in detector.detect([blank, page(primitives=ruled())])] == [3, 3]
    assert detector.detect([]) == []


def test_the_file_is_named_by_its_digest(file):
    import hashlib

    ref = AcromeldDetector.from_file(file).ref
    assert (ref.name, ref.weights) == ("acromeld", hashlib.sha256(file.read_bytes()).hexdigest())


def test_thresholds_come_from_beside_the_weights(file):
    assert AcromeldDetector.from_file(file).operating_point == OperatingPoint()
    digest = AcromeldDetector.from_file(file).ref.weights
    point = OperatingPoint(text=0.21, choice=0.33, signature=0.5, nms=0.8, link=0.7)
    beside = file.with_name("operating-point.json")
    beside.write_text(json.dumps({"candidate": digest, "point": point.model_dump()}))
    assert AcromeldDetector.from_file(file).operating_point == point
    beside.write_text(json.dumps({"candidate": "0" * 64, "point": point.model_dump()}))
    with pytest.raises(IntegrityError, match="belongs to other weights"):
        AcromeldDetector.from_file(file)
    beside.write_text('{"point": 3}')
    with pytest.raises(IntegrityError, match="not an operating point"):
        AcromeldDetector.from_file(file)


def test_half_precision_is_stored_only_where_nothing_is_lost():
    exact = np.linspace(-2, 2, 2048, dtype=np.float16).astype(np.float32)
    inexact = np.full(2048, 0.1, dtype=np.float32)
    order = np.arange(2048)[::-1].copy()
    info = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Gather", ["exact", "order"], ["turned"]),
        helper.make_node("Add", ["turned", "inexact"], ["sum"]),
    ]
    named = {"exact": exact, "inexact": inexact, "order": order}
    weights = [numpy_helper.from_array(values, name) for name, values in named.items()]
    made = helper.make_graph(nodes, "made", [], [info("sum", TensorProto.FLOAT, [2048])], weights)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    small = store_halves(bytes(model.SerializeToString()))
    kinds = {t.name: t.data_type for t in onnx.load_from_string(small).graph.initializer}
    whole_numbers = {"order": TensorProto.INT64}
    assert kinds == {"exact.half": TensorProto.FLOAT16, "inexact": TensorProto.FLOAT} | whole_numbers
    import onnxruntime

    session = onnxruntime.InferenceSession(small, providers=["CPUExecutionProvider"])
    assert (session.run(None, {})[0] == exact[::-1] + inexact).all()


def refusal(path: Path) -> str:
    with pytest.raises(IntegrityError) as told:
        AcromeldDetector.from_file(path)
    return str(told.value)


def test_files_that_are_not_what_they_say_are_refused(tmp_path):
    assert "not an ONNX model" in refusal(written(tmp_path, b"PK\x03\x04 no model"))
    assert "not a weights file" in refusal(written(tmp_path, graph()))
    whole = signed(graph(), CONTRACT)
    assert "damaged" in refusal(written(tmp_path, whole[:1000]))
    patched = whole.replace(np.float32(0.7).tobytes(), np.float32(0.9).tobytes(), 1)
    assert len(patched) == len(whole)
    assert patched != whole
    assert "digests do not match" in refusal(written(tmp_path, patched))
    other = whole.replace(b'"max_evidence":384', b'"max_evidence":128')
    assert other != whole
    assert "digests do not match" in refusal(written(tmp_path, other))
    assert "which contract" in refusal(written(tmp_path, whole.replace(b"graph_bytes", b"graph_bites")))


def test_a_graph_with_other_answers_is_refused(tmp_path):
    answers = {name: np.zeros((5, 3), dtype=np.float32) for name in (*OUTPUTS[:3], "other")}
    assert "asks or answers other things" in refusal(written(tmp_path, signed(graph(answers), CONTRACT)))


def test_a_contract_with_opinions_asks_the_ffgbt_it_was_made_for(tmp_path):
    contract = CONTRACT.model_copy(update={"opinions": True, "descriptor": 32 + 5 + len(shipped().features)})
    whole = signed(graph(wide=contract.descriptor), contract)
    detector = AcromeldDetector.from_file(written(tmp_path, whole))
    assert [
        len(found) for found in detector.detect([page(primitives=ruled(), raster=picture()), page()])
    ] == [3, 3]
    other = whole.replace(shipped().digest.encode(), b"0" * 64)
    assert "the FFGBT whose opinion its model reads is another" in refusal(written(tmp_path, other))
    without = whole.replace(EXPERT_KEY.encode(), b"acromeld.nobody")
    assert "lacks the FFGBT" in refusal(written(tmp_path, without))
    with pytest.raises(IntegrityError, match="not a weights file of FFGBT"):
        signed(graph(wide=contract.descriptor), contract, b"no weights")


def test_what_ships_is_a_whole_candidate_and_the_default():
    assert detector_names()[0] == DEFAULT == "acromeld"
    candidate = load_candidate(shipped_candidate())
    detector = load_detector()
    assert detector.ref == candidate.detector
    assert detector.operating_point == candidate.operating_point
    assert detector.contract == COMPACT.model_copy(update={"signing": True, "appraisal": True}).runtime
    assert load_internal_report(shipped_candidate())
    assert len(candidate.documents()) > 1000
    assert not (shipped_candidate() / CLAIM).exists(), "its one chance at the gate belongs to whoever gets it"


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(InputNotFound, match="cannot be read"):
        load_detector("acromeld", tmp_path / "nothing.onnx")


def test_too_little_memory_is_told_in_a_sentence(tmp_path, monkeypatch, capsys):
    class Starved:
        def run(self, *_):
            raise RuntimeError("BFCArena: Failed to allocate memory for requested buffer of size 20971520")

    starved = replace(read_weights(shipped_file()), session=Starved())
    monkeypatch.setattr("acromeld.detect.acromeld.detector.read_weights", lambda *_: starved)
    sample = Path(__file__).parents[3] / "examples" / "application.pdf"
    assert run(["recover", str(sample), "-o", str(tmp_path / "out.pdf")]) == ExitCode.LIMIT
    assert capsys.readouterr().err == "acromeld: There is not enough memory to go on.\n"
    assert not list(tmp_path.iterdir())


def test_a_second_look_comes_with_the_file_and_is_asked(tmp_path):
    second = packed(bias=5.0)
    whole = finished(signed(graph(), CONTRACT), "made.onnx", {"signing": second})
    detector = AcromeldDetector.from_file(written(tmp_path, whole))
    shown = page(primitives=Primitives(words(("Signature", 60, 172))))
    (found,) = detector.detect([shown])
    assert found.kind.tolist() == [2, 2, 1], "both candidates of the line above the word"
    (plain,) = detector.detect([page(primitives=Primitives(words(("Name", 60, 172))))])
    assert plain.kind.tolist() == [0, 0, 1]
    digest = sha256_bytes(second).encode()
    assert "second look at places to sign is another" in refusal(
        written(tmp_path, whole.replace(digest, b"0" * 64))
    )
    without = whole.replace(b"acromeld.signing\x12", b"acromeld.sighing\x12")
    assert "lacks its second look" in refusal(written(tmp_path, without))


def test_an_appraisal_comes_with_the_file_and_is_asked(tmp_path):
    contract = ModelContract.model_validate(
        COMPACT.model_dump() | {"name": "made", "page_evidence": 2.0, "evidence_scores": 3, **SIZES}
    )
    answers = {
        "probability": PROBABILITY,
        "corners": CORNERS,
        "quality": np.array([0.9, 0.9, 0.9, 0.9, 0.001], dtype=np.float32),
        "link": np.eye(5, 32, dtype=np.float32),
    }
    appraisal = pack_appraisal(appraisal_weights({}, bias=float(np.log(0.3 / 0.7))))
    network = signed(graph(answers, wide=contract.descriptor), contract)
    whole = finished(network, "made.onnx", {"appraisal": appraisal})
    assert finished(whole, "made.onnx") == whole, "what is there stays"
    (found,) = AcromeldDetector.from_file(written(tmp_path, whole)).detect(
        [page(primitives=ruled(), raster=picture())]
    )
    alone = np.sqrt(0.3 * 0.9)
    evidence = (2 * alone / 3) ** 2  # two places; the corner of the canvas is not on the page
    assert found.score.max() == pytest.approx(alone * evidence, rel=1e-5)
    assert "appraisal of places is another" in refusal(
        written(tmp_path, whole.replace(sha256_bytes(appraisal).encode(), b"0" * 64))
    )
    with pytest.raises(IntegrityError, match="not a weights file"):
        finished(signed(graph(), CONTRACT), "made.onnx", {"appraisal": appraisal})


def test_what_may_be_chosen_after_training_is_chosen_by_a_command(tmp_path, capsys):
    first, out = written(tmp_path, signed(graph(), CONTRACT)), tmp_path / "finished.onnx"
    choices = ["--page-evidence", "2", "--evidence-scores", "3"]
    assert run(["train", "finish", str(first), "-o", str(out), *choices]) == 0
    assert str(out) in capsys.readouterr().out
    contract = AcromeldDetector.from_file(out).contract
    assert (contract.page_evidence, contract.evidence_scores, contract.signing) == (2.0, 3, False)
    assert first.read_bytes()[:1000] == out.read_bytes()[:1000], "the network is the same"
    assert run(["train", "finish", str(tmp_path / "none.onnx"), "-o", str(out)]) == ExitCode.NOT_FOUND
    alone = ["--enough", "0.3", "-o", str(tmp_path / "enough.onnx")]
    assert run(["train", "finish", str(first), *alone]) == ExitCode.NOT_FOUND, "of which second look?"
    out.write_bytes(graph())
    assert run(["train", "finish", str(out), "-o", str(tmp_path / "other.onnx")]) == ExitCode.INTEGRITY


def test_page_evidence_is_the_mean_of_the_best_scores():
    contract = CONTRACT.runtime.model_copy(update={"page_evidence": 2.0, "evidence_scores": 2})
    score = np.array([0.2, 0.9, 0.5, 0.1])
    assert page_evidence(score, contract) == pytest.approx(0.7**2)
    assert page_evidence(score[:1], contract) == pytest.approx(0.1**2), "what is missing counts as nothing"
    assert page_evidence(score, CONTRACT.runtime) == 1.0, "the paper's score"
    assert page_evidence(np.zeros(0), contract) == 0.0
