# SPDX-License-Identifier: Apache-2.0
"""Everything on a form that is not a field: headers, logos, prose, notes, section bars, office boxes.

Half of these look like fields (frames, rules, shaded areas). They teach a detector that not every box is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

from acromeld.corpus.synth.pen import WHITE
from acromeld.corpus.synth.sheet import Area

if TYPE_CHECKING:
    from acromeld.corpus.synth.pen import Align, Colour
    from acromeld.corpus.synth.sheet import Sheet


def header(sheet: Sheet, area: Area) -> float:
    """Logo or banner, title and subtitle, in one of a few arrangements."""
    theme = sheet.theme
    size = theme.size * sheet.rng.uniform(1.4, 2.1)
    banner = sheet.chance(0.12)
    logo = sheet.rng.uniform(26, 46) if not banner and sheet.chance(0.55) else 0.0
    bottom = area.y0 + max(logo, size * 1.5 + theme.size * 1.6)
    if banner:
        sheet.pen.rect(area.x0 - 6, area.y0 - 4, area.x1 + 6, bottom, fill=theme.accent)
    if logo:
        _logo(sheet, area.x0, area.y0, logo)
    x0 = area.x0 + (logo + 10 if logo else 0.0)
    centred = not logo and sheet.chance(0.5)
    _titles(sheet, Area(x0, area.y0, area.x1, bottom), size, centred, WHITE if banner else theme.accent)
    bottom += 4
    if sheet.chance(0.4):
        width = sheet.rng.choice((0.5, 1.0, 2.0))
        sheet.pen.line(area.x0, bottom, area.x1, bottom, stroke=width, colour=theme.accent)
    return bottom + theme.size


def _titles(sheet: Sheet, area: Area, size: float, centred: bool, colour: Colour) -> None:
    """Title and, often, a subtitle; a title too long for the page is set in smaller type."""
    align: Align = "centre" if centred else "left"
    x = (area.x0 + area.x1) / 2 if centred else area.x0
    title = sheet.pick(sheet.words.titles, area.width, size, "bold")
    if not title:
        title, size = min(sheet.words.titles, key=len), sheet.theme.size
    sheet.write(x, area.y0 + size * 1.1, title, size, style="bold", align=align, colour=colour)
    if sheet.chance(0.6):
        under = sheet.pick(sheet.words.sections, area.width)
        sheet.write(x, area.y0 + size * 1.1 + sheet.theme.size * 1.5, under, align=align, colour=colour)


def footer(sheet: Sheet, area: Area, page: int, pages: int) -> None:
    """A line of small print and the page number at the bottom margin."""
    size = max(sheet.theme.size * 0.7, 5.0)
    if sheet.chance(0.5):
        sheet.pen.line(area.x0, area.y0, area.x1, area.y0, stroke=0.4, colour=(0.5, 0.5, 0.5))
    number = sheet.rng.randint(100, 9999)
    sheet.write(area.x0, area.y0 + size * 1.6, f"AM-{number} ({number % 12 + 1}/{number % 20 + 10})", size)
    sheet.write(area.x1, area.y0 + size * 1.6, f"{page} / {pages}", size, align="right")


def _logo(sheet: Sheet, x: float, y: float, side: float) -> None:
    kind = sheet.rng.choice(("disc", "shield", "bars", "initials", "picture", "rings"))
    pen, accent = sheet.pen, sheet.theme.accent
    if kind == "disc":
        pen.circle(x + side / 2, y + side / 2, side / 2, stroke=0, fill=accent)
        pen.circle(x + side / 2, y + side / 2, side / 4, stroke=1.5, colour=WHITE)
    elif kind == "shield":
        points = [(0.1, 0), (0.9, 0), (0.9, 0.6), (0.5, 1), (0.1, 0.6)]
        pen.polygon([(x + px * side, y + py * side) for px, py in points], accent)
    elif kind == "bars":
        for i in range(4):
            pen.rect(
                x + i * side / 4, y + side * (0.6 - i * 0.2), x + (i + 0.7) * side / 4, y + side, fill=accent
            )
    elif kind == "initials":
        pen.rect(x, y, x + side, y + side, stroke=1.2, colour=accent)
        sheet.write(
            x + side / 2, y + side * 0.66, "AM", side * 0.45, style="bold", align="centre", colour=accent
        )
    elif kind == "rings":
        for i in range(3):
            pen.circle(x + side / 2, y + side / 2, side * (0.5 - 0.15 * i), stroke=1.0, colour=accent)
    else:
        pen.image(_picture(sheet), x, y, x + side, y + side)


def _picture(sheet: Sheet) -> Image.Image:
    """A small raster emblem."""
    size = 64
    shades = [tuple(sheet.rng.randint(40, 230) for _ in range(3)) for _ in range(3)]
    image = Image.new("RGB", (size, size), shades[0])
    draw = ImageDraw.Draw(image)
    for i in range(6):
        a, b = sheet.rng.randint(0, 40), sheet.rng.randint(0, 40)
        draw.ellipse((a, b, a + 22, b + 22), fill=shades[1 + i % 2])
    return image


def section_bar(sheet: Sheet, area: Area) -> float:
    """A heading: dark bar, tinted bar, underlined, boxed or plain."""
    theme = sheet.theme
    size = theme.size * sheet.rng.choice((1.0, 1.1, 1.25))
    height = size * 1.6
    if area.y0 + height * 2 > area.y1:
        return area.y0
    text = sheet.pick(sheet.words.sections, area.width - 8, size, "bold")
    kind = "plain" if sheet.chance(0.15) else theme.bar
    colour = theme.ink
    if kind == "dark":
        sheet.pen.rect(area.x0, area.y0, area.x1, area.y0 + height, fill=theme.accent)
        colour = WHITE
    elif kind == "tint":
        sheet.pen.rect(area.x0, area.y0, area.x1, area.y0 + height, fill=theme.tint)
    elif kind == "boxed":
        sheet.pen.rect(area.x0, area.y0, area.x1, area.y0 + height, stroke=theme.rule, colour=theme.rule_ink)
    elif kind == "under":
        y = area.y0 + height
        sheet.pen.line(area.x0, y, area.x1, y, stroke=theme.rule, colour=theme.accent)
    indent = 0.0 if kind in ("plain", "under") else 4.0
    sheet.write(area.x0 + indent, area.y0 + size * 1.15, text, size, style="bold", colour=colour)
    return area.y0 + height + theme.size * 0.6


def prose(sheet: Sheet, area: Area, sentences: int | None = None) -> float:
    """A paragraph of running text."""
    count = sentences or sheet.rng.randint(2, 7)
    joint = " " if sheet.words.spaced else ""
    text = joint.join(sheet.rng.choice(sheet.words.prose) for _ in range(count))
    y = sheet.paragraph(area, text)
    return y + sheet.theme.size * 0.8 if y > area.y0 else y


def numbered_prose(sheet: Sheet, area: Area) -> float:
    """Numbered or bulleted instructions."""
    theme, y = sheet.theme, area.y0
    bullets = sheet.chance(0.4)
    for number in range(1, sheet.rng.randint(3, 8)):
        if y + theme.size * 3 > area.y1:
            break
        sheet.write(area.x0 + theme.size, y + theme.size, "-" if bullets else f"{number}.", align="right")
        inner = Area(area.x0 + theme.size * 1.8, y, area.x1, area.y1)
        y = sheet.paragraph(inner, sheet.rng.choice(sheet.words.prose)) + theme.size * 0.4
    return y + theme.size * 0.4 if y > area.y0 else y


def framed_note(sheet: Sheet, area: Area) -> float:
    """A framed or tinted notice with text and no field."""
    theme = sheet.theme
    size, pad = theme.size * 0.9, 6.0
    text = " ".join(sheet.rng.choice(sheet.words.prose) for _ in range(sheet.rng.randint(1, 3)))
    lines = sheet.pen.wrap(text, area.width - 2 * pad, size)
    height = len(lines) * size * 1.25 + 2 * pad
    if area.y0 + height > area.y1:
        return area.y0
    fill = theme.tint if sheet.chance(0.5) else None
    sheet.pen.rect(
        area.x0, area.y0, area.x1, area.y0 + height,
        stroke=theme.rule, colour=theme.rule_ink, fill=fill, radius=theme.radius,
    )  # fmt: skip
    sheet.paragraph(Area(area.x0 + pad, area.y0 + pad, area.x1 - pad, area.y1), text, size, style="italic")
    return area.y0 + height + theme.size


def office_area(sheet: Sheet, area: Area) -> float:
    """A shaded part that staff fill in by hand: labels, rules and cells, and not one field."""
    theme = sheet.theme
    height = sheet.rng.uniform(38, 90)
    if area.y0 + height + theme.size > area.y1:
        return area.y0
    bottom = area.y0 + height
    grey = sheet.rng.choice((0.85, 0.9, 0.93))
    sheet.pen.rect(
        area.x0, area.y0, area.x1, bottom, stroke=theme.rule, colour=theme.rule_ink, fill=(grey, grey, grey)
    )
    text = sheet.pick(sheet.words.office, area.width - 8, style="bold")
    sheet.write(area.x0 + 4, area.y0 + theme.size * 1.25, text, style="bold")
    columns = sheet.rng.randint(1, 3)
    slot = area.width / columns
    y = area.y0 + theme.size * 3.1
    while y < bottom - 3:
        for column in range(columns):
            x0 = area.x0 + column * slot + 4
            label = sheet.label(slot * 0.5)
            sheet.write(x0, y, label)
            start = x0 + sheet.width(label) + 3
            sheet.pen.line(start, y + 1, x0 + slot - 10, y + 1, stroke=0.4, colour=theme.rule_ink)
        y += theme.size * 1.9
    return bottom + theme.size


def ornament(sheet: Sheet, area: Area) -> float:
    """A rule across the page, single, double, dashed or thick, that asks for nothing."""
    y, theme = area.y0 + sheet.theme.size * 0.6, sheet.theme
    kind = sheet.rng.choice(("single", "double", "dashed", "thick"))
    dash = (4.0, 3.0) if kind == "dashed" else ()
    width = 2.5 if kind == "thick" else 0.6
    sheet.pen.line(area.x0, y, area.x1, y, stroke=width, colour=theme.accent, dash=dash)
    if kind == "double":
        sheet.pen.line(area.x0, y + 2, area.x1, y + 2, stroke=width, colour=theme.accent)
    return y + theme.size


def photo_frame(sheet: Sheet, area: Area) -> float:
    """A frame for a photograph or a stamp; nothing is typed there."""
    theme, height = sheet.theme, sheet.rng.uniform(60, 105)
    if area.y0 + height + theme.size > area.y1 or area.width < 120:
        return area.y0
    width = height * 0.78
    x0 = area.x1 - width
    sheet.pen.rect(x0, area.y0, area.x1, area.y0 + height, stroke=0.6, colour=theme.rule_ink, dash=(2.0, 2.0))
    text = sheet.pick(sheet.words.photo, width - 4)
    sheet.write((x0 + area.x1) / 2, area.y0 + height / 2, text, align="centre")
    sheet.paragraph(
        Area(area.x0, area.y0, x0 - 12, area.y0 + height), " ".join(sheet.rng.sample(sheet.words.prose, 3))
    )
    return area.y0 + height + theme.size
