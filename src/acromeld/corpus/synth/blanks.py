# SPDX-License-Identifier: Apache-2.0
"""Blanks to write in: a label and then a line, underscores, dots, a box, and the field that goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.corpus.synth.controls import Control
from acromeld.corpus.synth.sheet import Area

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Sheet
    from acromeld.corpus.synth.theme import BlankStyle


def blank(
    sheet: Sheet,
    x0: float,
    x1: float,
    base: float,
    height: float,
    *,
    label: str = "",
    control: Control = Control.TEXT,
    style: BlankStyle | None = None,
) -> None:
    """Draw a blank whose text would stand on ``base`` and lay a control over it."""
    style, theme = style or sheet.theme.blank, sheet.theme
    descent = theme.size * 0.28
    if style in ("underscores", "dots", "line"):
        x1 = _ruled(sheet, x0, x1, base, style)
        bottom = base + (descent * 0.4 if style == "underscores" else 1.0) - theme.rise
        sheet.place(control, x0, max(bottom - height, base - height), x1, bottom, label=label)
        return
    box = Area(x0, base - height + descent + 1.5, x1, base + descent + 1.5)
    inset = min(theme.inset, box.height * 0.1)
    if style == "brackets":
        sheet.write(x0, base, "[")
        sheet.write(x1, base, "]", align="right")
        x0, x1 = x0 + theme.size * 0.4, x1 - theme.size * 0.4
    else:
        _frame(sheet, box, style)
    sheet.place(control, x0 + inset, box.y0 + inset, x1 - inset, box.y1 - inset, label=label)


def _frame(sheet: Sheet, box: Area, style: BlankStyle, radius: float = 0.0) -> None:
    """The box of a blank: ruled, or only tinted."""
    theme, tinted = sheet.theme, style == "tint"
    sheet.pen.rect(
        box.x0, box.y0, box.x1, box.y1,
        stroke=0.0 if tinted else theme.rule,
        colour=theme.rule_ink,
        fill=theme.tint if tinted else None,
        radius=3.0 if style == "rounded" else radius,
        dash=theme.dash,
    )  # fmt: skip


def _ruled(sheet: Sheet, x0: float, x1: float, base: float, style: BlankStyle) -> float:
    """Draw the rule of a blank and say where it really ends (characters come in whole widths)."""
    theme = sheet.theme
    if style == "line":
        sheet.pen.line(
            x0, base + 1.0, x1, base + 1.0, stroke=theme.rule, colour=theme.rule_ink, dash=theme.dash
        )
        return x1
    mark = "_" if style == "underscores" else "."
    count = max(int((x1 - x0) / sheet.width(mark)), 3)
    sheet.write(x0, base, mark * count)
    return x0 + sheet.width(mark * count)


def label_rows(sheet: Sheet, area: Area) -> float:
    """Rows of "label, blank" pairs, one to four in a row, with ends lined up or ragged."""
    theme, y = sheet.theme, area.y0
    columns = sheet.rng.choices((1, 2, 3, 4), (4, 5, 2, 1))[0]
    columns = max(1, min(columns, int(area.width / (theme.size * 15))))
    aligned = sheet.rng.choices(("", "left", "right"), (6, 3, 1.5))[0]
    for _ in range(sheet.rng.randint(1, 6)):
        if y + theme.row > area.y1:
            break
        y += theme.row
        _label_row(sheet, area, y, columns if aligned or sheet.chance(0.7) else 1, aligned)
    return y + theme.size if y > area.y0 else y


def _label_row(sheet: Sheet, area: Area, base: float, columns: int, aligned: str) -> None:
    theme, gap = sheet.theme, sheet.theme.size
    slot = (area.width - gap * (columns - 1)) / columns
    for column in range(columns):
        x0 = area.x0 + column * (slot + gap)
        text = sheet.label(slot * 0.5)
        if not text:
            continue
        start = x0 + (slot * 0.5 if aligned else sheet.width(text + theme.colon)) + theme.size * 0.5
        if aligned == "right":
            sheet.write(start - theme.size * 0.5, base, text + theme.colon, align="right")
        else:
            sheet.write(x0, base, text + theme.colon)
        if sheet.chance(0.05):
            sheet.write(start, base, "$")
            start += sheet.width("$") + 1.5
        full = x0 + slot
        end = full if sheet.chance(0.8) else start + (full - start) * sheet.rng.uniform(0.5, 0.9)
        control = Control.TEXT
        if theme.blank in ("box", "rounded", "tint") and sheet.chance(0.08):
            control = Control.LIST
        blank(sheet, start, end, base, min(theme.row * 0.8, theme.size * 1.8), label=text, control=control)
        if control is Control.LIST:
            _arrow(sheet, end, base)


def _arrow(sheet: Sheet, x: float, base: float) -> None:
    """The small triangle of a drop-down list, printed on the page."""
    side = sheet.theme.size * 0.35
    left, top = x - 3.0 * side, base - side * 0.9
    sheet.pen.polygon([(left, top), (left + 2 * side, top), (left + side, top + side)], sheet.theme.rule_ink)


def captioned_rows(sheet: Sheet, area: Area) -> float:
    """Blanks with a small caption under the line, or above the box."""
    theme, y = sheet.theme, area.y0
    size = max(theme.size * 0.75, 5.5)
    ruled = theme.blank in ("line", "underscores", "dots")
    height = theme.size * 1.7
    pitch = height + size * 1.7
    for _ in range(sheet.rng.randint(1, 5)):
        if y + pitch > area.y1:
            break
        for x0, x1 in slots(sheet, area, sheet.rng.randint(1, 3)):
            text = sheet.label((x1 - x0) * 0.95, size)
            base = y + height if ruled else y + size * 1.5 + height - theme.size * 0.3
            blank(sheet, x0, x1, base, height, label=text, style="line" if ruled else None)
            sheet.write(x0 + 1, base + size * 1.15 + 1 if ruled else y + size, text, size)
        y += pitch
    return y + theme.size * 0.7 if y > area.y0 else y


def slots(sheet: Sheet, area: Area, count: int) -> list[tuple[float, float]]:
    """Uneven horizontal slots with gaps, at least 60 points wide each."""
    count = max(1, min(count, int(area.width / 70)))
    gap = sheet.theme.size * 1.2
    weights = [sheet.rng.uniform(0.7, 1.6) for _ in range(count)]
    usable, x, out = area.width - gap * (count - 1), area.x0, []
    for weight in weights:
        width = usable * weight / sum(weights)
        out.append((x, x + width))
        x += width + gap
    return out


def fill_in_sentence(sheet: Sheet, area: Area) -> float:
    """A sentence of a contract with blanks inside the running text."""
    theme = sheet.theme
    parts = sheet.rng.choice(sheet.words.fill).split("{}")
    x, base, leading = area.x0, area.y0 + theme.size * 1.6, theme.size * 2.0
    space = sheet.width(" ")
    style: BlankStyle = "underscores" if theme.blank == "underscores" else "line"
    for number, part in enumerate(parts):
        for word in part.split():
            if x + sheet.width(word) > area.x1:
                x, base = area.x0, base + leading
            if base > area.y1 - theme.size:
                return base - leading + theme.size
            sheet.write(x, base, word)
            x += sheet.width(word) + space
        if number + 1 < len(parts):
            width = min(sheet.rng.uniform(70, 170), area.width)
            if x + width > area.x1:
                x, base = area.x0, base + leading
            if base > area.y1 - theme.size:
                return base - leading + theme.size
            blank(sheet, x, x + width, base, theme.size * 1.5, label=part.strip(" ,."), style=style)
            x += width + space * 1.5
    return base + theme.size


def comment_box(sheet: Sheet, area: Area) -> float:
    """A large multi-line box with a prompt above or inside its top."""
    theme = sheet.theme
    height = min(sheet.rng.uniform(45, 190), area.height - theme.size * 2)
    text = sheet.pick(sheet.words.comments, area.width * 0.9)
    if height < 30 or not text:
        return area.y0
    inside = sheet.chance(0.4)
    sheet.write(area.x0 + (4 if inside else 0), area.y0 + theme.size * 1.3, text + theme.colon)
    below, bottom, inset = area.y0 + theme.size * 1.9, area.y0 + height, theme.inset
    top = area.y0 if inside and theme.blank != "tint" else below
    _frame(sheet, Area(area.x0, top, area.x1, bottom), theme.blank, theme.radius)
    x0, x1 = area.x0 + inset, area.x1 - inset
    sheet.place(Control.TEXT, x0, below + inset, x1, bottom - inset, label=text, multiline=True)
    return bottom + theme.size


def comment_lines(sheet: Sheet, area: Area) -> float:
    """Several ruled lines under a prompt: one field each, or one multi-line field over them all."""
    theme = sheet.theme
    pitch, count = theme.size * sheet.rng.uniform(1.8, 2.4), sheet.rng.randint(2, 7)
    text = sheet.pick((*sheet.words.comments, *sheet.words.questions), area.width)
    count = min(count, int((area.height - theme.size * 2.5) / pitch))
    if count < 2 or not text:
        return area.y0
    sheet.write(area.x0, area.y0 + theme.size * 1.2, text)
    style: BlankStyle = theme.blank if theme.blank in ("underscores", "dots") else "line"
    together = sheet.chance(0.4)
    top = area.y0 + theme.size * 1.6
    for number in range(count):
        base = top + pitch * (number + 1)
        if together:
            _ruled(sheet, area.x0, area.x1, base, style)
        else:
            blank(sheet, area.x0, area.x1, base, pitch * 0.85, label=text, style=style)
    bottom = top + pitch * count
    if together:
        sheet.place(Control.TEXT, area.x0, top + 2, area.x1, bottom + 1, label=text, multiline=True)
    return bottom + theme.size
