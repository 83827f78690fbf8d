# SPDX-License-Identifier: Apache-2.0
"""Draws the sample form of this repository: a flat two-page application, nothing to type into.

    python tools/make_sample.py examples/application.pdf

It uses one of each thing people draw on forms: boxed cells with small labels, ruled lines, underscores, a
comb, check boxes as squares and as glyphs, a table, a comment box, and signature lines.
"""

from __future__ import annotations

import sys

from reportlab.lib.colors import Color, HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
LEFT, RIGHT = 48.0, WIDTH - 48.0
INK = HexColor("#1f2d3d")
BAR = HexColor("#234f6e")
SHADE = HexColor("#eef2f5")


class Sheet:
    """A canvas with the y axis turned down and the few marks a form needs."""

    def __init__(self, path: str) -> None:
        self.canvas = Canvas(path, pagesize=A4, invariant=1)
        self.canvas.setTitle("Application for a library card")
        self.canvas.setAuthor("AcroMELD sample")

    def text(
        self, x: float, y: float, text: str, size: float = 9, bold: bool = False, ink: Color = INK
    ) -> None:
        self.canvas.setFillColor(ink)
        self.canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
        self.canvas.drawString(x, HEIGHT - y, text)

    def line(self, x0: float, x1: float, y: float, width: float = 0.7) -> None:
        self.canvas.setStrokeColor(INK)
        self.canvas.setLineWidth(width)
        self.canvas.line(x0, HEIGHT - y, x1, HEIGHT - y)

    def box(self, x: float, y: float, width: float, height: float, fill: Color | None = None) -> None:
        self.canvas.setStrokeColor(INK)
        self.canvas.setLineWidth(0.7)
        if fill is not None:
            self.canvas.setFillColor(fill)
        self.canvas.rect(x, HEIGHT - y - height, width, height, fill=int(fill is not None))

    def bar(self, y: float, title: str) -> None:
        self.canvas.setFillColor(BAR)
        self.canvas.rect(LEFT, HEIGHT - y - 16, RIGHT - LEFT, 16, stroke=0, fill=1)
        self.text(LEFT + 6, y + 11.5, title, 9.5, bold=True, ink=white)

    def cells(self, y: float, height: float, cells: list[tuple[str, float]]) -> None:
        x = LEFT
        for label, share in cells:
            width = (RIGHT - LEFT) * share
            self.box(x, y, width, height)
            self.text(x + 3, y + 8, label, 6.5)
            x += width

    def ticks(self, x: float, y: float, labels: list[str], step: float) -> None:
        for index, label in enumerate(labels):
            self.box(x + index * step, y - 8, 9, 9)
            self.text(x + index * step + 13, y, label)

    def comb(self, x: float, y: float, cells: int, side: float = 15) -> None:
        for index in range(cells):
            self.box(x + index * side, y, side, 18)


