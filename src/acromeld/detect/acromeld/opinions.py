# SPDX-License-Identifier: Apache-2.0
"""The predecessor's opinion as tokens: what FFGBT thinks of each candidate, and everything it looked at.

Derived evidence tells where a field could be. FFGBT has already measured each such place and judged it, so
the compact model starts from that judgement instead of learning it again: its candidates become tokens whose
boxes are snapped and whose descriptors carry class log-odds, expected fit and the standardised features. The
network adds what trees over single candidates cannot have: the picture, and all tokens of the page at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.geometry import iou
from acromeld.structure.descriptor import SIZE
from acromeld.structure.kinds import TokenKind
from acromeld.structure.tokens import Tokens

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.ffgbt.detector import Study
    from acromeld.geometry import Boxes, Floats

JUDGEMENTS = 5
"""Log-odds of the three classes against "no field", log-odds of the expected fit, and belief."""

ODDS, FIT, BELIEF = slice(0, 3), 3, 4
"""Where among the judgements the class log-odds, the fit and the belief are."""

_SURE = 6.0
UNIT = 3.0
"""Log-odds are cut at `_SURE` and given in units of `UNIT`, like the rest of a descriptor about -2 to 2."""

_EPS = 1e-6


_SAME_PLACE = 0.7
"""IoU from which on two candidates are two opinions of one place."""


@dataclass(frozen=True)
class Opinions:
    """What was heard of FFGBT's k candidates.

    Attributes:
        box: ``(k, 4)`` in points.
        kind: ``(k,)`` kind of the candidate.
        said: ``(k, JUDGEMENTS)``.
    """

    box: Boxes
    kind: npt.NDArray[np.int64]
    said: Floats


def opinions_in(tokens: Tokens, page: tuple[float, float]) -> Opinions:
    """The opinions among the tokens of a page of the given displayed size; `with_opinions` backwards."""
    rows = np.flatnonzero(tokens.kind >= len(TokenKind))
    return Opinions(
        box=tokens.box[rows].astype(np.float64) * (page * 2),
        kind=tokens.kind[rows].astype(np.int64) - len(TokenKind),
        said=tokens.descriptor[rows, SIZE : SIZE + JUDGEMENTS].astype(np.float64),
    )


def with_opinions(
    tokens: Tokens, study: Study | None, page: tuple[float, float], limit: int, *, spread: bool = False
) -> Tokens:
    """Tokens of a page of the given displayed size, then at most ``limit`` candidates, see `chosen`.

    All descriptors become ``SIZE + JUDGEMENTS + features`` wide; primitives have zeros in the new columns.
    """
    if study is None or not tokens.available:
        return tokens
    rows = chosen(study, limit, spread=spread)
    unit = np.clip(study.box[rows] / (page * 2), 0.0, 1.0).astype(np.float32)
    known = np.hstack([judgements(study)[rows], study.features[rows]])
    base = np.zeros((len(rows), SIZE), dtype=np.float32)
    base[:, -1] = tokens.descriptor[0, -1]
    return Tokens(
        kind=np.concatenate([tokens.kind, (study.kind[rows] + len(TokenKind)).astype(np.int8)]),
        box=np.concatenate([tokens.box, unit]),
        descriptor=np.concatenate(
            [widened(tokens.descriptor, SIZE + known.shape[1]), np.hstack([base, known])]
        ),
        text=np.concatenate([tokens.text, np.zeros((len(rows), tokens.text.shape[1]), dtype=np.uint8)]),
        available=True,
    )


def chosen(study: Study, limit: int, *, spread: bool) -> npt.NDArray[np.intp]:
    """Rows of the candidates that are heard, the likeliest to be fields first.

    A page has several candidates for most fields. Where it has hundreds of fields, the likeliest ones speak
    of the same places again and again and leave others out; ``spread`` hears one of every place first.
    """
    belief = 1.0 - study.probability[:, 0]
    order = np.argsort(-belief, kind="stable")
    if not spread or len(order) <= limit:
        return order[:limit]
    same = iou(study.box[order], study.box[order]) >= _SAME_PLACE
    repeats = np.zeros(len(order), dtype=np.bool_)
    for rank in np.arange(len(order)):
        if not repeats[rank]:
            repeats[rank + 1 :] |= same[rank, rank + 1 :]
    return order[np.argsort(repeats, kind="stable")[:limit]]


def widened(descriptor: npt.NDArray[np.float32], width: int) -> npt.NDArray[np.float32]:
    """Descriptors ``(n, any)`` with zeros on the right up to ``(n, width)``."""
    return np.pad(descriptor, ((0, 0), (0, width - descriptor.shape[1])))


def judgements(study: Study) -> npt.NDArray[np.float32]:
    """What FFGBT concluded, ``(n, JUDGEMENTS)``."""
    probability = np.maximum(study.probability, _EPS)
    against_none = np.log(probability[:, 1:] / probability[:, :1])
    fit = _log_odds(study.quality)[:, None]
    belief = 1.0 - study.probability[:, :1]
    odds = np.clip(np.hstack([against_none, fit]), -_SURE, _SURE) / UNIT
    return np.hstack([odds, belief]).astype(np.float32)


def _log_odds(share: Floats) -> Floats:
    inner = np.clip(share, _EPS, 1.0 - _EPS)
    odds: Floats = np.log(inner / (1.0 - inner))
    return odds
