# SPDX-License-Identifier: Apache-2.0
"""The rules about the document around its fields: what a flat page lacks stays lacking, and is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.identity import metadata_title
from acromeld.form.objects import as_dict, catalog, dict_at, flag_at
from acromeld.form.report import finding
from acromeld.pdf.widgets import annotation_dicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pikepdf import Dictionary, Pdf

    from acromeld.form.report import Finding

_FILES = ("/FontFile", "/FontFile2", "/FontFile3")
_MAX_DEPTH = 6
_TAGGING = "Fields cannot make up for untagged text: tag the document where it was made, or in a PDF editor."


def page_findings(pdf: Pdf) -> Iterator[Finding]:
    """Check the document and its pages."""
    root = catalog(pdf)
    marked = dict_at(root, "/MarkInfo")
    declared = marked is not None and flag_at(marked, "/Marked")
    yield _single("The document is declared tagged", ("6.2-1", "6.2-1"), declared, "/MarkInfo", _TAGGING)
    pages = list(pdf.pages)
    flat = [f"page {number}" for number, page in enumerate(pages, 1) if "/StructParents" not in page.obj]
    yield finding("The text of every page is tagged", ("7.1-3", "8.2.2-1"), flat, len(pages), _TAGGING)
    has_metadata = isinstance(root.get("/Metadata"), pikepdf.Stream)
    yield _single("There is metadata", ("7.1-8", "8.11.1-2"), has_metadata, "/Metadata")
    yield _single("The metadata has a title", ("7.1-9", "8.11.1-1"), bool(metadata_title(pdf)), "dc:title")
    preferences = dict_at(root, "/ViewerPreferences")
    shown = preferences is not None and flag_at(preferences, "/DisplayDocTitle")
    yield _single("Viewers show the title", ("7.1-10", "8.11.2-1"), shown, "/DisplayDocTitle")
    yield _links(pdf)
    yield _fonts(pdf)


def _single(rule: str, clauses: tuple[str, str], kept: bool, what: str, advice: str = "") -> Finding:
    return finding(rule, clauses, [] if kept else [what], 1, advice)


def _links(pdf: Pdf) -> Finding:
    links = [
        (number, item)
        for number, page in enumerate(pdf.pages, 1)
        for item in annotation_dicts(page)
        if item.get("/Subtype") == "/Link"
    ]
    bad = [f"page {number}" for number, item in links if "/StructParent" not in item]
    return finding("Links are tagged", ("7.18.5-1", "8.2.5.20-1"), bad, len(links), _TAGGING)


def _fonts(pdf: Pdf) -> Finding:
    """Fonts of pages and of fields; a viewer replaces what is not embedded."""
    fonts: dict[str, bool] = {}
    seen: set[tuple[int, int]] = set()
    for page in pdf.pages:
        _gather(as_dict(page.obj.get("/Resources")), fonts, seen, _MAX_DEPTH)
        for item in annotation_dicts(page):
            look = dict_at(item, "/AP")
            normal = look.get("/N") if look is not None else None
            if isinstance(normal, pikepdf.Stream):
                _gather(as_dict(normal.get("/Resources")), fonts, seen, _MAX_DEPTH)
    bad = sorted(name for name, embedded in fonts.items() if not embedded)
    advice = "The font of new fields is one that every viewer has; embed the others where the form was made."
    return finding("Fonts are embedded", ("7.21.4.1-1", "8.4.5.5.1-1"), bad, len(fonts), advice)


def _gather(
    resources: Dictionary | None, fonts: dict[str, bool], seen: set[tuple[int, int]], depth: int
) -> None:
    """Add the fonts of resources and of the forms among them; each form is ``seen`` once."""
    for font in (dict_at(resources, "/Font") or pikepdf.Dictionary()).values():
        node = as_dict(font)
        if node is not None and node.get("/Subtype") != "/Type3":
            name = str(node.get("/BaseFont", "/unnamed"))[1:]
            fonts[name] = fonts.get(name, True) and _is_embedded(node)
    for drawn in (dict_at(resources, "/XObject") or pikepdf.Dictionary()).values():
        if depth and isinstance(drawn, pikepdf.Stream) and drawn.objgen not in seen:
            seen.add(drawn.objgen)
            _gather(as_dict(drawn.get("/Resources")), fonts, seen, depth - 1)


def _is_embedded(font: Dictionary) -> bool:
    """Composite fonts keep their descriptor in a descendant."""
    descendants = font.get("/DescendantFonts")
    inner = as_dict(descendants[0]) if isinstance(descendants, pikepdf.Array) and len(descendants) else font
    descriptor = dict_at(inner, "/FontDescriptor")
    return descriptor is not None and any(key in descriptor for key in _FILES)
