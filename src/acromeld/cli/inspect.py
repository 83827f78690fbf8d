# SPDX-License-Identifier: Apache-2.0
"""``acromeld inspect``: what is in a PDF, before anything is done to it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from acromeld.cli.console import print_json, say_notes, wide_console, with_password
from acromeld.errors import Refused
from acromeld.fields import KINDS
from acromeld.form.admission import check_writable
from acromeld.form.facts import form_facts
from acromeld.pdf.page import PageNeeds, ShapeKind
from acromeld.pdf.source import load_source, open_pikepdf
from acromeld.pdf.widgets import page_widgets
from acromeld.recovery import opened
from acromeld.structure.evidence import derive_evidence
from acromeld.structure.tokens import page_tokens

if TYPE_CHECKING:
    from acromeld.pdf.page import Page
    from acromeld.pdf.source import Source
    from acromeld.pdf.widgets import PageWidgets


def inspect(
    pdf: Path,
    /,
    *,
    password: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Show pages, existing fields, drawing primitives, and what would stop us from writing.

    Args:
        pdf: Any PDF.
        password: For protected files; asked for on a terminal.
        json: Print as JSON.
    """
    facts = with_password(lambda key: inspect_document(load_source(pdf, password=key)), password)
    if json:
        print_json(facts)
    else:
        _print(facts)
    return 0


def inspect_document(source: Source) -> dict[str, Any]:
    """Everything the command shows, ready for JSON."""
    with opened(source) as document:
        pages = [_page_facts(page) for page in document.pages(PageNeeds())]
        notes = [*document.facts.notes, *(note for page in pages for note in page["notes"])]
        frames = document.facts.frames
    with open_pikepdf(source) as objects:
        form = form_facts(objects)
        for facts, page, frame in zip(pages, objects.pages, frames, strict=True):
            facts["fields"] = _widget_facts(page_widgets(page, frame))
    return {
        "name": source.name,
        "sha256": source.sha256,
        "signed": form.signed,
        "usage_rights": form.usage_rights,
        "xfa": form.xfa.value,
        "tagged": form.tagged,
        "encrypted": form.encrypted,
        "restrictions": list(form.restrictions),
        "refusal": _refusal(source),
        "notes": list(dict.fromkeys(notes)),
        "pages": pages,
    }


def _page_facts(page: Page) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "index": page.index,
        "width": round(page.width, 2),
        "height": round(page.height, 2),
        "rotation": page.frame.rotation,
        "user_unit": page.frame.user_unit,
        "notes": list(page.notes),
    }
    if page.primitives is not None:
        kinds = Counter(page.primitives.shapes.kind.tolist())
        facts["words"] = len(page.primitives.words)
        facts |= {f"{kind.name.lower()}s": kinds[kind] for kind in ShapeKind}
        facts["tokens"] = len(page_tokens(page.primitives, page.width, page.height))
        facts["evidence"] = len(derive_evidence(page.primitives, page.width, page.height))
    return facts


def _widget_facts(found: PageWidgets) -> dict[str, Any]:
    kinds = Counter(widget.kind for widget in found.widgets)
    facts: dict[str, Any] = {kind.value: kinds[kind] for kind in KINDS}
    facts["rejected"] = {
        f"{kind.value + ', ' if kind else ''}{reason.value}": count
        for (kind, reason), count in sorted(found.rejected.items(), key=str)
    }
    return facts


def _refusal(source: Source) -> str | None:
    try:
        check_writable(source, force=False)
    except Refused as refusal:
        return str(refusal)
    return None


_COLUMNS = ("words", "lines", "rects", "paths", "images", "tokens")


def _print(facts: dict[str, Any]) -> None:
    say_notes(facts["notes"])
    console = wide_console()
    console.print(f"{facts['name']}  sha256 {facts['sha256'][:12]}…", soft_wrap=True)
    told = [name for name in ("signed", "usage_rights", "tagged", "encrypted") if facts[name]]
    told += [f"{facts['xfa']} XFA"] if facts["xfa"] != "none" else []
    console.print(", ".join(told).replace("_", " ") or "not signed, no XFA, untagged", soft_wrap=True)
    if facts["refusal"]:
        console.print(f"recover would refuse: {facts['refusal']}", soft_wrap=True)
    # One blank between columns, so that the size is not cut on a terminal of 80.
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for name in ("page", "size (pt)", "text", "choice", "sign", *_COLUMNS):
        table.add_column(name, no_wrap=name == "size (pt)")
    for page in facts["pages"]:
        fields = page["fields"]
        table.add_row(
            str(page["index"] + 1),
            f"{page['width']:g}x{page['height']:g}" + (f" ↻{page['rotation']}" if page["rotation"] else ""),
            *(str(fields[kind.value] or "") for kind in KINDS),
            *(str(page.get(name, "-")) for name in _COLUMNS),
        )
    console.print(table)
    rejected: Counter[str] = Counter()
    for page in facts["pages"]:
        rejected.update(page["fields"]["rejected"])
    for reason, count in rejected.items():
        console.print(
            f"{count} existing {'field does' if count == 1 else 'fields do'} not count: {reason}",
            soft_wrap=True,
        )
