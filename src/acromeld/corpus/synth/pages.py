# SPDX-License-Identifier: Apache-2.0
"""The bodies of pages: which blocks each kind of page is made of. Every function returns the y it reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.corpus.synth import amounts, blanks, choices, combs, decor, grids, inserts, ledgers
from acromeld.corpus.synth.sheet import Area
from acromeld.corpus.synth.signatures import party_columns
from acromeld.corpus.synth.stacking import DULL, MIXED, Weighted, promise, reserve, sign, stack

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Sheet


def mixed(sheet: Sheet, area: Area) -> float:
    """One column of anything, sometimes ending in signatures."""
    y = promise(sheet, area, blanks.label_rows)
    y = stack(sheet, reserve(area, 90).below(y), MIXED, limit=sheet.rng.randint(1, 5))
    return sign(sheet, area, y) if sheet.chance(0.25) else y


def sparse(sheet: Sheet, area: Area) -> float:
    """Much prose and a handful of blanks."""
    y = decor.prose(sheet, reserve(area, 150))
    y = promise(sheet, area.below(y), sheet.rng.choice((blanks.fill_in_sentence, _two_rows)), _two_rows)
    y = stack(sheet, reserve(area, 90).below(y), DULL, limit=sheet.rng.randint(1, 5))
    return sign(sheet, area, y) if sheet.chance(0.4) else y


def _two_rows(sheet: Sheet, area: Area) -> float:
    bottom = min(area.y1, area.y0 + sheet.theme.row * 2.1)
    return blanks.label_rows(sheet, Area(area.x0, area.y0, area.x1, bottom))


def columns(sheet: Sheet, area: Area) -> float:
    """Two or three columns, each a stack of its own."""
    count = 3 if area.width > 560 and sheet.chance(0.4) else 2
    gap, ruled, reached = 18.0, sheet.chance(0.3), area.y0
    width = (area.width - gap * (count - 1)) / count
    for number in range(count):
        x0 = area.x0 + number * (width + gap)
        column = Area(x0, area.y0, x0 + width, area.y1)
        y = promise(sheet, column, blanks.label_rows) if number == 0 else column.y0
        reached = max(reached, stack(sheet, column.below(y), MIXED, limit=sheet.rng.randint(1, 4)))
        if ruled and number:
            x = x0 - gap / 2
            sheet.pen.line(x, area.y0, x, area.y1, stroke=0.4, colour=sheet.theme.rule_ink)
    return area.y1 if ruled else reached


def cell_form(sheet: Sheet, area: Area) -> float:
    """An official form: stacked grids of labelled cells under section bars."""
    y = promise(sheet, area, grids.cell_grid)
    blocks: Weighted = (
        (grids.cell_grid, 3), (choices.yes_no_questions, 1), (choices.option_row, 1), (decor.prose, 2),
        (decor.office_area, 0.8),
    )  # fmt: skip
    y = stack(sheet, reserve(area, 80).below(y), blocks, headings=0.6, limit=sheet.rng.randint(0, 3))
    return sign(sheet, area, y) if sheet.chance(0.3) else y


def pairs_form(sheet: Sheet, area: Area) -> float:
    """Label cells beside value cells."""
    y = promise(sheet, area, grids.pair_table)
    blocks: Weighted = (
        (grids.pair_table, 2), (decor.prose, 1.5), (blanks.comment_box, 1), (decor.framed_note, 0.7),
    )  # fmt: skip
    return stack(sheet, area.below(y), blocks, headings=0.6, limit=sheet.rng.randint(0, 3))


def invoice(sheet: Sheet, area: Area) -> float:
    """Who and when, a table of items, remarks, and who approves."""
    y = _two_rows(sheet, area)
    y = grids.entry_table(sheet, reserve(area, 110).below(y), rows=sheet.rng.randint(2, 7))
    remarks: Weighted = ((blanks.comment_box, 1), (decor.prose, 1))
    y = stack(sheet, reserve(area, 110).below(y), remarks, limit=1)
    return sign(sheet, area, y)


def timesheet(sheet: Sheet, area: Area) -> float:
    """A wide table with many columns, filled by the day."""
    y = _two_rows(sheet, area)
    rows, count = sheet.rng.randint(5, 14), max(4, min(sheet.rng.randint(5, 10), int(area.width / 50)))
    y = grids.entry_table(sheet, reserve(area, 90).below(y), rows=rows, columns=count)
    return sign(sheet, area, y)


def dense_table(sheet: Sheet, area: Area) -> float:
    """A ledger with a hundred cells or several hundred."""
    rows, count = sheet.rng.randint(12, 34), sheet.rng.randint(6, 12)
    return grids.entry_table(sheet, area, rows=rows, columns=count, row_height=area.height / (rows + 1.5))


def densest(sheet: Sheet, area: Area) -> float:
    """849 fields or a few more: the densest page of the paper's corpus, still below 896 queries."""
    rows, count = sheet.rng.choice(((50, 17), (45, 19), (61, 14), (57, 15), (44, 20)))
    pitch = area.height / (rows + 1.2)
    return grids.entry_table(sheet, area, rows=rows, columns=count, row_height=pitch)


