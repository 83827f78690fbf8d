# SPDX-License-Identifier: Apache-2.0
"""Tab order held against that of authors: Kendall's tau of each page with three fields or more.

The author's order is that of the annotations on the page. Many authors never thought of it, so even a perfect
reader does not reach 1; what counts is the distance to sorting by the top left corner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import Field
from acromeld.form.describe.order import reading_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.pdf.page import Primitives
    from acromeld.pdf.widgets import NativeWidget

_FEWEST = 3


@dataclass(frozen=True)
class OrderScore:
    """Agreement on one page, ours and that of the simple sort."""

    document: str
    group: str
    ours: float
    baseline: float


def page_order_score(
    primitives: Primitives, widgets: Sequence[NativeWidget], document: str, group: str
) -> OrderScore | None:
    """Order the widgets of a page as fields nobody ordered, and compare; none for pages with few fields."""
    if len(widgets) < _FEWEST:
        return None
    fields = [Field(kind=widget.kind, box=widget.box) for widget in widgets]
    # What the author's order could give away is taken out of the input.
    shuffled = sorted(range(len(fields)), key=lambda row: fields[row].box[::-1])
    places = reading_order([fields[row] for row in shuffled], primitives)
    ours = [widgets[shuffled[row]].order for row in places]
    simple = sorted(widgets, key=lambda widget: (widget.box[1], widget.box[0]))
    return OrderScore(document, group, kendall_tau(ours), kendall_tau([widget.order for widget in simple]))


def kendall_tau(ranks: Sequence[int]) -> float:
    """Agreement of a sequence of distinct ranks with their natural order, from -1 to 1."""
    rank = np.asarray(ranks)
    rising = rank[:, None] < rank[None, :]
    return float(2.0 * rising[np.triu_indices(len(rank), 1)].mean() - 1.0)
