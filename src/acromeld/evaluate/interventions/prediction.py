# SPDX-License-Identifier: Apache-2.0
"""Every intervention on one page: the page is read once, and the raster branch looks at it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from acromeld.detect.acromeld.detector import SecondLooks, as_candidates
from acromeld.detect.acromeld.inputs import (
    Structure,
    as_float,
    pad_tokens,
    read_inputs,
    read_tokens,
    token_boxes,
)
from acromeld.detect.acromeld.weights import OUTPUTS
from acromeld.detect.decoding import CAP
from acromeld.evaluate.interventions.catalogue import (
    BASELINE,
    Shown,
    interventions_for,
    primitives_only,
    unjudged,
)
from acromeld.model.batch import as_tensors
from acromeld.model.export import decoder_answers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from acromeld.detect.acromeld.canvas import Placement
    from acromeld.detect.acromeld.contract import RuntimeContract
    from acromeld.detect.acromeld.inputs import Expert, PageInputs
    from acromeld.detect.candidates import PageCandidates
    from acromeld.evaluate.interventions.catalogue import Intervention
    from acromeld.fields import DetectorRef, OperatingPoint
    from acromeld.model.acromeld import AcroMeld
    from acromeld.model.visual.interface import VisualOutput
    from acromeld.pdf.page import Page, PageNeeds, Words
    from acromeld.structure.tokens import Tokens

    Answers = dict[str, npt.NDArray[np.float32]]

_WITH_WORDS = {Shown.AS_USED, Shown.PRIMITIVES, Shown.UNJUDGED}
"""What leaves the words of a page; without them nothing is known to ask for a signature."""


class Intervened:
    """A trained model as a detector that also remembers what it would have said under each intervention.

    Args:
        model: In evaluation mode.
        expert: The FFGBT whose opinions it reads; none if its contract has none.
        ref: Name and digest of the weights.
        point: Its operating point.
        looks: Its second looks, where it has any.
    """

    cap = CAP

    def __init__(
        self,
        model: AcroMeld,
        expert: Expert | None,
        ref: DetectorRef,
        point: OperatingPoint,
        looks: SecondLooks | None = None,
    ) -> None:
        self._model = model
        self._expert = expert
        self._looks = looks or SecondLooks()
        self.contract = model.contract.runtime
        self.ref = ref
        self.operating_point = point
        self.interventions = interventions_for(self.contract)
        self._last: dict[str, PageCandidates] = {}

    @property
    def needs(self) -> PageNeeds:
        """A picture and primitives."""
        return self.contract.needs

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        """Candidates of the model as it is used."""
        found = []
        for page in pages:
            self._last = self.predict(page)
            found.append(self._last[BASELINE.name])
        return found

    def take(self) -> dict[str, PageCandidates]:
        """Candidates of the last page by intervention, once; empty for a page that could not be read."""
        last, self._last = self._last, {}
        return last

    @torch.no_grad()
    def predict(self, page: Page) -> dict[str, PageCandidates]:
        """Candidates of a page by name of the intervention; the forward passes they share are made once."""
        inputs = read_inputs(page, self.contract, expert=self._expert)
        visual = self._model.visual(torch.from_numpy(as_float(inputs.image)[None]), None)
        tokens: dict[Shown, Tokens] = {}
        answers: dict[tuple[Shown, tuple[str, ...]], Answers] = {}
        found: dict[str, PageCandidates] = {}
        for each in self.interventions:
            passed = (each.shown, each.sources)
            if each.shown not in tokens:
                tokens[each.shown] = self._tokens(page, inputs, each.shown)
            if passed not in answers:
                answers[passed] = self._refine(visual, tokens[each.shown], inputs.place, each.sources)
            found[each.name] = candidates_under(
                each,
                answers[passed],
                inputs.place,
                self.contract,
                self._looks,
                words=_words(page) if each.shown in _WITH_WORDS else None,
                tokens=tokens[each.shown],
            )
        return found

    def _tokens(self, page: Page, inputs: PageInputs, shown: Shown) -> Tokens:
        if shown is Shown.NOTHING:
            return read_tokens(page, self.contract, Structure.NONE, self._expert)
        if shown is Shown.INFERRED:
            return read_tokens(page, self.contract, Structure.INFERRED, self._expert)
        if shown is Shown.PRIMITIVES:
            return primitives_only(inputs.tokens)
        return unjudged(inputs.tokens) if shown is Shown.UNJUDGED else inputs.tokens

    def _refine(
        self, visual: VisualOutput, tokens: Tokens, place: Placement, sources: tuple[str, ...]
    ) -> Answers:
        """Answers of all Q queries; those that were left out say nothing with probability zero."""
        batch = as_tensors(pad_tokens([tokens], [token_boxes(tokens, place)]))
        kept = np.array([origin in sources for origin in self.contract.origins])
        output = self._model.refine(visual, batch, sources, hopeful=True)
        parts = decoder_answers(output, int(kept.sum()))
        return {name: _spread(part[0].numpy(), kept) for name, part in zip(OUTPUTS, parts, strict=True)}


def _words(page: Page) -> Words | None:
    return None if page.primitives is None else page.primitives.words


def _spread(answers: npt.NDArray[np.float32], kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
    """Rows of the kept queries at their places, because the origin of an answer is its position."""
    whole = np.zeros((len(kept), *answers.shape[1:]), dtype=np.float32)
    whole[kept] = answers
    return whole


def candidates_under(
    intervention: Intervention,
    answers: Mapping[str, npt.NDArray[np.float32]],
    place: Placement,
    contract: RuntimeContract,
    looks: SecondLooks | None = None,
    *,
    words: Words | None = None,
    tokens: Tokens | None = None,
) -> PageCandidates:
    """Answers of a page as candidates, scored as the intervention says.

    The decoder's score is the root of probability times quality, so a quality that equals the probability
    makes the score the probability itself, exactly.
    """
    if not intervention.evidence:
        contract = contract.model_copy(update={"page_evidence": 0.0})
    if not intervention.quality:
        answers = {**answers, "quality": answers["probability"].max(axis=1)}
    looks = looks or SecondLooks()
    kept = SecondLooks(
        looks.appraiser if intervention.appraisal else None, looks.judge if intervention.second_look else None
    )
    return as_candidates(answers, place, contract, kept, words=words, tokens=tokens)