def tick_page(sheet: Sheet, area: Area) -> float:
    """Little but things to tick."""
    y = promise(sheet, area, choices.option_list, choices.checklist)
    blocks: Weighted = (
        (choices.option_list, 4), (choices.checklist, 1.5), (choices.yes_no_questions, 2),
        (choices.rating_table, 1.2), (decor.prose, 2), (choices.option_row, 2),
    )  # fmt: skip
    return stack(sheet, area.below(y), blocks, limit=sheet.rng.randint(1, 4))


def survey(sheet: Sheet, area: Area) -> float:
    """Ratings and remarks."""
    y = decor.prose(sheet, reserve(area, 250), 2)
    y = promise(sheet, area.below(y), choices.rating_table, choices.option_list, choices.checklist)
    y = promise(sheet, area.below(y), choices.yes_no_questions)
    blocks: Weighted = ((blanks.comment_box, 1), (blanks.comment_lines, 1))
    return stack(sheet, area.below(y), blocks, limit=sheet.rng.randint(1, 3))


def ledger(sheet: Sheet, area: Area) -> float:
    """Who it is about, then a printed spreadsheet."""
    y = _two_rows(sheet, area) if sheet.chance(0.5) else area.y0
    return ledgers.ledger(sheet, area.below(y))


def tax_page(sheet: Sheet, area: Area) -> float:
    """Numbered amounts with leaders and boxes at the right edge."""
    y = promise(sheet, area, amounts.amount_lines)
    blocks: Weighted = ((amounts.amount_lines, 3), (decor.prose, 1))
    return stack(sheet, area.below(y), blocks, headings=0.4, limit=sheet.rng.randint(0, 4))


def comb_page(sheet: Sheet, area: Area) -> float:
    """A machine-readable form: comb fields all over."""
    y = promise(sheet, area, combs.comb_rows)
    blocks: Weighted = ((combs.comb_rows, 4), (choices.option_row, 1), (decor.prose, 0.7))
    return stack(sheet, area.below(y), blocks, headings=0.5, limit=sheet.rng.randint(0, 3))


def essay(sheet: Sheet, area: Area) -> float:
    """Large boxes and ruled lines for free text."""
    y = promise(sheet, area, blanks.comment_box)
    blocks: Weighted = ((blanks.comment_box, 3), (blanks.comment_lines, 2), (decor.prose, 1))
    return stack(sheet, area.below(y), blocks, headings=0.3, limit=sheet.rng.randint(1, 4))


def contract(sheet: Sheet, area: Area) -> float:
    """Clauses, a few blanks in the text, and the parties' signatures."""
    body = reserve(area, max(130.0, sheet.theme.size * 13))
    clauses: Weighted = ((decor.prose, 3), (decor.numbered_prose, 2))
    y = stack(sheet, body, clauses, headings=0.3, limit=sheet.rng.randint(1, 6))
    y = blanks.fill_in_sentence(sheet, body.below(y)) if sheet.chance(0.5) else y
    y = inserts.initialled_clauses(sheet, body.below(y)) if sheet.chance(0.15) else y
    after = party_columns(sheet, area.below(y)) if sheet.chance(0.4) else y
    return after if after > y else sign(sheet, area, y)


def sign_off(sheet: Sheet, area: Area) -> float:
    """A declaration and one to three places to sign."""
    y = decor.prose(sheet, reserve(area, 170), sheet.rng.randint(1, 4))
    for _ in range(sheet.rng.choice((1, 2, 2, 3))):
        y = sign(sheet, area, y + sheet.theme.size)
    return decor.office_area(sheet, area.below(y)) if sheet.chance(0.4) else y


def text_page(sheet: Sheet, area: Area) -> float:
    """Instructions, terms, schedules of fees: no field at all."""
    return stack(sheet, area, DULL, limit=sheet.rng.randint(3, 14))


def two_column_text(sheet: Sheet, area: Area) -> float:
    """Small print in two columns, no field."""
    width = (area.width - 18) / 2
    for x0 in (area.x0, area.x1 - width):
        stack(sheet, Area(x0, area.y0, x0 + width, area.y1), DULL, headings=0.2, limit=10)
    return area.y1


def cover(sheet: Sheet, area: Area) -> float:
    """A title page: big words, frames and rules that ask for nothing."""
    size, ink = sheet.theme.size * 2.6, sheet.theme.accent
    y = area.y0 + area.height * sheet.rng.uniform(0.1, 0.3)
    title = sheet.pick(sheet.words.titles, area.width - 20, size, "bold")
    if sheet.chance(0.4):
        sheet.pen.rect(area.x0, y - size * 0.6, area.x1, y + size * 2.4, stroke=1.2, colour=ink)
    sheet.write((area.x0 + area.x1) / 2, y + size * 1.2, title, size, style="bold", align="centre")
    stack(sheet, area.below(y + size * 4), DULL, limit=sheet.rng.randint(0, 2))
    return area.y1
