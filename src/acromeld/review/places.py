# SPDX-License-Identifier: Apache-2.0
"""Where the results of a review are put: beside the original, never over it."""

from __future__ import annotations

from itertools import chain, count, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MEMORY_NAME = ".acromeld-review.sqlite3"
"""One per folder: what the fields files cannot hold (see `acromeld.review.memory`)."""

_FILLABLE = ".fillable"
_PDF = ["".join(letters) for letters in product("pP", "dD", "fF")]
"""``pdf`` in every mixture of small and capital letters; eight looks are fewer than reading a folder."""


def fields_path(pdf: Path) -> Path:
    """``IN.fields.json``, what ``acromeld apply`` reads."""
    return pdf.with_name(f"{pdf.stem}.fields.json")


def fillable_path(pdf: Path) -> Path:
    """``IN.fillable.pdf``, the same name that ``acromeld recover`` chooses."""
    return pdf.with_name(f"{pdf.stem}{_FILLABLE}.pdf")


def free_fillable_path(pdf: Path) -> Path:
    """The first of ``IN.fillable.pdf``, ``IN.fillable-2.pdf``, … that nothing has yet."""
    numbered = (pdf.with_name(f"{pdf.stem}{_FILLABLE}-{number}.pdf") for number in count(2))
    return next(path for path in chain([fillable_path(pdf)], numbered) if not path.exists())


def is_result(pdf: Path) -> bool:
    """Whether a PDF is the fillable copy of another one in its folder, ours to write and not to review.

    The copy of ``FORM.PDF`` is ``FORM.fillable.pdf``, and most file systems tell the two endings apart; so
    the original is looked for in every spelling of its own.
    """
    original, _, rest = pdf.stem.rpartition(_FILLABLE)
    ours = rest == "" or rest.removeprefix("-").isdigit()
    return bool(original) and ours and any(pdf.with_name(f"{original}.{end}").exists() for end in _PDF)
