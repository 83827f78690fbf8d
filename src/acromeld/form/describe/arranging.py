# SPDX-License-Identifier: Apache-2.0
"""How the fields of a page belong together: which exclude each other, and the order they are read in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.form.describe.groups import find_groups
from acromeld.form.describe.order import reading_order
from acromeld.pdf.page import Primitives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.fields import Field
    from acromeld.pdf.page import Page


def arranged(page: Page, fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields with groups and order.

    Who gave some of the fields a group, or an order, has decided about the others, too: then none is added.
    """
    primitives = page.primitives or Primitives()
    known = list(fields)
    if all(field.group is None for field in known):
        for number, rows in enumerate(find_groups(known, primitives), 1):
            for row in rows:
                known[row] = known[row].model_copy(update={"group": f"choices_{page.index + 1}_{number}"})
    if all(field.order is None for field in known):
        for place, row in enumerate(reading_order(known, primitives)):
            known[row] = known[row].model_copy(update={"order": place})
    return tuple(known)
