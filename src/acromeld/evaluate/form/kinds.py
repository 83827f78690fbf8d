# SPDX-License-Identifier: Apache-2.0
"""How well multi-line and comb fields are told from the rest, against the flags that authors set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import FieldKind
from acromeld.form.describe.comb import inner_cells
from acromeld.form.describe.kinds import TextKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.form.describe.kinds import Kinds
    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.pdf.widgets import NativeWidget

TWICE = 2.0
"""The baseline calls a field multi-line when it is this many times as high as the page's mean text field."""


@dataclass(frozen=True)
class KindCounts:
    """Hits, claims and truths of one page for one kind and one method; ``cells`` are combs counted right."""

    document: str
    group: str
    kind: str
    method: str
    matched: int
    predicted: int
    targets: int
    cells: int = 0


def page_kind_counts(
    around: Surroundings, widgets: Sequence[NativeWidget], kinds: Kinds, document: str, group: str
) -> list[KindCounts]:
    """Counts for multi-line, comb, and comb with cells printed on the page; ours and the baseline's."""
    text = np.array([widget.kind is FieldKind.TEXT for widget in widgets])
    several = np.array([widget.multiline and widget.comb is None for widget in widgets])
    comb = np.array([widget.comb is not None and widget.comb > 1 for widget in widgets])
    length = np.array([widget.comb or 0 for widget in widgets])
    divided = inner_cells(around).count
    claims = {
        ("multi-line", "ours"): (kinds.kind == TextKind.LINES, several),
        ("multi-line", "baseline"): (_high(around, text), several),
        ("comb", "ours"): (kinds.kind == TextKind.COMB, comb),
        ("comb", "baseline"): (divided >= 3, comb),
    }
    # Cells that only the widget's own border shows are not on the page that is left without it.
    printed = np.array([not (widget.comb and widget.bordered) for widget in widgets])
    for method in ("ours", "baseline"):
        claim, truth = claims["comb", method]
        claims["printed comb", method] = claim & printed, truth & printed
    cells = {"ours": kinds.cells, "baseline": divided}
    out = []
    for (kind, method), (claim, truth) in claims.items():
        hit = claim & truth & text
        right = int((hit & (cells[method] == length)).sum()) if kind != "multi-line" else 0
        counts = int(hit.sum()), int((claim & text).sum()), int((truth & text).sum())
        out.append(KindCounts(document, group, kind, method, *counts, right))
    return out


def _high(around: Surroundings, text: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    height = around.field[:, 3] - around.field[:, 1]
    mean = height[text].mean() if text.any() else 1.0
    return np.asarray(height >= TWICE * mean)
