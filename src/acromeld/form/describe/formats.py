# SPDX-License-Identifier: Apache-2.0
"""What a text field expects, as far as its label says: a date or an amount.

Word lists are small on purpose. A field wrongly called a date is announced wrongly; one that is not called
anything is just a text field.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from acromeld.fields import Alignment, TextFormat

if TYPE_CHECKING:
    from acromeld.fields import Box

_DATES = (
    r"\bdates?\b",
    r"datum\b",
    r"\bdato\b",
    r"\bfecha\b",
    r"\bdata\b(?=\s*(?:$|di\b|de\b|do\b|del\b|urodz))",
    r"\bpäivämäärä",
    r"\bdata urodzenia",
    r"дата",
    r"تاريخ",
    r"תאריך",
    r"日期|年月日",
    r"\b(?:mm|tt|dd|jj)\s*[/.\-]\s*(?:mm|dd|tt)\s*[/.\-]\s*(?:yy|jj|aa)",
)
_AMOUNTS = (
    r"[$€£¥₹]",
    r"\b(?:USD|EUR|CHF|GBP)\b",
    r"\bamounts?\b",
    r"betrag\b",
    r"\bmontant\b",
    r"\bimporte\b",
    r"\btotal\b",
    r"\b(?:add|subtract|multiply) (?:the |lines? |columns? )",
    r"\benter the (?:smaller|larger|amount)\b",
)
_DATE = re.compile("|".join(_DATES), re.IGNORECASE)
_AMOUNT = re.compile("|".join(_AMOUNTS), re.IGNORECASE)
_WIDEST_DATE, _WIDEST_AMOUNT = 260.0, 160.0


def text_format(label: str, box: Box) -> TextFormat | None:
    """What the label says a text should be; a field much wider than a date is for more than one."""
    width = box[2] - box[0]
    if _DATE.search(label) and width <= _WIDEST_DATE:
        return TextFormat.DATE
    return TextFormat.NUMBER if _AMOUNT.search(label) and width <= _WIDEST_AMOUNT else None


def alignment(expected: TextFormat | None) -> Alignment | None:
    """Numbers stand to the right, so that their places line up."""
    return Alignment.RIGHT if expected is TextFormat.NUMBER else None