def first_page(sheet: Sheet) -> None:
    sheet.text(LEFT, 58, "Riverside Public Library", 10, ink=BAR)
    sheet.text(LEFT, 80, "Application for a library card", 18, bold=True)
    sheet.text(LEFT, 96, "Please write in capital letters. Fields marked with * are required.", 8.5)
    sheet.bar(112, "1  About you")
    sheet.cells(128, 30, [("Family name *", 0.5), ("Given names *", 0.5)])
    sheet.cells(158, 30, [("Street and house number *", 0.7), ("Apartment", 0.3)])
    sheet.cells(188, 30, [("City *", 0.5), ("Postcode *", 0.2), ("Country", 0.3)])
    sheet.text(LEFT, 240, "Date of birth (DD MM YYYY)")
    sheet.comb(LEFT + 128, 226, 8)
    sheet.text(LEFT + 290, 240, "Title")
    sheet.ticks(LEFT + 320, 240, ["Ms", "Mr", "Mx"], 48)
    sheet.text(LEFT, 270, "E-mail:")
    sheet.line(LEFT + 40, LEFT + 250, 272)
    sheet.text(LEFT + 262, 270, "Telephone:")
    sheet.line(LEFT + 312, RIGHT, 272)

    sheet.bar(292, "2  Your card")
    sheet.text(LEFT, 328, "I would like")
    sheet.ticks(LEFT + 64, 328, ["an adult card", "a student card", "a family card"], 104)
    sheet.text(LEFT, 350, "Collect it at")
    sheet.ticks(LEFT + 64, 350, ["Main Street", "Harbour branch", "by post"], 104)
    sheet.text(LEFT, 374, "School or university (students only): ________________________________________")

    sheet.bar(392, "3  Children on a family card")
    columns = [("Name", 0.44), ("Date of birth", 0.2), ("School", 0.36)]
    x = LEFT
    for label, share in columns:
        sheet.box(x, 408, (RIGHT - LEFT) * share, 15, fill=SHADE)
        sheet.text(x + 4, 418.5, label, 8, bold=True)
        x += (RIGHT - LEFT) * share
    for row in range(4):
        x = LEFT
        for _, share in columns:
            sheet.box(x, 423 + row * 20, (RIGHT - LEFT) * share, 20)
            x += (RIGHT - LEFT) * share

    sheet.bar(522, "4  Anything else we should know")
    sheet.box(LEFT, 538, RIGHT - LEFT, 92)
    sheet.text(
        LEFT,
        650,
        "We keep your data while your card is valid. You can ask for a copy at any desk.",
        8,
    )
    sheet.line(LEFT, LEFT + 150, 718)
    sheet.text(LEFT, 729, "Place and date", 7.5)
    sheet.line(LEFT + 210, RIGHT, 718)
    sheet.text(LEFT + 210, 729, "Signature of the applicant", 7.5)
    sheet.text(LEFT, 800, "LC-1 (2026)  page 1 of 2", 7)


def second_page(sheet: Sheet) -> None:
    sheet.bar(48, "5  Consent of a parent or guardian (applicants under 16)")
    sheet.text(LEFT, 86, "I am the")
    for index, label in enumerate(["mother", "father", "legal guardian"]):
        sheet.canvas.setFont("ZapfDingbats", 10)
        sheet.canvas.setFillColor(INK)
        sheet.canvas.drawString(LEFT + 48 + index * 84, HEIGHT - 86, "\u2751")
        sheet.text(LEFT + 62 + index * 84, 86, label)
    sheet.text(LEFT, 110, "Name:")
    sheet.line(LEFT + 32, LEFT + 300, 112)
    sheet.text(LEFT, 134, "I agree to the")
    sheet.ticks(LEFT + 64, 134, ["lending rules", "use of the internet room"], 104)
    sheet.line(LEFT, LEFT + 150, 192)
    sheet.text(LEFT, 203, "Date", 7.5)
    sheet.line(LEFT + 210, RIGHT, 192)
    sheet.text(LEFT + 210, 203, "Signature of parent or guardian", 7.5)

    sheet.bar(232, "Information about your card")
    lines = [
        "The card is free for residents. It is valid for one year and can be renewed at any branch.",
        "You may borrow up to twenty items at a time. Most are lent for four weeks, films for one week.",
        "Please tell us at once when your card is lost; until then you answer for what is borrowed with it.",
        "The reading room is open every day from nine in the morning until eight in the evening.",
    ]
    for number, line in enumerate(lines):
        sheet.text(LEFT, 266 + number * 14, line)
    sheet.text(LEFT, 800, "LC-1 (2026)  page 2 of 2", 7)


def main(path: str) -> None:
    """Write the sample form."""
    sheet = Sheet(path)
    first_page(sheet)
    sheet.canvas.showPage()
    second_page(sheet)
    sheet.canvas.showPage()
    sheet.canvas.save()


if __name__ == "__main__":
    main(sys.argv[1])
