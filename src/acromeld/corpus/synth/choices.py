# SPDX-License-Identifier: Apache-2.0
"""Things to tick: lists, rows, yes/no questions, rating tables, checklists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.corpus.synth.blanks import blank
from acromeld.corpus.synth.grids import draw_cells
from acromeld.corpus.synth.marks import choice_mark, mark_width
from acromeld.corpus.synth.sheet import Area

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Sheet


def option(sheet: Sheet, x: float, base: float, text: str, *, group: str = "", room: float = 0.0) -> float:
    """One mark and its label, the mark left or right of it; returns the right end of the two."""
    theme = sheet.theme
    gap, width = theme.size * 0.4, mark_width(sheet, theme.size)
    if theme.choice_side == "left":
        end = choice_mark(sheet, x, base, theme.size, label=text, group=group)
        sheet.write(end + gap, base, text)
        return end + gap + sheet.width(text)
    sheet.write(x, base, text)
    start = max(x + sheet.width(text) + gap, x + room - width)
    return choice_mark(sheet, start, base, theme.size, label=text, group=group)


def option_list(sheet: Sheet, area: Area) -> float:
    """A prompt and options in one to four columns, sometimes ending in "other: ____"."""
    theme = sheet.theme
    pitch = theme.size * sheet.rng.uniform(1.45, 2.0)
    columns = max(1, min(sheet.rng.choice((1, 1, 2, 3, 4)), int(area.width / (theme.size * 13))))
    slot = area.width / columns
    y = _prompt(sheet, area)
    group = sheet.group() if sheet.chance(0.5) else ""
    count = sheet.rng.randint(2, 4) * columns if columns < 3 else columns * sheet.rng.randint(1, 3)
    for number in range(count):
        row, column = divmod(number, columns)
        base = y + pitch * (row + 0.75)
        if base + theme.size > area.y1:
            return area.y0 if number == 0 else base
        text = sheet.pick(sheet.words.options, slot - theme.size * 3.2)
        if text:
            option(sheet, area.x0 + column * slot, base, text, group=group, room=slot * 0.75)
    y += pitch * (-(-count // columns))
    if sheet.chance(0.3) and y + pitch < area.y1:
        y = _other(sheet, area, y, pitch, group)
    return y + theme.size * 0.6


def _prompt(sheet: Sheet, area: Area) -> float:
    text = sheet.pick((*sheet.words.labels, *sheet.words.questions), area.width)
    sheet.write(
        area.x0, area.y0 + sheet.theme.size * 1.2, text, style="bold" if sheet.chance(0.4) else "regular"
    )
    return area.y0 + sheet.theme.size * 1.7


def _other(sheet: Sheet, area: Area, y: float, pitch: float, group: str) -> float:
    theme, base = sheet.theme, y + pitch * 0.75
    text = sheet.pick(sheet.words.other, area.width * 0.5) + ":"
    end = choice_mark(sheet, area.x0, base, theme.size, label=text, group=group)
    sheet.write(end + theme.size * 0.4, base, text)
    start = end + sheet.width(text) + theme.size
    stop = min(area.x1, start + 180)
    if stop - start > 40:
        blank(sheet, start, stop, base, min(theme.size * 1.4, pitch * 0.8), label=text, style="line")
    return y + pitch


def option_row(sheet: Sheet, area: Area) -> float:
    """A prompt and its options in one line."""
    theme, x = sheet.theme, area.x0
    base = area.y0 + theme.row * 0.7
    if base + theme.size > area.y1:
        return area.y0
    prompt = sheet.label(area.width * 0.35) + theme.colon
    sheet.write(x, base, prompt)
    x += sheet.width(prompt) + theme.size * 1.5
    group = sheet.group()
    for _ in range(sheet.rng.randint(2, 5)):
        text = sheet.pick(sheet.words.options, area.x1 - x - theme.size * 3.2)
        if not text:
            break
        x = option(sheet, x, base, text, group=group) + theme.size * 1.6
    return area.y0 + theme.row + theme.size * 0.3


def yes_no_questions(sheet: Sheet, area: Area) -> float:
    """Questions with a yes/no pair at the right, or behind the question."""
    theme, y = sheet.theme, area.y0
    yes, no = sheet.words.yes[0], sheet.words.no[0]
    unit = mark_width(sheet, theme.size) + theme.size * 0.4
    pair = 2 * unit + sheet.width(yes) + sheet.width(no) + theme.size * 2.4
    numbered, ruled = sheet.chance(0.4), sheet.chance(0.2)
    for number in range(1, sheet.rng.randint(1, 5) + 1):
        question = sheet.rng.choice(sheet.words.questions)
        lines = sheet.pen.wrap(
            f"{number}. {question}" if numbered else question, area.width - pair, theme.size
        )
        height = theme.size * (1.25 * len(lines) + 0.7)
        if y + height > area.y1 or area.width < pair * 1.6:
            break
        base = y + theme.size * 1.2
        for row, line in enumerate(lines):
            sheet.write(area.x0, base + row * theme.size * 1.25, line)
        group = sheet.group()
        x = area.x1 - pair + theme.size
        x = option(sheet, x, base, yes, group=group) + theme.size * 1.2
        option(sheet, x, base, no, group=group)
        y += height
        if ruled:
            sheet.pen.line(area.x0, y, area.x1, y, stroke=0.3, colour=(0.7, 0.7, 0.7))
    return y + theme.size * 0.6 if y > area.y0 else y


def rating_table(sheet: Sheet, area: Area) -> float:
    """Statements down, a scale across, a mark in every crossing."""
    theme = sheet.theme
    scale = sheet.words.likert if sheet.chance(0.6) else ("1", "2", "3", "4", "5")
    size = min(theme.size, 9.0)
    column = max(max(sheet.width(word, size * 0.8) for word in scale) + 6, 26.0)
    stem = area.width - column * len(scale)
    height, rows = theme.size * 2.2, sheet.rng.randint(2, 6)
    rows = min(rows, int(area.height / height) - 1)
    if stem < 110 or rows < 2:
        return area.y0
    cells, y = [], area.y0
    for row in range(rows + 1):
        cells += _rating_row(sheet, Area(area.x0, y, area.x1, y + height), scale, column, heading=row == 0)
        y += height
    if sheet.chance(0.7):
        draw_cells(sheet, cells)
    return y + theme.size


def _rating_row(
    sheet: Sheet, row: Area, scale: tuple[str, ...], column: float, *, heading: bool
) -> list[Area]:
    """The scale as headings, or a statement and its marks; returns the cells to rule."""
    size, stem = min(sheet.theme.size, 9.0), row.x1 - column * len(scale)
    base, group = (row.y0 + row.y1) / 2 + size * 0.35, sheet.group()
    words = (*sheet.words.questions, *sheet.words.labels)
    text = "" if heading else sheet.pick(words, stem - row.x0 - 8, size)
    sheet.write(row.x0 + 4, base, text, size)
    cells = [Area(row.x0, row.y0, stem, row.y1)]
    for number, word in enumerate(scale):
        x = stem + number * column
        cells.append(Area(x, row.y0, x + column, row.y1))
        if heading:
            sheet.write(x + column / 2, base, word, size * 0.8, align="centre")
        else:
            start = x + (column - mark_width(sheet, size)) / 2
            choice_mark(sheet, start, base, size, label=f"{text} {word}", group=group)
    return cells


def checklist(sheet: Sheet, area: Area) -> float:
    """Sentences to confirm, each with a mark in front, wrapped over as many lines as they need."""
    theme, y = sheet.theme, area.y0
    indent = mark_width(sheet, theme.size) + theme.size * 0.7
    for _ in range(sheet.rng.randint(2, 6)):
        text = sheet.rng.choice(sheet.words.prose)
        lines = sheet.pen.wrap(text, area.width - indent, theme.size)
        if y + theme.size * (1.25 * len(lines) + 0.6) > area.y1:
            break
        choice_mark(sheet, area.x0, y + theme.size, theme.size, label=text)
        for line in lines:
            sheet.write(area.x0 + indent, y + theme.size, line)
            y += theme.size * 1.25
        y += theme.size * 0.5
    return y + theme.size * 0.5 if y > area.y0 else y
