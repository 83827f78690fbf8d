# SPDX-License-Identifier: Apache-2.0
"""Writing the fillable PDF beside the original: never over it, and over no other file by accident."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.errors import AcromeldError
from acromeld.form.output import write_atomically
from acromeld.recovery import apply
from acromeld.review.fields_file import digest_of
from acromeld.review.places import fillable_path, free_fillable_path

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.form.writer import WrittenForm
    from acromeld.review.form import ReviewForm


class Occupied(AcromeldError):
    """There is a file under the name of the fillable PDF that this review did not write."""


def finished(form: ReviewForm) -> WrittenForm:
    """The fillable PDF as it would be saved now."""
    return apply(form.source, form.state().fields())


def save_fillable(
    form: ReviewForm, *, overwrite: bool = False, another: bool = False
) -> tuple[Path, WrittenForm]:
    """Write the fillable PDF.

    An earlier result of this review is replaced. Any other file in its place is left alone and `Occupied`
    raised, unless the person said to replace it or to choose ``another`` name.
    """
    target = free_fillable_path(form.pdf) if another else fillable_path(form.pdf)
    replaceable = overwrite or _is_ours(form, target)
    if target.exists() and not replaceable:
        raise Occupied(f"{target.name} exists already and was not written by this review.")
    written = finished(form)
    write_atomically(written.data, target, overwrite=replaceable)
    if not another:
        form.memory.set_saved(form.pdf.name, digest_of(written.data))
    return target, written


def _is_ours(form: ReviewForm, target: Path) -> bool:
    remembered = form.memory.form(form.pdf.name)
    if remembered is None or remembered.saved_digest is None or not target.is_file():
        return False
    return digest_of(target.read_bytes()) == remembered.saved_digest
