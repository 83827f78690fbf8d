# SPDX-License-Identifier: Apache-2.0
"""One synthetic document: a theme, one to six pages, and its bytes.

Same seed and index, same bytes: every draw comes from one `random.Random` seeded by a hash, reportlab runs in
its invariant mode, and pikepdf writes a deterministic identifier.
"""

from __future__ import annotations

import hashlib
import io
import random
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import pikepdf
from reportlab.pdfgen.canvas import Canvas

from acromeld.corpus.synth import decor
from acromeld.corpus.synth.controls import ControlSpec, FormBuilder
from acromeld.corpus.synth.fonts import Fonts, font_book
from acromeld.corpus.synth.grammars import GRAMMARS, Grammar, shares
from acromeld.corpus.synth.pen import Pen
from acromeld.corpus.synth.sheet import Area, Sheet
from acromeld.corpus.synth.stacking import DULL, stack
from acromeld.corpus.synth.theme import Theme, sample_theme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from acromeld.fields import Box, FieldKind

_SIZES = ((612.0, 792.0), (595.28, 841.89), (612.0, 1008.0), (419.53, 595.28), (540.0, 560.0))
_SIZE_WEIGHTS = (10, 10, 1, 1, 0.6)
_PAGE_WEIGHTS = (18, 24, 22, 16, 11, 9)
_SALT = "acromeld.synth/1"


@dataclass(frozen=True)
class PagePlan:
    """What a page was meant to be: its grammar, displayed size, controls and the boxes of its texts."""

    grammar: str
    width: float
    height: float
    controls: tuple[ControlSpec, ...]
    texts: tuple[tuple[Box, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class SynthDocument:
    """The bytes of a generated PDF and the plan it was drawn from."""

    seed: int
    index: int
    language: str
    data: bytes = field(repr=False)
    pages: tuple[PagePlan, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """Content hash."""
        return hashlib.sha256(self.data).hexdigest()

    def counts(self) -> Counter[FieldKind]:
        """Planned fields by class."""
        return Counter(spec.control.kind for page in self.pages for spec in page.controls)


def generate(
    seed: int, index: int, *, fonts: Fonts = "system", weigh: Mapping[str, float] = MappingProxyType({})
) -> SynthDocument:
    """Document number ``index`` of the corpus with this seed; ``weigh`` replaces weights of grammars."""
    rng = document_rng(seed, index)
    theme = sample_theme(rng, font_book(fonts))
    count = rng.choices(range(1, len(_PAGE_WEIGHTS) + 1), _PAGE_WEIGHTS)[0]
    grammars = rng.choices(GRAMMARS, shares(weigh), k=count)
    return assemble(rng, theme, grammars, seed=seed, index=index)


def document_rng(seed: int, index: int) -> random.Random:
    """An independent random source for each document, so that documents can be made in any order."""
    digest = hashlib.sha256(f"{_SALT}:{seed}:{index}".encode()).digest()
    return random.Random(int.from_bytes(digest[:16], "big"))


def assemble(
    rng: random.Random, theme: Theme, grammars: list[Grammar], *, seed: int = 0, index: int = 0
) -> SynthDocument:
    """Draw the pages of the given grammars with one theme and add their native widgets."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1, pageCompression=1)
    size = rng.choices(_SIZES, _SIZE_WEIGHTS)[0]
    plans = []
    for number, grammar in enumerate(grammars, 1):
        plans.append(_page(canvas, rng, theme, grammar, size, number, len(grammars)))
        canvas.showPage()
    canvas.save()
    data = _with_widgets(buffer.getvalue(), plans, rng)
    return SynthDocument(seed, index, theme.words.code, data, tuple(plans))


def _page(
    canvas: Canvas,
    rng: random.Random,
    theme: Theme,
    grammar: Grammar,
    size: tuple[float, float],
    number: int,
    count: int,
) -> PagePlan:
    width, height = _page_size(rng, grammar, size)
    canvas.setPageSize((width, height))
    pen = Pen(canvas, width, height, theme.family, rtl=theme.words.rtl, spaced=theme.words.spaced)
    sheet = Sheet(rng, pen, theme)
    margin = 24.0 if grammar.bare else min(theme.margin, width * 0.09)
    body = Area(margin, margin, width - margin, height - margin - 8)
    if theme.paper is not None:
        pen.rect(0, 0, width, height, fill=theme.paper)
    if grammar.bare:
        grammar.fill(sheet, body)
    else:
        _dressed(sheet, body, grammar, number, count)
    return PagePlan(grammar.name, width, height, tuple(sheet.controls), tuple(pen.texts))


def _dressed(sheet: Sheet, body: Area, grammar: Grammar, number: int, count: int) -> None:
    """A page with header, footer, and text before and after what the grammar is about."""
    bottom = Area(body.x0, body.y1 + 8, body.x1, sheet.pen.height)
    if number == 1 or sheet.chance(0.15):
        body = body.below(decor.header(sheet, body))
    if sheet.chance(0.6):
        decor.footer(sheet, bottom, number, count)
    if sheet.chance(0.35):
        top = Area(body.x0, body.y0, body.x1, body.y0 + body.height * 0.3)
        body = body.below(stack(sheet, top, DULL, limit=2))
    y = grammar.fill(sheet, body)
    if sheet.chance(0.6):
        stack(sheet, body.below(y), DULL, limit=sheet.rng.randint(1, 9))


def _page_size(rng: random.Random, grammar: Grammar, size: tuple[float, float]) -> tuple[float, float]:
    if grammar.roomy and size[1] < 790:
        size = _SIZES[0]
    turned = rng.random() < grammar.landscape
    return (size[1], size[0]) if turned else size


def _with_widgets(data: bytes, plans: list[PagePlan], rng: random.Random) -> bytes:
    """The drawn pages with their controls as native widgets."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        builder = FormBuilder(pdf, rng)
        for page, plan in zip(pdf.pages, plans, strict=True):
            builder.add_page(page, plan.height, plan.controls)
        builder.finish()
        out = io.BytesIO()
        pdf.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return out.getvalue()
