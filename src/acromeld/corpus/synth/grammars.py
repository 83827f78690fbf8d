# SPDX-License-Identifier: Apache-2.0
"""The register of page grammars and their shares.

A grammar declares the field classes its pages always have, which the tests hold it to. The weights aim at the
paper's synthetic row: about ten fields a page on average with a long tail, some 83 % text, 12 % choice and
5 % signature. What has no share stands last and is drawn only where a corpus asks for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.corpus.synth import pages
from acromeld.errors import AcromeldError
from acromeld.fields import FieldKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from acromeld.corpus.synth.stacking import Block

_TEXT = frozenset({FieldKind.TEXT})
_CHOICE = frozenset({FieldKind.CHOICE})
_SIGNATURE = frozenset({FieldKind.SIGNATURE})
_NONE: frozenset[FieldKind] = frozenset()


@dataclass(frozen=True)
class Grammar:
    """A way to fill a page body.

    Attributes:
        name: For manifests and tests.
        fill: Draws the body and returns the y it reached.
        weight: Share among the pages.
        kinds: Field classes every page of it has; empty means that no page has any field.
        landscape: Probability of a landscape page.
        roomy: Whether it needs a page of at least Letter size.
        bare: Whether the body takes the whole page, without header, footer or filler text.
    """

    name: str
    fill: Block
    weight: float
    kinds: frozenset[FieldKind] = _NONE
    landscape: float = 0.08
    roomy: bool = False
    bare: bool = False


GRAMMARS: tuple[Grammar, ...] = (
    Grammar("mixed", pages.mixed, 14, _TEXT),
    Grammar("sparse", pages.sparse, 17, _TEXT),
    Grammar("columns", pages.columns, 4, _TEXT, landscape=0.3, roomy=True),
    Grammar("cell form", pages.cell_form, 4.5, _TEXT),
    Grammar("pairs form", pages.pairs_form, 4, _TEXT),
    Grammar("invoice", pages.invoice, 1.5, _TEXT | _SIGNATURE, roomy=True),
    Grammar("timesheet", pages.timesheet, 0.5, _TEXT | _SIGNATURE, landscape=0.7, roomy=True),
    Grammar("dense table", pages.dense_table, 0.3, _TEXT, landscape=0.4, roomy=True, bare=True),
    Grammar("densest", pages.densest, 0.05, _TEXT, landscape=0.5, roomy=True, bare=True),
    Grammar("tick page", pages.tick_page, 1.8, _CHOICE),
    Grammar("survey", pages.survey, 0.7, _CHOICE, roomy=True),
    Grammar("tax page", pages.tax_page, 2, _TEXT),
    Grammar("comb page", pages.comb_page, 2.5, _TEXT),
    Grammar("essay", pages.essay, 5, _TEXT),
    Grammar("contract", pages.contract, 7, _SIGNATURE),
    Grammar("sign off", pages.sign_off, 7.5, _SIGNATURE),
    Grammar("text page", pages.text_page, 14),
    Grammar("two-column text", pages.two_column_text, 4, roomy=True),
    Grammar("cover", pages.cover, 3),
    Grammar("ledger", pages.ledger, 0, _TEXT, landscape=0.6, roomy=True),
)


def shares(changed: Mapping[str, float]) -> list[float]:
    """The weights of `GRAMMARS` with some of them replaced, by name."""
    unknown = changed.keys() - {grammar.name for grammar in GRAMMARS}
    if unknown:
        known = ", ".join(grammar.name for grammar in GRAMMARS)
        raise AcromeldError(f"There is no grammar {min(unknown)!r}; known are {known}.")
    weights = [changed.get(grammar.name, grammar.weight) for grammar in GRAMMARS]
    if min(weights) < 0 or not 0 < sum(weights) < math.inf:
        raise AcromeldError("Weights of grammars are numbers from 0 on, and not all of them 0.")
    return weights
