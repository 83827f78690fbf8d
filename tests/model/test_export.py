# SPDX-License-Identifier: Apache-2.0
"""The exported graph answers what torch answers, for any canvas and any number of tokens."""

from __future__ import annotations

from unittest import mock

import numpy as np
import onnxruntime
import pytest
import torch

from acromeld.detect.acromeld.weights import INPUTS, OUTPUTS
from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import Fate, decode
from acromeld.fields import OperatingPoint
from acromeld.model import graph
from acromeld.model.acromeld import AcroMeld
from acromeld.model.batch import TokenBatch
from acromeld.model.contract import COMPACT, ModelContract
from acromeld.model.export import ForDecoding, export_onnx
from acromeld.model.graph import nearest
from tests.model.made import TINY, distinct_model, random_tokens, sentinel

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def model() -> AcroMeld:
    return distinct_model(COMPACT)


@pytest.fixture(scope="module")
def session(model: AcroMeld) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(export_onnx(model), options, providers=["CPUExecutionProvider"])


def both(
    model: AcroMeld, session: onnxruntime.InferenceSession, image: torch.Tensor, tokens: TokenBatch
) -> tuple[Arrays, Arrays]:
    given = (image, *(getattr(tokens, name) for name in INPUTS[1:]))
    with torch.no_grad():
        ours = [part.numpy() for part in ForDecoding(model)(*given)]
    feed = {name: part.contiguous().numpy() for name, part in zip(INPUTS, given, strict=True)}
    theirs = session.run(list(OUTPUTS), feed)
    return dict(zip(OUTPUTS, ours, strict=True)), dict(zip(OUTPUTS, theirs, strict=True))


def candidates(answer: Arrays) -> PageCandidates:
    best = answer["probability"][0]
    return PageCandidates(
        box=answer["corners"][0].astype(np.float64) * [600, 800, 600, 800],
        kind=best.argmax(1),
        score=np.sqrt(best.max(1) * answer["quality"][0]).astype(np.float64),
        origin=COMPACT.runtime.origins,
        quality=answer["quality"][0].astype(np.float64),
        link=answer["link"][0].astype(np.float64),
    )


def same_order(ours: Arrays, theirs: Arrays) -> Arrays:
    """Their answers in our order; nothing may be left over.

    Proposals are ranked by score; two that are a rounding apart may swap places, which no decoder sees.
    """
    a, b = (
        np.concatenate([x[n][0].reshape(COMPACT.queries, -1) for n in OUTPUTS], 1) for x in (ours, theirs)
    )
    rows = np.abs(a[:, None] - b[None]).max(-1).argmin(1)
    assert sorted(rows) == list(range(COMPACT.queries))
    return {name: theirs[name][:, rows] for name in OUTPUTS}


def steady(model: AcroMeld, image: torch.Tensor, tokens: TokenBatch, ours: Arrays) -> np.ndarray:
    """``(Q,)`` queries whose answers do not hang on the last bits of a box.

    Whichever way neighbours are chosen, some query's 32nd and 33rd are a rounding apart, and then both
    choices are right. Torch itself tells which: by what changes when centres move by a few roundings.
    """
    generator = torch.Generator().manual_seed(0)
    given = (image, *(getattr(tokens, name) for name in INPUTS[1:]))
    same = np.ones(COMPACT.queries, dtype=bool)
    for _ in range(2):
        noise = 5e-6 * torch.randn(1, COMPACT.queries, 4, generator=generator)
        for sign in (1, -1):
            with (
                torch.no_grad(),
                mock.patch.object(graph, "nearest", lambda b, k, n=sign * noise: nearest(b + n, k)),
            ):
                moved = [part.numpy() for part in ForDecoding(model)(*given)]
            for name, part in zip(OUTPUTS, moved, strict=True):
                apart = np.abs(part - ours[name])[0].reshape(COMPACT.queries, -1).max(1)
                same &= apart < 1e-4
    return same


PAGES = [((192, 160), 1), ((192, 160), 7), ((160, 224), 30), ((224, 224), 500), ((256, 192), 896)]


@pytest.mark.parametrize(("canvas", "count"), PAGES)
def test_the_graph_and_torch_agree(model, session, canvas, count):
    generator = torch.Generator().manual_seed(count)
    image = torch.rand(1, 1, *canvas, generator=generator)
    tokens = sentinel(1, COMPACT) if count == 1 else random_tokens(1, count, generator, COMPACT)
    ours, theirs = both(model, session, image, tokens)
    theirs = same_order(ours, theirs)
    rows = steady(model, image, tokens, ours)
    assert rows.mean() > 0.9
    for name in OUTPUTS:
        assert theirs[name].shape == ours[name].shape
        assert np.abs(theirs[name] - ours[name])[0, rows].max() < 1e-3, name
    point = OperatingPoint(text=0.12, choice=0.12, signature=0.12, nms=0.6, link=0.9)
    a, b = decode(candidates(ours), point), decode(candidates(theirs), point)
    assert {Fate.KEPT, Fate.BELOW_THRESHOLD, Fate.SUPPRESSED_LINK} <= set(a.fate.tolist())
    # A query that is not steady may suppress another in one of them; which one depends on the processor.
    assert len(set(a.kept.tolist()) ^ set(b.kept.tolist())) <= 0.05 * len(a.kept)


def test_only_hopeful_queries_are_asked(model):
    generator = torch.Generator().manual_seed(5)
    image, tokens = torch.rand(1, 1, 192, 160, generator=generator), random_tokens(1, 400, generator, COMPACT)
    with torch.no_grad():
        visual, memory = model.visual(image), model.structure(tokens)
        fieldness = model.queries(visual, tokens, memory).fieldness[0, 1:]
    least = (float(visual.logits.amax(-1).median()) - 1e-4, float(fieldness.median()) - 1e-4)
    choosy = AcroMeld(ModelContract.model_validate(COMPACT.model_dump() | {"least_hope": least}))
    choosy.load_state_dict(model.state_dict())
    ours, theirs = both(choosy.eval(), onnxruntime.InferenceSession(export_onnx(choosy)), image, tokens)
    asked = ours["quality"][0] > 0
    counts = asked[:256].sum(), asked[256:576].sum(), asked[576:].sum()
    assert counts == (129, 200, 64)
    assert (ours["probability"][0][~asked] == 0).all()
    assert (theirs["quality"][0] > 0).sum() == asked.sum()
    # In training, and when it is not said otherwise, everything is asked.
    with torch.no_grad():
        assert choosy(image, tokens).final.boxes.shape[1] == COMPACT.queries


def test_free_queries_must_suffice_as_neighbours():
    with pytest.raises(ValueError, match="neighbours"):
        ModelContract.model_validate(COMPACT.model_dump() | {"least_hope": (0, 0), "free_queries": 31})


def test_origins_follow_the_query_order():
    origins = COMPACT.runtime.origins
    assert len(origins) == COMPACT.queries
    first = (0, COMPACT.visual_queries, COMPACT.visual_queries + COMPACT.structure_queries)
    assert [origins[row] for row in first] == ["visual", "structure", "free"]
    assert all(origins[row - 1] != origins[row] for row in first)


def test_export_leaves_the_mode_alone():
    model = AcroMeld(TINY).train()
    export_onnx(model)
    assert model.training
