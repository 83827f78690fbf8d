# SPDX-License-Identifier: Apache-2.0
"""Less common things to write in: panels with white boxes, dates with slashes, initials beside clauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.corpus.synth.blanks import blank
from acromeld.corpus.synth.controls import Control
from acromeld.corpus.synth.pen import WHITE
from acromeld.corpus.synth.sheet import Area

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Sheet

_MASKS = ("____ / ____ / ______", "___.___._____", "___-___-____", "(_____) _____ - _______")


def panel(sheet: Sheet, area: Area) -> float:
    """A tinted panel with labels above white boxes."""
    theme, pad = sheet.theme, 7.0
    size = max(theme.size * 0.85, 6.0)
    box, rows, columns = theme.size * 1.8, sheet.rng.randint(1, 4), sheet.rng.randint(1, 3)
    pitch = box + size * 1.7 + 3
    rows = min(rows, int((area.height - 2 * pad) / pitch))
    columns = max(1, min(columns, int(area.width / 110)))
    if rows < 1:
        return area.y0
    bottom = area.y0 + rows * pitch + 2 * pad
    sheet.pen.rect(area.x0, area.y0, area.x1, bottom, fill=theme.tint, radius=theme.radius)
    slot = (area.width - pad) / columns
    for number in range(rows * columns):
        row, column = divmod(number, columns)
        x0 = area.x0 + pad + column * slot
        y0 = area.y0 + pad + row * pitch
        text = sheet.label(slot - pad, size)
        sheet.write(x0, y0 + size, text, size)
        _white_box(sheet, Area(x0, y0 + size * 1.5, x0 + slot - pad, y0 + size * 1.5 + box), text)
    return bottom + theme.size


def _white_box(sheet: Sheet, box: Area, label: str) -> None:
    theme = sheet.theme
    sheet.pen.rect(
        box.x0, box.y0, box.x1, box.y1,
        stroke=theme.rule if theme.dash == () else 0.0, colour=theme.rule_ink, fill=WHITE,
    )  # fmt: skip
    inset = min(theme.inset, 1.0)
    sheet.place(Control.TEXT, box.x0 + inset, box.y0 + inset, box.x1 - inset, box.y1 - inset, label=label)


def masked_rows(sheet: Sheet, area: Area) -> float:
    """Labels with a mask of underscores and separators, and one field over the whole mask."""
    theme, y = sheet.theme, area.y0
    mask = sheet.rng.choice(_MASKS)
    width = sheet.width(mask)
    for _ in range(sheet.rng.randint(1, 3)):
        text = sheet.label(area.width - width - theme.size * 2)
        if y + theme.row > area.y1 or not text:
            break
        y += theme.row
        sheet.write(area.x0, y, text + theme.colon)
        x = area.x0 + sheet.width(text + theme.colon) + theme.size * 0.6
        sheet.write(x, y, mask)
        sheet.place(Control.TEXT, x, y - theme.size * 1.1, x + width, y + theme.size * 0.2, label=text)
    return y + theme.size if y > area.y0 else y


def initialled_clauses(sheet: Sheet, area: Area) -> float:
    """Clauses, each with a short line or a box for initials before or behind it."""
    theme, y = sheet.theme, area.y0
    width, gap = theme.size * sheet.rng.uniform(3.5, 6.0), theme.size
    boxed, behind = sheet.chance(0.4), sheet.chance(0.4)
    for _ in range(sheet.rng.randint(2, 5)):
        text = " ".join(sheet.rng.choice(sheet.words.prose) for _ in range(sheet.rng.randint(1, 2)))
        lines = sheet.pen.wrap(text, area.width - width - gap, theme.size)
        height = max(len(lines) * theme.size * 1.25, theme.size * 2.0) + theme.size * 0.6
        if y + height > area.y1:
            break
        x = area.x1 - width if behind else area.x0
        base = y + theme.size * 1.4
        blank(sheet, x, x + width, base, theme.size * 1.7, label=lines[0], style="box" if boxed else "line")
        start = area.x0 if behind else area.x0 + width + gap
        for number, line in enumerate(lines):
            sheet.write(start, y + theme.size * (1.1 + number * 1.25), line)
        y += height
    return y + theme.size * 0.5 if y > area.y0 else y
