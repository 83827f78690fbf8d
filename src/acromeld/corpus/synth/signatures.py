# SPDX-License-Identifier: Apache-2.0
"""Places to sign, in the many ways forms ask for it, with the date and the printed name beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.corpus.synth.blanks import blank
from acromeld.corpus.synth.controls import Control
from acromeld.corpus.synth.sheet import Area

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Sheet
    from acromeld.corpus.synth.theme import BlankStyle


def _wording(sheet: Sheet, room: float, size: float | None = None) -> str:
    text = sheet.pick(sheet.words.signature, room, size)
    return text.upper() if sheet.theme.upper else text


def _rule_style(sheet: Sheet) -> BlankStyle:
    return sheet.theme.blank if sheet.theme.blank in ("underscores", "dots") else "line"


def _sign(sheet: Sheet, x0: float, x1: float, base: float, height: float, label: str) -> None:
    """A ruled line with a signature control on it, of an extent that varies from author to author."""
    if label != "X" and sheet.chance(0.12):
        sheet.write(x0, base, "X", style="bold")
        x0 += sheet.width("X", style="bold") + 2
    blank(sheet, x0, x1, base, height, label=label, control=Control.SIGNATURE, style=_rule_style(sheet))
    if sheet.chance(0.25):
        sheet.controls.pop()
        sheet.place(Control.SIGNATURE, x0, base - height * 0.8, x1, base + 2, label=label)


def captioned_signatures(sheet: Sheet, area: Area) -> float:
    """One to three lines side by side with the caption under the line; one may be the date."""
    theme = sheet.theme
    size = max(theme.size * sheet.rng.choice((0.75, 0.85, 1.0)), 5.5)
    height = theme.size * sheet.rng.uniform(1.6, 3.2)
    bottom = area.y0 + height + theme.size + size * 1.8
    if bottom > area.y1:
        return area.y0
    base = area.y0 + height + theme.size * 0.6
    for number, (x0, x1, signed) in enumerate(_layout(sheet, area)):
        words = sheet.words.signature if signed else sheet.words.date if number else sheet.words.printed
        text = sheet.pick(words, x1 - x0, size) if not signed else _wording(sheet, x1 - x0, size)
        text = "" if signed and sheet.chance(0.06) else text
        if signed:
            _sign(sheet, x0, x1, base, height, text)
        else:
            blank(sheet, x0, x1, base, min(height, theme.size * 1.8), label=text, style=_rule_style(sheet))
        middle = sheet.theme.cell_label == "left"
        x = (x0 + x1) / 2 if middle else x0
        sheet.write(x, base + size * 1.15 + 1.5, text, size, align="centre" if middle else "left")
    return bottom + theme.size * 0.5


def _layout(sheet: Sheet, area: Area) -> list[tuple[float, float, bool]]:
    """Slots as (x0, x1, is a signature)."""
    gap = sheet.theme.size * 2
    shape = sheet.rng.choice(("one", "signature date", "signature date", "two", "name signature date"))
    if shape == "one" or area.width < 220:
        return [(area.x0, area.x0 + min(area.width, sheet.rng.uniform(150, 260)), True)]
    middle = area.x0 + area.width * (0.5 if shape == "two" else 0.64)
    if shape == "name signature date" and area.width > 380:
        third = (area.width - 2 * gap) / 3
        return [(area.x0 + i * (third + gap), area.x0 + i * (third + gap) + third, i == 1) for i in range(3)]
    return [(area.x0, middle - gap / 2, True), (middle + gap / 2, area.x1, shape == "two")]


def inline_signature(sheet: Sheet, area: Area) -> float:
    """Signature and date in one line, or a lonely "X____"."""
    theme = sheet.theme
    height = theme.size * sheet.rng.uniform(1.4, 2.4)
    base = area.y0 + height + theme.size * 0.5
    if base + theme.size > area.y1:
        return area.y0
    lonely = sheet.chance(0.2)
    text = "X" if lonely else _wording(sheet, area.width * 0.45)
    shown = text if lonely else text + theme.colon
    sheet.write(area.x0, base, shown, style="bold" if lonely else "regular")
    start = area.x0 + sheet.width(shown, style="bold" if lonely else "regular") + theme.size * 0.4
    dated = area.width > 300 and sheet.chance(0.65)
    stop = area.x0 + area.width * (0.68 if dated else sheet.rng.uniform(0.6, 1.0))
    if stop - start < 60:
        stop, dated = area.x1, False
    _sign(sheet, start, stop, base, height, text)
    if dated:
        date = sheet.pick(sheet.words.date, area.width * 0.16) or sheet.words.date[0]
        x = stop + theme.size
        sheet.write(x, base, date + theme.colon)
        x += sheet.width(date + theme.colon) + theme.size * 0.4
        if area.x1 - x > 25:
            blank(sheet, x, area.x1, base, theme.size * 1.5, label=date, style=_rule_style(sheet))
    return base + theme.size * 1.2


def signature_box(sheet: Sheet, area: Area) -> float:
    """A framed box with a small label in a corner; the control fills the rest, or the whole box."""
    theme = sheet.theme
    size = max(theme.size * 0.8, 5.5)
    height = size * 1.6 + sheet.rng.uniform(20, 48)
    if area.y0 + height + theme.size > area.y1:
        return area.y0
    width = min(area.width, sheet.rng.uniform(170, 300))
    x0 = area.x0 if sheet.chance(0.6) else area.x1 - width
    box = Area(x0, area.y0, x0 + width, area.y0 + height)
    fill = theme.tint if theme.blank == "tint" else None
    sheet.pen.rect(
        box.x0,
        box.y0,
        box.x1,
        box.y1,
        stroke=theme.rule,
        colour=theme.rule_ink,
        fill=fill,
        radius=theme.radius,
    )
    text, inset = _wording(sheet, width - 8, size), theme.inset
    low = sheet.chance(0.3)
    sheet.write(x0 + 4, box.y1 - size * 0.5 if low else box.y0 + size * 1.2, text, size)
    top = box.y0 if low or theme.whole_cell else box.y0 + size * 1.5
    bottom = box.y1 - size * 1.5 if low and not theme.whole_cell else box.y1
    sheet.place(Control.SIGNATURE, x0 + inset, top + inset, box.x1 - inset, bottom - inset, label=text)
    return box.y1 + theme.size


def signature_table(sheet: Sheet, area: Area) -> float:
    """Ruled cells: signature, printed name and date in a row, for one to three people."""
    theme = sheet.theme
    size = max(min(theme.size * 0.8, 8.5), 5.0)
    height, y = size * 1.5 + theme.size * 2.2, area.y0
    widths = (0.48, 0.32, 0.2)
    for _ in range(sheet.rng.randint(1, 3)):
        if y + height > area.y1:
            break
        x = area.x0
        for part, words in zip(
            widths, (sheet.words.signature, sheet.words.printed, sheet.words.date), strict=True
        ):
            width = area.width * part
            sheet.pen.rect(x, y, x + width, y + height, stroke=theme.rule, colour=theme.rule_ink)
            text = sheet.pick(words, width - 6, size)
            sheet.write(x + 3, y + size * 1.2, text, size)
            control = Control.SIGNATURE if part == widths[0] else Control.TEXT
            top = y + size * 1.5
            sheet.place(
                control, x + theme.inset, top, x + width - theme.inset, y + height - theme.inset, label=text
            )
            x += width
        y += height
    return y + theme.size if y > area.y0 else y


def party_columns(sheet: Sheet, area: Area) -> float:
    """Two parties of a contract, each with signature, name and date one below the other."""
    theme, pitch = sheet.theme, sheet.theme.size * sheet.rng.uniform(2.3, 3.0)
    if area.width < 300 or area.y0 + pitch * 4 > area.y1:
        return inline_signature(sheet, area)
    half = area.width / 2 - theme.size
    for x0 in (area.x0, area.x1 - half):
        _party(sheet, Area(x0, area.y0, x0 + half, area.y1), pitch)
    return area.y0 + theme.size * 2.6 + pitch * 3


def _party(sheet: Sheet, area: Area, pitch: float) -> None:
    """Who signs, then signature, name and date on lines of their own."""
    size, words = sheet.theme.size, sheet.words
    heading = sheet.pick(words.signature, area.width, style="bold")
    sheet.write(area.x0, area.y0 + size * 1.2, heading, style="bold")
    rows = (words.signature[0], sheet.rng.choice(words.printed), words.date[0])
    left = area.x0 + min(max(sheet.width(row) for row in rows) + size, area.width * 0.6)
    for number, row in enumerate(rows):
        base = area.y0 + size * 1.2 + pitch * (number + 1)
        sheet.write(area.x0, base, sheet.pick((row,), left - area.x0) or row[:8])
        control = Control.SIGNATURE if number == 0 else Control.TEXT
        label = f"{heading} {row}"
        style = _rule_style(sheet)
        blank(sheet, left, area.x1, base, pitch * 0.75, label=label, control=control, style=style)


SIGNATURES = (
    captioned_signatures,
    captioned_signatures,
    inline_signature,
    inline_signature,
    signature_box,
    signature_table,
    party_columns,
)


def signatures(sheet: Sheet, area: Area) -> float:
    """Any of the ways to sign."""
    return sheet.rng.choice(SIGNATURES)(sheet, area)
