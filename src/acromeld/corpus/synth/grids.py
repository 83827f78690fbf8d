# SPDX-License-Identifier: Apache-2.0
"""Grids: labelled cells, label/value pairs, tables to fill in, and tables that are already full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.corpus.synth.controls import Control
from acromeld.corpus.synth.marks import choice_mark, mark_width
from acromeld.corpus.synth.sheet import Area

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Sheet

_NAMES = ("M. Keller", "A. Novak", "J. Brown", "L. Rossi", "S. Olsen", "P. Jansen", "C. Silva", "R. Meyer")


def draw_cells(sheet: Sheet, cells: list[Area]) -> None:
    """Rule the cells in the theme's way: lines, one path, thin filled slabs, or a rectangle per cell."""
    theme, pen = sheet.theme, sheet.pen
    if theme.grid == "rects":
        for cell in cells:
            pen.rect(
                cell.x0, cell.y0, cell.x1, cell.y1, stroke=theme.rule, colour=theme.rule_ink, dash=theme.dash
            )
        return
    edges = _edges(cells)
    if theme.grid == "rows":
        edges = [edge for edge in edges if edge[1] == edge[3]]
    if theme.grid == "path":
        pen.path(edges, stroke=theme.rule, colour=theme.rule_ink, dash=theme.dash)
        return
    half = max(theme.rule, 0.4) / 2
    for x0, y0, x1, y1 in edges:
        if theme.grid == "slabs":
            pen.rect(x0 - half, y0 - half, x1 + half, y1 + half, fill=theme.rule_ink)
        else:
            pen.line(x0, y0, x1, y1, stroke=theme.rule, colour=theme.rule_ink, dash=theme.dash)


def _edges(cells: list[Area]) -> list[tuple[float, float, float, float]]:
    """Distinct edges of the cells in a fixed order; neighbours share theirs."""
    edges: dict[tuple[float, float, float, float], None] = {}
    for cell in cells:
        x0, y0, x1, y1 = (round(value, 2) for value in (cell.x0, cell.y0, cell.x1, cell.y1))
        for edge in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
            edges[edge] = None
    return list(edges)


def fill_cell(sheet: Sheet, cell: Area, label: str = "", *, multiline: bool = False) -> None:
    """A text control inside a cell, inset as the author is used to."""
    inset = min(sheet.theme.inset, cell.height * 0.12)
    sheet.place(
        Control.TEXT, cell.x0 + inset, cell.y0 + inset, cell.x1 - inset, cell.y1 - inset,
        label=label, multiline=multiline,
    )  # fmt: skip


def split(sheet: Sheet, width: float, count: int, spread: float = 0.6) -> list[float]:
    """Uneven column widths that sum to ``width``."""
    weights = [sheet.rng.uniform(1 - spread, 1 + spread) for _ in range(count)]
    return [width * weight / sum(weights) for weight in weights]


def cell_grid(sheet: Sheet, area: Area, rows: int | None = None) -> float:
    """Rows of cells with a small label in the top left corner, each row divided differently."""
    theme, y = sheet.theme, area.y0
    size = max(min(theme.size * 0.8, 8.5), 5.0)
    cells: list[Area] = []
    for _ in range(rows or sheet.rng.randint(2, 8)):
        height = size * 1.4 + theme.size * sheet.rng.choice((1.5, 1.5, 1.8, 2.4, 4.0))
        if y + height > area.y1:
            break
        x = area.x0
        count = max(1, min(sheet.rng.randint(1, 5), int(area.width / 75)))
        for width in split(sheet, area.width, count, 0.45):
            cells.append(Area(x, y, x + width, y + height))
            x += width
        y += height
    draw_cells(sheet, cells)
    for cell in cells:
        _labelled_cell(sheet, cell, size)
    return y + theme.size if cells else y


def _labelled_cell(sheet: Sheet, cell: Area, size: float) -> None:
    theme = sheet.theme
    # Blocked-out cells have no field; where tinted boxes are the fields, such a cell would be a lie.
    if theme.blank != "tint" and sheet.chance(0.04):
        sheet.pen.rect(
            cell.x0, cell.y0, cell.x1, cell.y1, fill=theme.tint, stroke=theme.rule, colour=theme.rule_ink
        )
        return
    text = sheet.label(cell.width - 5, size)
    sheet.write(cell.x0 + 2.5, cell.y0 + size * 1.15, text, size)
    if sheet.chance(0.07) and cell.width > 100:
        _options_in_cell(sheet, cell.below(cell.y0 + size * 1.4), text)
        return
    whole = theme.whole_cell or not text
    inner = cell if whole else cell.below(cell.y0 + size * 1.4)
    fill_cell(sheet, inner, text, multiline=inner.height > theme.size * 3)


def _options_in_cell(sheet: Sheet, cell: Area, label: str) -> None:
    size, x, group = sheet.theme.size * 0.9, cell.x0 + 4, sheet.group()
    base = cell.y0 + cell.height * 0.5 + size * 0.35
    for _ in range(sheet.rng.randint(2, 3)):
        text = sheet.pick(sheet.words.options, cell.x1 - x - mark_width(sheet, size) - 5, size)
        if not text:
            return
        end = choice_mark(sheet, x, base, size, label=f"{label}: {text}", group=group)
        sheet.write(end + 2, base, text, size)
        x = end + sheet.width(text, size) + size * 1.5


