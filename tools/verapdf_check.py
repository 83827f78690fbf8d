# SPDX-License-Identifier: Apache-2.0
"""What veraPDF says about forms: a table of the form-field rules of PDF/UA-1 and PDF/UA-2.

    python tools/verapdf_check.py FILES...                 judge the files as they are
    python tools/verapdf_check.py --recover FILES...       take out their fields, recover them, judge the
                                                           result, once untagged and once tagged
    python tools/verapdf_check.py --folder OUT ...         keep what was judged

The corpus has no structure trees, so the tagged half is made here: every text object of a page becomes a
paragraph in a new tree, nothing else. That is enough to see whether new fields fit into a tree; it does not
make a page accessible. Needs Java, see tests/verapdf.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, Operator
from rich.console import Console
from rich.progress import track
from rich.table import Table

from acromeld.errors import AcromeldError
from acromeld.form.from_widgets import strip_widgets
from acromeld.pdf.source import load_source
from acromeld.recovery import apply, recover

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.verapdf import FORM_RULES, Verdict, is_form_rule, judge

NESTING = "Table 5 (…-Form-1)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--recover", action="store_true")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory() if options.folder is None else nullcontext(options.folder) as place:
        folder = Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        files = recovered(options.files, folder, console) if options.recover else {"as given": options.files}
        for title, paths in files.items():
            console.print(table(title, judged(paths, folder)))


def judged(paths: list[Path], folder: Path) -> list[Verdict]:
    """Verdicts by the dozen, because Java starts slowly; a file that cannot be judged is listed."""
    classes = folder / "classes"
    classes.mkdir(exist_ok=True)
    batches = [paths[start : start + 12] for start in range(0, len(paths), 12)]
    verdicts: list[Verdict] = []
    for batch in track(batches, "Judging", console=Console(stderr=True)):
        try:
            verdicts += judge(batch, classes)
        except RuntimeError:
            verdicts += [verdict for path in batch for verdict in _judged_alone(path, classes)]
    return verdicts


def _judged_alone(path: Path, classes: Path) -> list[Verdict]:
    try:
        return judge([path], classes)
    except RuntimeError as error:
        print(f"{path.name}: {error}"[:300], file=sys.stderr)
        return []


def recovered(paths: list[Path], folder: Path, console: Console) -> dict[str, list[Path]]:
    """Each file without its fields, recovered as it is and after tagging."""
    files: dict[str, list[Path]] = {"untagged": [], "tagged": []}
    for path in track(paths, "Recovering", console=Console(stderr=True)):
        try:
            flat = strip_widgets(load_source(path))
            outcome = recover(flat)
            if not outcome.form.written:
                console.print(f"{path.stem[:12]}: no fields found")
                continue
            forms = {
                "untagged": outcome.form.data,
                "tagged": apply(tagged(flat), outcome.fields, force=True).data,
            }
        except (AcromeldError, pikepdf.PdfError) as error:
            console.print(f"{path.stem[:12]} was left out: {error}")
            continue
        for kind, data in forms.items():
            target = folder / f"{path.stem}.{kind}.pdf"
            target.write_bytes(data)
            files[kind].append(target)
    return files


def tagged(data: bytes) -> bytes:
    """The document with a structure tree in which every text object of a page is a paragraph."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        document = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root, K=Array()))
        root["/K"], numbers = document, Array()
        for key, page in enumerate(pdf.pages):
            content, count = _marked(page)
            page.obj["/Contents"] = pdf.make_stream(content)
            page.obj["/StructParents"] = key
            made = [_paragraph(pdf, document, page, mcid) for mcid in range(count)]
            document["/K"].extend(made)
            numbers.extend([key, pdf.make_indirect(Array(made))])
        root["/ParentTree"] = pdf.make_indirect(Dictionary(Nums=numbers))
        root["/ParentTreeNextKey"] = len(pdf.pages)
        pdf.Root["/StructTreeRoot"], pdf.Root["/MarkInfo"] = root, Dictionary(Marked=True)
        buffer = io.BytesIO()
        pdf.save(buffer, deterministic_id=True)
    return buffer.getvalue()


def _paragraph(pdf: pikepdf.Pdf, parent: pikepdf.Object, page: pikepdf.Page, mcid: int) -> pikepdf.Object:
    return pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.P, P=parent, Pg=page.obj, K=mcid))


def _marked(page: pikepdf.Page) -> tuple[bytes, int]:
    """The content with its own marks taken out and one around each text object, and how many there are."""
    instructions: list[tuple[list[object], Operator]] = []
    count = 0
    for instruction in pikepdf.parse_content_stream(page):
        code = str(instruction.operator)
        if code in ("BDC", "BMC", "EMC", "MP", "DP"):
            continue
        if code == "BT":
            instructions.append(([Name.P, Dictionary(MCID=count)], Operator("BDC")))
            count += 1
        instructions.append(instruction)  # type: ignore[arg-type]
        if code == "ET":
            instructions.append(([], Operator("EMC")))
    return pikepdf.unparse_content_stream(instructions), count


def table(title: str, verdicts: list[Verdict]) -> Table:
    """Documents and places that break each form-field rule, then the other rules that fail most."""
    shown = Table(title=f"{title}: {len({item.file for item in verdicts})} documents")
    for column in ("profile", "rule", "what it asks", "documents failing", "failures"):
        shown.add_column(column)
    for profile, rules in FORM_RULES.items():
        ours = [item for item in verdicts if item.profile == profile]
        for rule, meaning in rules.items():
            shown.add_row(profile, rule, meaning, *_counts(ours, {rule}))
        if profile == "ua2":
            nesting = {rule for item in ours for rule in item.failed if rule.startswith("Table 5")}
            nesting = {rule for rule in nesting if is_form_rule(profile, rule)}
            shown.add_row(profile, NESTING, "elements that may not hold a Form", *_counts(ours, nesting))
        others = Counter(rule for item in ours for rule in item.failed if not is_form_rule(profile, rule))
        for rule, documents in others.most_common(6):
            shown.add_row(profile, rule, "not about fields", str(documents), "", style="dim")
    return shown


def _counts(verdicts: list[Verdict], rules: set[str]) -> tuple[str, str]:
    failures = [sum(item.failed.get(rule, 0) for rule in rules) for item in verdicts]
    return str(sum(count > 0 for count in failures)), str(sum(failures))


if __name__ == "__main__":
    main()
