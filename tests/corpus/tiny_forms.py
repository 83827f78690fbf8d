# SPDX-License-Identifier: Apache-2.0
"""Small PDFs with native widgets and a corpus of them, made in a moment."""

from __future__ import annotations

import hashlib
import io
import json
import random
from pathlib import Path

import pikepdf

TYPES = {"text": "/Tx", "choice": "/Btn", "signature": "/Sig"}
Widget = tuple[str, tuple[float, float, float, float]]


def form_pdf(pages: list[tuple[str, list[Widget]]], size: tuple[float, float] = (612, 792)) -> bytes:
    """A PDF with one page per ``(text, widgets)``; widget boxes are PDF rectangles."""
    pdf = pikepdf.new()
    font = pdf.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
        )
    )
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array())
    for text, widgets in pages:
        page = pdf.add_blank_page(page_size=size)
        page.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        page.obj.Contents = pdf.make_stream(_content(text))
        page.obj.Annots = pikepdf.Array([pdf.make_indirect(_widget(*widget)) for widget in widgets])
        pdf.Root.AcroForm.Fields.extend(page.obj.Annots)
    out = io.BytesIO()
    pdf.save(out, static_id=True)
    return out.getvalue()


def _content(text: str) -> bytes:
    words = text.split()
    lines = [" ".join(words[start : start + 8]) for start in range(0, len(words), 8)]
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 9 Tf 11 TL 40 760 Td {shown} ET".encode() if lines else b""


def _widget(kind: str, rect: tuple[float, float, float, float]) -> pikepdf.Dictionary:
    return pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Widget,
        FT=pikepdf.Name(TYPES[kind]),
        Rect=pikepdf.Array(rect),
        T=pikepdf.String("f"),
    )


def prose(seed: int, words: int = 120) -> str:
    draw = random.Random(seed)
    return " ".join("".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(words))


def layout(seed: int, count: int = 12) -> list[Widget]:
    draw = random.Random(seed)
    boxes = []
    for row in range(count):
        x, y = draw.uniform(20, 400), 740 - 40 * row + draw.uniform(-9, 9)
        boxes.append(
            (draw.choice(["text", "choice"]), (x, y, x + draw.uniform(20, 150), y + draw.uniform(9, 16)))
        )
    return boxes


def write_corpus(folder: Path, documents: dict[str, bytes], groups: dict[str, str] | None = None) -> Path:
    """Write documents by name with a manifest outside the folder; returns the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, data in documents.items():
        (folder / name).write_bytes(data)
        entry = {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "source": "test"}
        entry["group"] = (groups or {}).get(name, name)
        lines.append(json.dumps(entry))
    manifest = folder.with_suffix(".jsonl")
    manifest.write_text("\n".join(lines) + "\n")
    return manifest


def varied_documents(count: int, signed: int = 0) -> dict[str, bytes]:
    """Documents that share nothing, the first ``signed`` of them with a signature field."""
    documents = {}
    for seed in range(count):
        widgets = layout(seed)
        if seed < signed:
            widgets = [*widgets, ("signature", (50, 40, 250, 60))]
        documents[f"form{seed:03d}.pdf"] = form_pdf([(prose(seed), widgets)])
    return documents