def pair_table(sheet: Sheet, area: Area) -> float:
    """Left cell label, right cell blank; one or two pairs in a row."""
    theme, y = sheet.theme, area.y0
    pairs = 2 if area.width > 380 and sheet.chance(0.5) else 1
    share = sheet.rng.uniform(0.3, 0.5)
    shaded = sheet.chance(0.5)
    cells: list[Area] = []
    for _ in range(sheet.rng.randint(2, 9)):
        height = theme.row * sheet.rng.choice((1.0, 1.0, 1.0, 1.6))
        if y + height > area.y1:
            break
        for pair in range(pairs):
            slot = area.width / pairs
            x0 = area.x0 + pair * slot
            _pair(sheet, Area(x0, y, x0 + slot, y + height), share, shaded, cells)
        y += height
    draw_cells(sheet, cells)
    return y + theme.size if cells else y


def _pair(sheet: Sheet, row: Area, share: float, shaded: bool, cells: list[Area]) -> None:
    theme = sheet.theme
    middle = row.x0 + row.width * share
    left, right = Area(row.x0, row.y0, middle, row.y1), Area(middle, row.y0, row.x1, row.y1)
    if shaded:
        sheet.pen.rect(left.x0, left.y0, left.x1, left.y1, fill=theme.tint)
    text = sheet.label(left.width - 8)
    sheet.write(left.x0 + 4, (row.y0 + row.y1) / 2 + theme.size * 0.35, text)
    cells += [left, right]
    if text:
        fill_cell(sheet, right, text, multiline=row.height > theme.size * 3.2)


def header_row(sheet: Sheet, area: Area, widths: list[float], size: float) -> tuple[list[Area], list[str]]:
    """Heading cells of a table, often shaded; returns the cells and the column names."""
    theme = sheet.theme
    dark = sheet.chance(0.3) and theme.accent != (0.0, 0.0, 0.0)
    fill = theme.accent if dark else theme.tint if sheet.chance(0.6) else None
    cells, names, x = [], [], area.x0
    for width in widths:
        cell = Area(x, area.y0, x + width, area.y1)
        if fill is not None:
            sheet.pen.rect(cell.x0, cell.y0, cell.x1, cell.y1, fill=fill)
        text = sheet.pick(sheet.words.columns, width - 4, size, "bold")
        colour = (1.0, 1.0, 1.0) if dark else None
        middle = (cell.y0 + cell.y1) / 2 + size * 0.35
        sheet.write((cell.x0 + cell.x1) / 2, middle, text, size, style="bold", align="centre", colour=colour)
        cells.append(cell)
        names.append(text)
        x += width
    return cells, names


def entry_table(
    sheet: Sheet,
    area: Area,
    *,
    rows: int | None = None,
    columns: int | None = None,
    row_height: float | None = None,
) -> float:
    """A table to fill in: headings, blank rows, sometimes with numbered or labelled rows."""
    theme = sheet.theme
    height = row_height or theme.row * sheet.rng.uniform(0.75, 1.0)
    size = min(theme.size, height * 0.62)
    count = columns or max(2, min(sheet.rng.randint(2, 7), int(area.width / 48)))
    rows = rows or sheet.rng.randint(2, 8)
    rows = min(rows, int(area.height / height) - 1)
    if rows < 1:
        return area.y0
    widths = [area.width / count] * count if columns else split(sheet, area.width, count, 0.35)
    headings, names = header_row(sheet, Area(area.x0, area.y0, area.x1, area.y0 + height), widths, size)
    heads = sheet.rng.choices(("", "number", "label"), (4, 1, 1.5))[0] if columns is None else ""
    cells, striped, y = list(headings), sheet.chance(0.15), area.y0 + height
    for row in range(rows):
        line = Area(area.x0, y, area.x1, y + height)
        if striped and row % 2:
            sheet.pen.rect(line.x0, line.y0, line.x1, line.y1, fill=theme.tint)
        head = str(row + 1) if heads == "number" else heads and sheet.label(widths[0] - 4, size)
        cells += _entry_row(sheet, line, widths, names, head, size)
        y += height
    draw_cells(sheet, cells)
    return y + theme.size


def _entry_row(
    sheet: Sheet, row: Area, widths: list[float], names: list[str], head: str, size: float
) -> list[Area]:
    cells, x = [], row.x0
    for column, width in enumerate(widths):
        cell = Area(x, row.y0, x + width, row.y1)
        if head and column == 0:
            sheet.write(
                (cell.x0 + cell.x1) / 2, (row.y0 + row.y1) / 2 + size * 0.35, head, size, align="centre"
            )
        else:
            fill_cell(sheet, cell, names[column])
        cells.append(cell)
        x += width
    return cells


def data_table(sheet: Sheet, area: Area) -> float:
    """A table full of data: fees, schedules, lists. It looks like a form and has no field."""
    theme, count = sheet.theme, max(2, min(sheet.rng.randint(2, 6), int(area.width / 75)))
    height = theme.size * sheet.rng.uniform(1.5, 2.0)
    rows = min(sheet.rng.randint(3, 14), int(area.height / height) - 1)
    if rows < 2:
        return area.y0
    widths = split(sheet, area.width, count, 0.3)
    head, _ = header_row(sheet, Area(area.x0, area.y0, area.x1, area.y0 + height), widths, theme.size)
    cells, y = list(head), area.y0 + height
    for _row in range(rows):
        x = area.x0
        for column, width in enumerate(widths):
            cells.append(Area(x, y, x + width, y + height))
            text = sheet.pick(_data(sheet, column), width - 6)
            sheet.write(x + 3, y + height / 2 + theme.size * 0.35, text)
            x += width
        y += height
    draw_cells(sheet, cells if sheet.chance(0.7) else head)
    return y + theme.size


def _data(sheet: Sheet, column: int) -> tuple[str, ...]:
    if column == 0:
        return sheet.words.options
    number = sheet.rng.randint(10, 9900)
    return sheet.rng.choice(
        ((f"{number}.00", "0"), (f"{number % 97}",), _NAMES, (f"{number % 28 + 1}.{number % 12 + 1}.",))
    )
