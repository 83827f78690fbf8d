# SPDX-License-Identifier: Apache-2.0
"""Comb fields: one character per cell, drawn as boxes, as ticks on a line, or as separate squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.corpus.synth.controls import Control

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Area, Sheet


def comb(
    sheet: Sheet, x0: float, y0: float, cell: float, height: float, count: int, *, label: str, style: str
) -> None:
    """Draw ``count`` cells and one comb control over them."""
    pen, theme = sheet.pen, sheet.theme
    x1, y1 = x0 + cell * count, y0 + height
    if style == "ticks":
        tick = y1 - height * 0.35
        ticks = [(x0 + cell * i, tick, x0 + cell * i, y1) for i in range(count + 1)]
        pen.path([(x0, y1, x1, y1), *ticks], stroke=theme.rule, colour=theme.rule_ink)
    elif style == "apart":
        for i in range(count):
            pen.rect(
                x0 + cell * i + 1, y0, x0 + cell * (i + 1) - 1, y1, stroke=theme.rule, colour=theme.rule_ink
            )
    else:
        pen.rect(x0, y0, x1, y1, stroke=theme.rule, colour=theme.rule_ink)
        inner = [(x0 + cell * i, y0, x0 + cell * i, y1) for i in range(1, count)]
        pen.path(inner, stroke=theme.rule * 0.7, colour=theme.rule_ink)
    inset = min(theme.inset, 1.0)
    sheet.place(Control.TEXT, x0, y0 + inset * 0.5, x1, y1 - inset * 0.5, label=label, comb=count)


def comb_rows(sheet: Sheet, area: Area) -> float:
    """Labelled comb fields, label above or in front, some as dates in three groups."""
    theme, y = sheet.theme, area.y0
    cell = sheet.rng.uniform(11, 17)
    height = cell * sheet.rng.uniform(1.0, 1.35)
    above = sheet.chance(0.5)
    style = sheet.rng.choice(("boxes", "ticks", "apart"))
    pitch = height + (theme.size * 1.6 if above else 0.0) + theme.size * 0.8
    for _ in range(sheet.rng.randint(2, 5)):
        text = sheet.label(area.width * (0.9 if above else 0.35))
        if y + pitch > area.y1 or not text:
            break
        top = y + (theme.size * 1.6 if above else 0.0)
        base = y + theme.size * 1.15 if above else top + height / 2 + theme.size * 0.35
        sheet.write(area.x0, base, text)
        x = area.x0 if above else area.x0 + area.width * 0.4
        _comb_groups(sheet, x, top, cell, height, int((area.x1 - x) / cell), text, style)
        y += pitch
    return y + theme.size * 0.4 if y > area.y0 else y


def _comb_groups(
    sheet: Sheet, x: float, top: float, cell: float, height: float, room: int, label: str, style: str
) -> None:
    if room >= 11 and sheet.chance(0.3):
        for count in (2, 2, 4):
            comb(sheet, x, top, cell, height, count, label=label, style=style)
            x += cell * (count + 0.8)
    elif room >= 4:
        comb(sheet, x, top, cell, height, sheet.rng.randint(4, min(room, 28)), label=label, style=style)
