# SPDX-License-Identifier: Apache-2.0
"""Ledgers: printed spreadsheets whose cells are asked for by the headings of their row and column alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.corpus.synth.grids import draw_cells, fill_cell, header_row, split
from acromeld.corpus.synth.sheet import Area

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Sheet

_SPACER = 7.0
"""Points: a column this narrow keeps others apart and asks for nothing."""


@dataclass(frozen=True)
class _Columns:
    """Widths from left to right, the labels' first, and which of the others ask for something."""

    widths: list[float]
    asking: list[bool]


def ledger(sheet: Sheet, area: Area) -> float:
    """Labelled rows under column headings, parted by section rows, empty rows and narrow empty columns."""
    theme, columns = sheet.theme, _columns(sheet, area.width)
    height = sheet.rng.uniform(10.0, 17.0)
    size = min(theme.size, height * 0.6)
    top = Area(area.x0, area.y0, area.x1, area.y0 + height)
    cells, names = header_row(sheet, top, columns.widths, size)
    parted, y = sheet.chance(0.6), area.y0 + height
    for number in range(sheet.rng.randint(8, 34)):
        if y + height > area.y1:
            break
        line = Area(area.x0, y, area.x1, y + height)
        kind = sheet.rng.choices(("entry", "section", "empty"), (8, 1, 0.7))[0]
        if number and parted and kind != "entry":
            cells += _heading(sheet, line, columns, size) if kind == "section" else _row(line, columns)
        else:
            cells += _entry(sheet, line, columns, names, size)
        y += height
    draw_cells(sheet, cells)
    return y + theme.size


def _columns(sheet: Sheet, width: float) -> _Columns:
    """Three to ten columns behind that of the labels, sometimes with spacers between them."""
    first = width * sheet.rng.uniform(0.15, 0.3)
    count = max(2, min(sheet.rng.randint(3, 10), int((width - first) / 42)))
    every = sheet.rng.choice((0, 0, 1, 2, 3))
    spaced = [every > 0 and number % every == every - 1 for number in range(count - 1)]
    room = width - first - _SPACER * sum(spaced)
    values = split(sheet, room, count, 0.25) if sheet.chance(0.4) else [room / count] * count
    widths, asking = [first], [False]
    for value, spacer in zip(values, [*spaced, False], strict=True):
        widths += [value, _SPACER] if spacer else [value]
        asking += [True, False] if spacer else [True]
    return _Columns(widths, asking)


def _row(line: Area, columns: _Columns) -> list[Area]:
    """The cells of a row."""
    cells, x = [], line.x0
    for width in columns.widths:
        cells.append(Area(x, line.y0, x + width, line.y1))
        x += width
    return cells


def _heading(sheet: Sheet, line: Area, columns: _Columns, size: float) -> list[Area]:
    """A row that names what follows and has no field."""
    if sheet.chance(0.7):
        sheet.pen.rect(line.x0, line.y0, line.x1, line.y1, fill=sheet.theme.tint)
    text = sheet.pick(sheet.words.sections, line.width - 6, size, "bold")
    sheet.write(line.x0 + 3, (line.y0 + line.y1) / 2 + size * 0.35, text, size, style="bold")
    return _row(line, columns) if sheet.chance(0.5) else [line]


def _entry(sheet: Sheet, line: Area, columns: _Columns, names: list[str], size: float) -> list[Area]:
    """A label and a field in every asking cell, but for one that is blocked out now and then."""
    cells = _row(line, columns)
    label = sheet.label(cells[0].width - 6, size)
    sheet.write(cells[0].x0 + 3, (line.y0 + line.y1) / 2 + size * 0.35, label, size)
    for cell, asking, name in zip(cells, columns.asking, names, strict=True):
        if not asking:
            continue
        if sheet.theme.blank != "tint" and sheet.chance(0.03):
            sheet.pen.rect(cell.x0, cell.y0, cell.x1, cell.y1, fill=sheet.theme.tint)
        else:
            fill_cell(sheet, cell, f"{label} {name}".strip())
    return cells
