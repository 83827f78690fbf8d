# SPDX-License-Identifier: Apache-2.0
"""The small squares, circles, glyphs and brackets people tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportlab.pdfbase.pdfmetrics import stringWidth

from acromeld.corpus.synth.controls import Control

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Sheet
    from acromeld.corpus.synth.theme import ChoiceStyle

_DINGBATS = "\u274f\u2751\u2750\u2752\u274d"
"""Shadowed squares and a circle, by their Unicode names: reportlab maps them into the font's own code."""


def mark_width(sheet: Sheet, size: float, style: ChoiceStyle | None = None) -> float:
    """How wide a mark of this size comes out."""
    style = style or sheet.theme.choice
    side = _side(sheet, size)
    if style in ("brackets", "parentheses"):
        return sheet.width("[   ]" if style == "brackets" else "(   )", size)
    if style == "dingbat":
        return float(stringWidth(_DINGBATS[0], "ZapfDingbats", side * 1.15))
    return side


def _side(sheet: Sheet, size: float) -> float:
    return max(size * sheet.theme.choice_size / sheet.theme.size, 5.0)


def choice_mark(
    sheet: Sheet,
    x: float,
    base: float,
    size: float,
    *,
    label: str,
    group: str = "",
    style: ChoiceStyle | None = None,
) -> float:
    """Draw a mark at ``x`` beside text on ``base``, put its button there; returns its right end."""
    style = style or sheet.theme.choice
    side, width = _side(sheet, size), mark_width(sheet, size, style)
    top = base - size * 0.36 - side / 2
    if style in ("brackets", "parentheses"):
        sheet.write(x, base, "[   ]" if style == "brackets" else "(   )", size)
    elif style == "dingbat":
        glyph = _DINGBATS[int(side * 10) % len(_DINGBATS)]
        sheet.pen.text(x, top + side * 0.95, glyph, side * 1.15, font="ZapfDingbats", colour=sheet.theme.ink)
    else:
        _shape(sheet, x, top, side, style)
    grow = sheet.theme.choice_grow
    radio = bool(group) and (style in ("circle", "parentheses") or sheet.theme.jitter == 0.0)
    sheet.place(
        Control.RADIO if radio else Control.CHECK,
        x - grow, top - grow, x + width + grow, top + side + grow,
        label=label, group=group,
    )  # fmt: skip
    return x + width


def _shape(sheet: Sheet, x: float, y: float, side: float, style: ChoiceStyle) -> None:
    pen, theme = sheet.pen, sheet.theme
    stroke = min(max(theme.rule, 0.4), 1.0)
    ink = theme.rule_ink
    if style == "circle":
        pen.circle(x + side / 2, y + side / 2, side / 2, stroke=stroke, colour=ink)
        return
    if style == "shadow":
        pen.rect(x + 1.2, y + 1.2, x + side + 1.2, y + side + 1.2, fill=(0.6, 0.6, 0.6))
    fill = {"shadow": (1.0, 1.0, 1.0), "tint": theme.tint}.get(style)
    radius = side * 0.2 if style == "rounded" else 0.0
    pen.rect(x, y, x + side, y + side, stroke=stroke, colour=ink, fill=fill, radius=radius)
    if style == "double":
        pen.rect(x + 1.5, y + 1.5, x + side - 1.5, y + side - 1.5, stroke=0.3, colour=ink)
