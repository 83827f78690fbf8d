# SPDX-License-Identifier: Apache-2.0
"""The numbered lines of a tax return: number, text, dot leader, and a boxed amount at the right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.corpus.synth.controls import Control

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Area, Sheet


@dataclass(frozen=True)
class _Ledger:
    """How the lines of one block look: width of the amount, leaders, frames, an inner amount column."""

    box: float
    leaders: bool
    boxed: bool
    inner: bool


def amount_lines(sheet: Sheet, area: Area) -> float:
    """Numbered amounts, some with an inner column where the outer one is shaded out."""
    size, y = sheet.theme.size, area.y0
    pitch = size * sheet.rng.uniform(1.5, 2.1)
    boxed = sheet.chance(0.7)
    ledger = _Ledger(
        box=min(max(area.width * 0.17, 55), 105),
        leaders=sheet.chance(0.6),
        boxed=boxed,
        inner=boxed and area.width > 330 and sheet.chance(0.4),
    )
    first = sheet.rng.randint(1, 30)
    for number in range(first, first + sheet.rng.randint(3, 12)):
        after = _amount_line(sheet, area.below(y), number, pitch, ledger)
        if after <= y:
            break
        y = after
    return y + size if y > area.y0 else y


def _amount_line(sheet: Sheet, area: Area, number: int, pitch: float, ledger: _Ledger) -> float:
    size, x = sheet.theme.size, area.x0 + sheet.theme.size * 2
    inner = ledger.inner and sheet.chance(0.4)
    columns = 2 if ledger.inner else 1
    stop = area.x1 - (ledger.box + size * 1.9) * columns
    text = sheet.pick((*sheet.words.prose, *sheet.words.labels, *sheet.words.questions), (stop - x) * 1.8)
    lines = sheet.pen.wrap(text, stop - x, size)
    bottom = area.y0 + pitch + size * 1.2 * (len(lines) - 1)
    if not lines or bottom > area.y1:
        return area.y0
    base = bottom - pitch * 0.28
    sheet.write(area.x0, base - size * 1.2 * (len(lines) - 1), str(number), style="bold")
    for row, line in enumerate(reversed(lines)):
        sheet.write(x, base - size * 1.2 * row, line)
    dots = int((stop - x - sheet.width(lines[-1]) - size) / (sheet.width(".") * 3))
    if ledger.leaders and dots > 1:
        sheet.write(stop, base, " . " * dots, align="right")
    _amounts(sheet, area.x1, bottom, pitch, number, text, ledger, inner)
    if ledger.inner and inner:
        _shade(sheet, area.x1, area.y0, bottom, ledger)
    return bottom


def _amounts(
    sheet: Sheet,
    right: float,
    bottom: float,
    pitch: float,
    number: int,
    label: str,
    ledger: _Ledger,
    inner: bool,
) -> None:
    """The amount of a line with its number repeated in front."""
    theme = sheet.theme
    x1 = right - (ledger.box + theme.size * 1.9 if inner else 0.0)
    x0, y0 = x1 - ledger.box, bottom - pitch
    sheet.write(x0 - theme.size * 0.4, bottom - pitch * 0.28, str(number), align="right", style="bold")
    if ledger.boxed:
        sheet.pen.rect(x0, y0, x1, bottom, stroke=theme.rule, colour=theme.rule_ink)
    else:
        sheet.pen.line(x0, bottom - 2, x1, bottom - 2, stroke=theme.rule, colour=theme.rule_ink)
    inset = min(theme.inset, 1.5)
    sheet.place(
        Control.TEXT, x0 + inset, y0 + inset, x1 - inset, bottom - (inset if ledger.boxed else 2), label=label
    )


def _shade(sheet: Sheet, right: float, top: float, bottom: float, ledger: _Ledger) -> None:
    """The outer column beside an inner amount: blocked out in grey, no field."""
    ink = sheet.theme.rule_ink
    sheet.pen.rect(
        right - ledger.box, top, right, bottom, stroke=sheet.theme.rule, colour=ink, fill=(0.8, 0.8, 0.8)
    )
