# SPDX-License-Identifier: Apache-2.0
"""Each intervention takes away what it says, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
import torch

from acromeld.detect.acromeld.contract import SOURCES
from acromeld.detect.acromeld.detector import as_candidates
from acromeld.detect.acromeld.inputs import read_inputs, read_tokens
from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import Fate, decode
from acromeld.evaluate.interventions.catalogue import (
    BASELINE,
    interventions_for,
    primitives_only,
    unjudged,
)
from acromeld.evaluate.interventions.prediction import candidates_under
from acromeld.model.batch import page_batch
from acromeld.model.visual.glimpse import ALL_OVER, glimpse
from acromeld.pdf.page import Page
from acromeld.structure.descriptor import SIZE
from acromeld.structure.kinds import TokenKind
from tests.detect.acromeld.pages import ruled
from tests.evaluate.interventions.made import JUDGED, PLAIN, POINT, MadeUpExpert, intervened, noisy
from tests.model.made import distinct_model

Found = Mapping[str, PageCandidates]
ROWS = {each.name: each for each in interventions_for(JUDGED.runtime)}


@pytest.fixture(scope="module")
def seen() -> Page:
    return noisy(ruled())


@pytest.fixture(scope="module")
def elsewhere() -> Page:
    """The same picture with the rule drawn at another place."""
    drawn = ruled()
    return noisy(replace(drawn, shapes=replace(drawn.shapes, box=drawn.shapes.box + 200.0)))


@pytest.fixture(scope="module")
def found(seen: Page) -> Found:
    return intervened().predict(seen)


def same(a: PageCandidates, b: PageCandidates) -> bool:
    return a.origin == b.origin and np.array_equal(a.box, b.box) and np.array_equal(a.score, b.score)


def test_every_row_has_candidates_and_none_is_the_baseline_again(found: Found) -> None:
    assert list(found) == list(ROWS)
    assert all(len(candidates) for candidates in found.values())
    unchanged = {name for name, candidates in found.items() if same(candidates, found[BASELINE.name])}
    assert unchanged == {"baseline", "links off"}, "links act in the decoder, the others before it"


def test_the_baseline_is_the_model_as_it_is_used(seen: Page, found: Found) -> None:
    model, inputs = distinct_model(JUDGED), read_inputs(seen, JUDGED.runtime, expert=MadeUpExpert())
    batch = page_batch([inputs])
    with torch.no_grad():
        output = model(batch.images, batch.tokens)
    best = output.final.logits.softmax(-1)[0, :, :-1].amax(-1) * output.final.quality[0].sigmoid()
    used = np.sqrt(best.numpy().astype(np.float64))
    assert np.allclose(found["baseline"].score, used[used >= 0.01], atol=1e-6)


@pytest.mark.parametrize("source", SOURCES)
def test_removed_queries_leave_no_candidate_of_their_origin(source: str, found: Found) -> None:
    assert set(found["baseline"].origin) == set(SOURCES)
    assert set(found[f"{source} queries removed"].origin) == set(SOURCES) - {source}


@pytest.mark.parametrize("source", SOURCES)
def test_removed_queries_are_not_there_to_attend_to(source: str, seen: Page) -> None:
    """The graph over the other rows alone, by hand."""
    model, kept = distinct_model(JUDGED), tuple(name for name in SOURCES if name != source)
    batch = page_batch([read_inputs(seen, JUDGED.runtime, expert=MadeUpExpert())])
    rows = torch.tensor([origin in kept for origin in JUDGED.runtime.origins])
    with torch.no_grad():
        visual = model.visual(batch.images, None)
        ours = model.refine(visual, batch.tokens, kept)
        memory = model.structure(batch.tokens)
        start = model.queries(visual, batch.tokens, memory)
        x, boxes = start.values[:, rows], start.boxes[:, rows]
        for index, layer in enumerate(model.layers):
            x = x + model.looks[index](glimpse(visual.fine, boxes, ALL_OVER))
            x = layer(x, boxes, memory, batch.tokens.mask)
            boxes = model.heads(x, boxes, index).boxes
        whole = model.refine(visual, batch.tokens)
    assert torch.allclose(ours.final.boxes, boxes, atol=1e-6)
    assert not torch.allclose(ours.final.boxes, whole.final.boxes[:, rows], atol=1e-4)


def test_links_off_never_suppresses_by_link(found: Found) -> None:
    on, off = (decode(found[name], ROWS[name].point(POINT)) for name in ("baseline", "links off"))
    assert (on.fate == Fate.SUPPRESSED_LINK).any()
    assert not (off.fate == Fate.SUPPRESSED_LINK).any()
    assert (off.fate == Fate.SUPPRESSED_NMS).sum() >= (on.fate == Fate.SUPPRESSED_NMS).sum()
    assert ROWS["links off"].point(POINT).model_copy(update={"link": POINT.link}) == POINT


def made_up_answers() -> dict[str, npt.NDArray[np.float32]]:
    rng, count = np.random.default_rng(0), PLAIN.queries
    low = rng.uniform(0.1, 0.4, (count, 2))
    return {
        "probability": rng.uniform(0.02, 0.3, (count, 3)).astype(np.float32),
        "corners": np.hstack([low, low + 0.2]).astype(np.float32),
        "quality": rng.uniform(0.1, 1.0, count).astype(np.float32),
        "link": rng.normal(size=(count, 32)).astype(np.float32),
    }


def test_the_best_score_of_a_page_counts_for_all_of_them(seen: Page) -> None:
    answers, place = made_up_answers(), read_inputs(seen, PLAIN.runtime).place
    plain = as_candidates(answers, place, PLAIN.runtime)
    weighed = PLAIN.model_copy(update={"page_evidence": 6.0}).runtime
    found = as_candidates(answers, place, weighed)
    expected = plain.score * plain.score.max() ** 6
    assert np.allclose(found.score, expected[expected >= 0.01])
    assert len(found) < len(plain), "the floor is that of the final score"
    row = next(row for row in interventions_for(weighed) if not row.evidence)
    assert same(candidates_under(row, answers, place, weighed), plain)
    assert all(row.evidence for row in interventions_for(PLAIN.runtime))


def test_a_box_beside_the_page_is_no_evidence(seen: Page) -> None:
    answers, place = made_up_answers(), read_inputs(seen, PLAIN.runtime).place
    weighed = PLAIN.model_copy(update={"page_evidence": 2.0}).runtime
    before = as_candidates(answers, place, weighed)
    answers["probability"][0], answers["quality"][0] = 0.99, 0.99
    answers["corners"][0] = (1.5, 1.5, 1.6, 1.6)
    after = as_candidates(answers, place, weighed)
    assert after.score.max() == pytest.approx(before.score.max(), rel=0.2)


def test_without_quality_the_score_is_the_probability(seen: Page) -> None:
    answers, place = made_up_answers(), read_inputs(seen, PLAIN.runtime).place
    without = candidates_under(ROWS["quality out of the score"], answers, place, PLAIN.runtime)
    assert np.array_equal(without.score, answers["probability"].max(axis=1).astype(np.float64))
    used = candidates_under(BASELINE, answers, place, PLAIN.runtime)
    assert same(used, as_candidates(answers, place, PLAIN.runtime))
    assert not np.allclose(used.score, without.score)


@pytest.mark.parametrize("name", ["structure removed", "structure inferred"])
def test_what_is_drawn_does_not_matter_when_it_is_not_shown(name: str, found: Found, elsewhere: Page) -> None:
    other = intervened().predict(elsewhere)
    assert same(found[name], other[name])
    assert not same(found["baseline"], other["baseline"])


def test_opinions_do_not_matter_when_they_are_blanked(found: Found, seen: Page) -> None:
    other = intervened(expert=MadeUpExpert(seed=1)).predict(seen)
    for name in ("opinions blanked", "derived tokens removed"):
        assert same(found[name], other[name])
    assert not same(found["baseline"], other["baseline"])
    assert not same(found["opinions blanked"], found["derived tokens removed"])


def test_derived_tokens_removed_are_the_tokens_of_a_contract_without_them(seen: Page) -> None:
    tokens = read_tokens(seen, JUDGED.runtime, expert=MadeUpExpert())
    bare, plain = primitives_only(tokens), read_tokens(seen, PLAIN.runtime)
    assert len(tokens) == len(plain) + 3
    assert bare.kind[0] == TokenKind.PAGE
    assert np.array_equal(bare.box, plain.box)
    assert np.array_equal(bare.descriptor[:, :SIZE], plain.descriptor)


def test_blanked_opinions_keep_kind_box_and_description(seen: Page) -> None:
    tokens = read_tokens(seen, JUDGED.runtime, expert=MadeUpExpert())
    blank = unjudged(tokens)
    assert tokens.descriptor[:, SIZE:].any()
    assert not blank.descriptor[:, SIZE:].any()
    assert np.array_equal(blank.descriptor[:, :SIZE], tokens.descriptor[:, :SIZE])
    assert np.array_equal(blank.kind, tokens.kind)
    assert np.array_equal(blank.box, tokens.box)


def test_a_contract_has_the_rows_that_mean_something_for_it() -> None:
    evidence = JUDGED.model_copy(update={"opinions": False, "head_start": False, "descriptor": SIZE})
    plain, derived = ({each.name for each in interventions_for(c.runtime)} for c in (PLAIN, evidence))
    assert set(ROWS) - derived == {"opinions blanked"}
    assert derived - plain == {"derived tokens removed"}
    assert len({each.name for each in ROWS.values()}) == len(ROWS) == 10
