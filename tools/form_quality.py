# SPDX-License-Identifier: Apache-2.0
"""How good names, kinds, groups and order are: native widgets stripped of them, held against the authors'.

    python tools/form_quality.py INDEX CORPUS [--role development] [--limit N] [--json OUT]

Prints aggregate figures only. The bootstrap draws provenance groups.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.errors import AcromeldError
from acromeld.evaluate.form.relations import Relations, relation_tables
from acromeld.evaluate.form.report import Quality, quality_tables
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds

if TYPE_CHECKING:
    from acromeld.corpus.index import DocumentRow


def measure(row: DocumentRow, corpus: Path, quality: Quality, relations: Relations) -> None:
    """Add the pages of one document that have fields."""
    with open_document(corpus / f"{row.sha256}.pdf") as document:
        for index in range(len(document)):
            widgets = document.widgets(index).widgets
            if widgets:
                page = document.read_page(index, PageNeeds())
                quality.add(page, widgets, row.sha256, row.final_group)
                relations.add(page, widgets, row.sha256, row.final_group)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--role", type=Role, default=Role.DEVELOPMENT, choices=list(Role))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    console, quality, relations = Console(), Quality(), Relations()
    with open_index(options.index) as index:
        rows = index.documents(options.role)[: options.limit]
    for row in track(rows, "Describing forms", console=Console(stderr=True)):
        try:
            measure(row, options.corpus, quality, relations)
        except AcromeldError as error:
            console.print(f"{row.sha256[:12]} was left out: {error}")
    for table in (*quality_tables(quality), *relation_tables(relations)):
        console.print(table)
    if options.json is not None:
        options.json.write_text(json.dumps(quality.figures() | relations.figures(), indent=1) + "\n")


if __name__ == "__main__":
    main()
