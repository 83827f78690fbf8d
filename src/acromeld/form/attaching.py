# SPDX-License-Identifier: Apache-2.0
"""New controls among the annotations of a page, so that the Tab key meets them where they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pikepdf

from acromeld.form.existing import has_widgets, visible_widgets
from acromeld.form.objects import array_at
from acromeld.form.order import row_order
from acromeld.geometry import as_boxes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pikepdf import Dictionary

    from acromeld.fields import Field
    from acromeld.form.plan import Sheet
    from acromeld.form.spoken import Spoken


@dataclass(frozen=True)
class Control:
    """A field that was written: its widget, and what a screen reader says of it."""

    field: Field
    widget: Dictionary
    spoken: Spoken


def attach(sheet: Sheet, controls: Sequence[Control]) -> None:
    """Add controls, in tab order, to the annotations of their page, and make the Tab key follow that order.

    The array is always a new one: some files share one /Annots between pages. /Tabs becomes /S, which
    PDF/UA-1 (7.18.3) asks for: on tagged pages the structure tree then gives the order, elsewhere viewers go
    by the array, or by a tree that was made from it. Where fields of the author stay on the page, so does the
    author's own /Tabs.
    """
    page = sheet.page.obj
    mixed = has_widgets(sheet.page)
    present = list(array_at(page, "/Annots") or ())
    if not mixed or "/Tabs" not in page:
        page["/Tabs"] = pikepdf.Name.S
    made = _woven(present, sheet, controls) if mixed else [*present, *(each.widget for each in controls)]
    page["/Annots"] = pikepdf.Array(made)


def _woven(present: Sequence[object], sheet: Sheet, controls: Sequence[Control]) -> list[object]:
    """The annotations, each new widget behind the author's field that is read last before it.

    The author's fields keep their order, whatever it is.
    """
    old, boxes = visible_widgets(sheet.page, sheet.frame)
    new = as_boxes([control.field.box for control in controls])
    rank = np.argsort(row_order(np.vstack([boxes, new])))
    behind: dict[int, list[object]] = {}
    for control, place in zip(controls, rank[len(old) :], strict=True):
        before = [(int(rank[row]), row) for row in range(len(old)) if rank[row] < place]
        behind.setdefault(max(before)[1] if before else -1, []).append(control.widget)
    rows = {widget.objgen: row for row, widget in enumerate(old) if widget.is_indirect}
    woven: list[object] = []
    for item in present:
        row = rows.get(item.objgen) if isinstance(item, pikepdf.Dictionary) else None
        if row is not None:
            woven += behind.pop(-1, [])
        woven.append(item)
        woven += behind.pop(row, []) if row is not None else []
    return woven + [widget for rest in behind.values() for widget in rest]
