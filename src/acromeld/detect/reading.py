# SPDX-License-Identifier: Apache-2.0
"""Pages are read in the way that says more: off their structure, or off their picture.

On some pages structure and print are two things. Letters are drawn as outlines, a form is made of thousands
of small paths, or a picture of a form has a few words on it. Nothing is wrong with such a structure, so
it is believed, and a page full of blanks gives no field. What they share is that hardly a word is written on
them. They are read both ways, and the picture is believed where its answer is clearly more certain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.level import on_level
from acromeld.structure.availability import hardly_written

if TYPE_CHECKING:
    from collections.abc import Callable

    from acromeld.detect.candidates import PageCandidates
    from acromeld.pdf.page import Page

    Find = Callable[[Page], PageCandidates]

_VOICES = 3
"""Candidates whose scores say how certain an answer is; one alone may be a mistake."""

_CLEARLY = 0.05
"""How much more certain the picture must be: where both say the same, drawn lines are the exact ones."""


def read(page: Page, find: Find) -> PageCandidates:
    """What ``find`` finds on a page, in page coordinates; crooked scans are laid straight for it."""
    found = on_level(page, find)
    if not hardly_written(page):
        return found
    seen = on_level(replace(page, primitives=None), find)
    return seen if certainty(seen) > certainty(found) + _CLEARLY else found


def certainty(found: PageCandidates) -> float:
    """Mean of the best scores; those that there are not count as nothing."""
    return float(np.sort(found.score)[::-1][:_VOICES].sum()) / _VOICES
