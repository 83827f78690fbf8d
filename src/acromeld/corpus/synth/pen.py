# SPDX-License-Identifier: Apache-2.0
"""Drawing in the coordinates of the page as displayed: points, origin top left, y downwards.

A pen for a right-to-left language mirrors every x, so one layout gives both kinds of page. It also keeps the
boxes of the text it drew, so that tests can ask whether words run through fields.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from reportlab.pdfbase.pdfmetrics import stringWidth

from acromeld.corpus.synth.arabic import visual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL import Image
    from reportlab.pdfgen.canvas import Canvas

    from acromeld.corpus.synth.fonts import Family
    from acromeld.fields import Box

Style = Literal["regular", "bold", "italic"]
Align = Literal["left", "centre", "right"]
Colour = tuple[float, float, float]

BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)


@dataclass
class Pen:
    """Draws on the current page of a reportlab canvas."""

    canvas: Canvas
    width: float
    height: float
    family: Family
    rtl: bool = False
    spaced: bool = True
    texts: list[tuple[Box, str]] = field(default_factory=list)

    def x(self, value: float) -> float:
        """A layout x as canvas x."""
        return round(self.width - value if self.rtl else value, 2)

    def y(self, value: float) -> float:
        """A layout y as canvas y."""
        return round(self.height - value, 2)

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        """A layout box as a displayed box."""
        left, right = sorted((self.x(x0), self.x(x1)))
        return left, round(y0, 2), right, round(y1, 2)

    def face(self, style: Style = "regular") -> str:
        """Registered font name of a style."""
        if style == "bold":
            return self.family.bold
        return self.family.italic if style == "italic" and not self.rtl else self.family.regular

    def measure(self, text: str, size: float, style: Style = "regular") -> float:
        """Width of a line of text."""
        return float(stringWidth(visual(text), self.face(style), size))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        style: Style = "regular",
        align: Align = "left",
        colour: Colour = BLACK,
        font: str | None = None,
    ) -> None:
        """One line with its baseline at ``y``; ``x`` is the anchor the alignment names."""
        shown, face = visual(text), font or self.face(style)
        width = float(stringWidth(shown, face, size))
        start = x - {"left": 0.0, "centre": width / 2, "right": width}[align]
        left = min(self.x(start), self.x(start + width))
        self.canvas.setFillColorRGB(*colour)
        self.canvas.setFont(face, size)
        self.canvas.drawString(left, self.y(y), shown)
        self.texts.append(
            ((left, round(y - 0.72 * size, 2), round(left + width, 2), round(y + 0.2 * size, 2)), text)
        )

    def wrap(self, text: str, width: float, size: float, style: Style = "regular") -> list[str]:
        """Break text into lines no wider than ``width`` (a single longer word stays whole)."""
        joint = " " if self.spaced else ""
        lines: list[str] = []
        for word in text.split() if self.spaced else list(text):
            longer = f"{lines[-1]}{joint}{word}" if lines else word
            if lines and self.measure(longer, size, style) <= width:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def line(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        *,
        stroke: float,
        colour: Colour = BLACK,
        dash: Sequence[float] = (),
    ) -> None:
        """A stroked straight line."""
        self._stroke(stroke, colour, dash)
        self.canvas.line(self.x(x0), self.y(y0), self.x(x1), self.y(y1))

    def rect(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        *,
        stroke: float = 0.0,
        colour: Colour = BLACK,
        fill: Colour | None = None,
        radius: float = 0.0,
        dash: Sequence[float] = (),
    ) -> None:
        """A rectangle, stroked when ``stroke`` is positive, filled when a colour is given."""
        self._stroke(max(stroke, 0.1), colour, dash)
        if fill is not None:
            self.canvas.setFillColorRGB(*fill)
        left, top, right, bottom = self.box(x0, y0, x1, y1)
        place = (left, self.y(bottom), round(right - left, 2), round(bottom - top, 2))
        how = {"stroke": int(stroke > 0), "fill": int(fill is not None)}
        if radius > 0:
            self.canvas.roundRect(*place, radius, **how)
        else:
            self.canvas.rect(*place, **how)

    def circle(
        self,
        x: float,
        y: float,
        radius: float,
        *,
        stroke: float,
        colour: Colour = BLACK,
        fill: Colour | None = None,
    ) -> None:
        """A circle around a point."""
        self._stroke(max(stroke, 0.1), colour, ())
        if fill is not None:
            self.canvas.setFillColorRGB(*fill)
        self.canvas.circle(
            self.x(x), self.y(y), round(radius, 2), stroke=int(stroke > 0), fill=int(fill is not None)
        )

    def path(
        self,
        segments: Sequence[tuple[float, float, float, float]],
        *,
        stroke: float,
        colour: Colour = BLACK,
        dash: Sequence[float] = (),
    ) -> None:
        """Many line segments as one path object."""
        self._stroke(stroke, colour, dash)
        path = self.canvas.beginPath()
        for x0, y0, x1, y1 in segments:
            path.moveTo(self.x(x0), self.y(y0))
            path.lineTo(self.x(x1), self.y(y1))
        self.canvas.drawPath(path, stroke=1, fill=0)

    def polygon(self, points: Sequence[tuple[float, float]], fill: Colour) -> None:
        """A filled polygon."""
        self.canvas.setFillColorRGB(*fill)
        path = self.canvas.beginPath()
        path.moveTo(self.x(points[0][0]), self.y(points[0][1]))
        for x, y in points[1:]:
            path.lineTo(self.x(x), self.y(y))
        path.close()
        self.canvas.drawPath(path, stroke=0, fill=1)

    def image(self, picture: Image.Image, x0: float, y0: float, x1: float, y1: float) -> None:
        """A picture stretched over a box."""
        left, _, right, bottom = self.box(x0, y0, x1, y1)
        self.canvas.drawInlineImage(picture, left, self.y(bottom), round(right - left, 2), round(y1 - y0, 2))

    def _stroke(self, width: float, colour: Colour, dash: Sequence[float]) -> None:
        self.canvas.setLineWidth(round(width, 2))
        self.canvas.setStrokeColorRGB(*colour)
        self.canvas.setDash(list(dash))
