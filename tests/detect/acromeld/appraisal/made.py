# SPDX-License-Identifier: Apache-2.0
"""What a network and FFGBT might say of a page, and an appraiser whose trees say what the test wants."""

from __future__ import annotations

import numpy as np

from acromeld.detect.acromeld.appraisal.appraiser import Appraiser, sources
from acromeld.detect.acromeld.appraisal.columns import measure
from acromeld.detect.acromeld.appraisal.places import speakers
from acromeld.detect.acromeld.appraisal.weights import AppraisalWeights
from acromeld.detect.acromeld.contract import RuntimeContract
from acromeld.detect.acromeld.hashed_words import Evidence
from acromeld.detect.acromeld.opinions import JUDGEMENTS, Opinions
from acromeld.detect.acromeld.seen import Seen
from acromeld.model.contract import COMPACT
from tests.detect.acromeld.signing.made import SIZE, line_to_sign, linear, nothing_said

ROW = [[50.0 + 100 * column, 300.0, 130.0 + 100 * column, 315.0] for column in range(3)]
TWIN = [51.0, 300.0, 130.0, 316.0]
"""Another query of the first place of the row."""

TICK = [400.0, 500.0, 410.0, 510.0]
BOXES = [*ROW, TWIN, TICK, [400.0, 600.0, 500.0, 610.0]]


def contract() -> RuntimeContract:
    """Three visual queries, two from structure, one free."""
    sizes = {"visual_queries": 3, "structure_queries": 2, "free_queries": 1}
    return COMPACT.model_copy(update=sizes).runtime


def seen(faint: float = 0.0001) -> Seen:
    """A row of three text fields, a twin of the first, a box to tick, and something faint."""
    text = np.array([0.8, 0.6, 0.7, 0.5, 0.0, faint])
    probability = np.column_stack([text, [0, 0, 0, 0, 0.9, 0], np.zeros(6)])
    quality = np.full(6, 0.9)
    link = np.eye(6, 32)
    link[3], link[2] = link[0], -link[0]
    score = np.sqrt(probability.max(axis=1) * quality)
    return Seen(np.array(BOXES), probability, quality, score, link)


def opinions() -> Opinions:
    """FFGBT believes in the second of the row, and has nothing to say of the rest."""
    said = np.zeros((1, JUDGEMENTS))
    said[0, :3], said[0, 3:] = (2.0, -2.0, -2.0), (1.0, 0.95)
    return Opinions(np.array([[150.0, 300.0, 229.0, 315.0]]), np.array([4]), said)


def silence() -> Opinions:
    return Opinions(np.zeros((0, 4)), np.zeros(0, dtype=np.int64), np.zeros((0, JUDGEMENTS)))


def column_names() -> tuple[str, ...]:
    network = seen()
    measured = measure(network, speakers(network), sources(contract()), opinions(), line_to_sign(), SIZE)
    return (*measured.columns, "caption says")


def weights(
    weight: dict[str, float] | None = None, bias: float = 0.0, caption: Evidence | None = None
) -> AppraisalWeights:
    names = column_names()
    return AppraisalWeights(caption or nothing_said(), linear(names, weight or {}, bias), names)


def appraiser(weight: dict[str, float] | None = None, bias: float = 0.0, **parts: Evidence) -> Appraiser:
    """An appraiser whose log-odds are a weighted sum of columns."""
    return Appraiser(weights(weight, bias, **parts), contract())
