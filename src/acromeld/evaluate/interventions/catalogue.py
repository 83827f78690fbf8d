# SPDX-License-Identifier: Apache-2.0
"""Which interventions there are, and exactly what each of them takes away.

Everything but the named change is as in use: the same weights, pages and operating point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.contract import SOURCES
from acromeld.structure.descriptor import SIZE
from acromeld.structure.kinds import TokenKind
from acromeld.structure.tokens import Tokens

if TYPE_CHECKING:
    from acromeld.detect.acromeld.contract import RuntimeContract
    from acromeld.fields import OperatingPoint

NEVER_LINKED = 2.0
"""A link threshold that no probability reaches."""


class Shown(Enum):
    """What the model is shown of a page's structure."""

    AS_USED = "as used"
    NOTHING = "nothing"
    INFERRED = "inferred"
    PRIMITIVES = "primitives"
    UNJUDGED = "unjudged"


@dataclass(frozen=True)
class Intervention:
    """One row of the table.

    Attributes:
        name: Label of the row.
        meaning: What is taken away, in a sentence.
        shown: Structure the model is shown.
        sources: Queries that enter the exclusive set.
        links: Whether the decoder listens to link probabilities.
        quality: Whether the expected quality is part of the score.
        evidence: Whether the page's best scores are part of it, where the contract says so.
        second_look: Whether places to sign are looked at again, where the contract says so.
        appraisal: Whether every place is, where the contract says so.
    """

    name: str
    meaning: str
    shown: Shown = Shown.AS_USED
    sources: tuple[str, ...] = SOURCES
    links: bool = True
    quality: bool = True
    evidence: bool = True
    second_look: bool = True
    appraisal: bool = True

    def point(self, point: OperatingPoint) -> OperatingPoint:
        """The operating point it is decoded at: the model's own, with links out of reach if they are off."""
        return point if self.links else point.model_copy(update={"link": NEVER_LINKED})


BASELINE = Intervention("baseline", "The model as it is used.")

_ALWAYS = (
    BASELINE,
    Intervention(
        "structure removed",
        "Every page is the sentinel token alone: no primitives, no derived tokens, and the learned fallbacks "
        "in place of all structure seeds.",
        shown=Shown.NOTHING,
    ),
    Intervention(
        "structure inferred",
        "Primitives are those seen in the picture, words without text, and derived tokens are made from "
        "them. Pages that are scans anyway lose only the text layer they may have.",
        shown=Shown.INFERRED,
    ),
    Intervention(
        "links off",
        "t_link > 1: a representative suppresses by IoU >= t_nms alone.",
        links=False,
    ),
    *(
        Intervention(
            f"{source} queries removed",
            f"{told} Their rows are not in the exclusive set, so no other query attends to them.",
            sources=tuple(name for name in SOURCES if name != source),
        )
        for source, told in (
            ("free", "No free queries."),
            ("visual", "No visual queries; glimpses, where the contract has them, still read the picture."),
            ("structure", "No structure queries, neither seeds nor fallbacks; tokens still can be read."),
        )
    ),
    Intervention(
        "quality out of the score",
        "s = max p instead of sqrt(max p * sigmoid(r)), at thresholds that were calibrated for the latter.",
        quality=False,
    ),
)

_EVIDENCE = Intervention(
    "page evidence out of the score",
    "s without the factor that lowers all scores of a page on which nothing is certain, at the same "
    "thresholds.",
    evidence=False,
)

_SECOND_LOOK = Intervention(
    "second look at signatures off",
    "Places to sign are what the network says, at the same thresholds.",
    second_look=False,
)

_APPRAISAL = Intervention(
    "appraisal off",
    "Places score what the network says of them, at the same thresholds.",
    appraisal=False,
)

_DERIVED = Intervention(
    "derived tokens removed",
    "Derived tokens neither seed queries nor can be read; primitives and page token stay, fallbacks take the "
    "seeds that are left. Where derived tokens are FFGBT's candidates, nothing of FFGBT is left.",
    shown=Shown.PRIMITIVES,
)

_OPINIONS = Intervention(
    "opinions blanked",
    "FFGBT's candidates stay as tokens with their snapped boxes and kinds; its class log-odds, expected fit, "
    "belief and features are zero.",
    shown=Shown.UNJUDGED,
)


def interventions_for(contract: RuntimeContract) -> tuple[Intervention, ...]:
    """The baseline first, then every intervention that would change something for this contract."""
    evidence = (_EVIDENCE,) if contract.page_evidence else ()
    second = (_SECOND_LOOK,) if contract.signing else ()
    appraisal = (_APPRAISAL,) if contract.appraisal else ()
    derived = (_DERIVED,) if contract.max_evidence else ()
    opinions = (_OPINIONS,) if contract.opinions else ()
    return (*_ALWAYS, *evidence, *appraisal, *second, *derived, *opinions)


def primitives_only(tokens: Tokens) -> Tokens:
    """Page token and primitives, without derived tokens."""
    keep = tokens.kind < len(TokenKind)
    return tokens.only(keep)


def unjudged(tokens: Tokens) -> Tokens:
    """The same tokens, with zeros in the descriptor columns that opinions fill."""
    descriptor = np.zeros_like(tokens.descriptor)
    descriptor[:, :SIZE] = tokens.descriptor[:, :SIZE]
    return replace(tokens, descriptor=descriptor)
