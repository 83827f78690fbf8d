# SPDX-License-Identifier: Apache-2.0
"""An untrained network with a head start answers what FFGBT would."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="the model needs torch; make test-train installs it, also in CI")

from acromeld.detect.acromeld.opinions import JUDGEMENTS, UNIT
from acromeld.model.acromeld import AcroMeld
from acromeld.model.contract import ModelContract
from acromeld.model.head_start import belief, known
from acromeld.structure.descriptor import SIZE
from tests.model.made import SMALL_CANVAS, TINY, random_tokens

SEEDS = slice(TINY.visual_queries, TINY.visual_queries + TINY.structure_queries)


def judged_page(odds: torch.Tensor):
    """Tokens of a page: the page itself and a primitive without opinions, then a candidate for each row."""
    generator = torch.Generator().manual_seed(1)
    tokens = random_tokens(1, 2 + len(odds), generator)
    descriptor = tokens.descriptor.clone()
    descriptor[..., SIZE : SIZE + JUDGEMENTS] = 0.0
    descriptor[0, 2:, SIZE : SIZE + 4] = odds / UNIT
    return torch.rand(1, 1, *SMALL_CANVAS, generator=generator), replace(tokens, descriptor=descriptor)


def test_classes_and_quality_of_seeds_are_the_opinions() -> None:
    odds = torch.tensor([[4.0, -3.0, -5.0, 2.0], [-2.0, 1.0, -4.0, -1.0], [-5.0, -5.5, -6.0, -6.0]])
    images, tokens = judged_page(odds)
    torch.manual_seed(0)
    with torch.no_grad():
        answer = AcroMeld(TINY).eval()(images, tokens).final
    against_none = (answer.logits[0, SEEDS, :3] - answer.logits[0, SEEDS, 3:]).tolist()
    found = [min(range(20), key=lambda row: abs(against_none[row][0] - want[0])) for want in odds.tolist()]
    for row, want in zip(found, odds.tolist(), strict=True):
        assert against_none[row] == pytest.approx(want[:3], abs=0.4)
        assert answer.quality[0, SEEDS][row].item() == pytest.approx(want[3], abs=0.4)


def test_seeds_come_in_the_order_of_belief() -> None:
    odds = torch.tensor([[-4.0, -5, -5, 0], [5.0, -4, -4, 0], [-5.0, 3, -5, 0]])
    images, tokens = judged_page(odds)
    torch.manual_seed(0)
    model = AcroMeld(TINY).eval()
    with torch.no_grad():
        start = model.queries(model.visual(images, None), tokens, model.structure(tokens))
    assert (start.opinion[0, SEEDS][:2, :4] * UNIT).round().tolist() == odds[[1, 2]].tolist()
    assert not start.opinion[0, : SEEDS.start].any()
    assert not start.opinion[0, SEEDS.stop :].any()


def test_opinions_stay_with_their_queries_when_sources_are_left_out() -> None:
    images, tokens = judged_page(torch.tensor([[5.0, -4, -4, 0]]))
    torch.manual_seed(0)
    model = AcroMeld(TINY).eval()
    with torch.no_grad():
        memory, seen = model.structure(tokens), model.visual(images, None)
        start = model.queries(seen, tokens, memory, ("structure", "free"))
    assert start.opinion.shape[:2] == start.values.shape[:2]
    assert start.opinion[0, 0, 0].item() * UNIT == pytest.approx(5.0)


def test_belief_is_about_any_class_and_zero_without_an_opinion() -> None:
    odds = torch.tensor([[0.0, 0.0, 0.0, -2.0, 0.5]]) / UNIT
    assert belief(odds).item() == pytest.approx(torch.tensor(3.0).log().item())
    nothing = torch.zeros(1, JUDGEMENTS)
    assert not known(nothing).any()
    assert belief(nothing).item() == 0.0


def test_a_head_start_needs_opinions() -> None:
    with pytest.raises(ValueError, match="made of opinions"):
        ModelContract.model_validate(TINY.model_dump() | {"opinions": False})
