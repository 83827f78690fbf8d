# SPDX-License-Identifier: Apache-2.0
"""``acromeld evaluate --audit``: the same predictions on all audited pages and on the trusted ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from acromeld.cli import run
from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.evaluate.label_audit import AuditedPage, Faults, Grade, LabelAudit, to_lines
from acromeld.evaluate.truth import role_pages, role_targets
from acromeld.fields import KINDS, SCHEMA
from acromeld.provenance.digests import sha256_file

ROLE = Role.TRAIN_REAL
DOCUMENTS = 8


def _form(path: Path, number: int) -> None:
    """Two pages, one text field on each, no two documents alike."""
    pdf = pikepdf.new()
    form = pdf.Root.AcroForm = pdf.make_indirect(pikepdf.Dictionary(Fields=pikepdf.Array()))
    for index in range(2):
        pdf.add_blank_page(page_size=(612, 792))
        left, low = 40.0 + 31 * number, 100.0 + 67 * number + 11 * index
        widget = pdf.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Annot,
                Subtype=pikepdf.Name.Widget,
                FT=pikepdf.Name.Tx,
                T=pikepdf.String(f"field {index}"),
                Rect=pikepdf.Array([left, low, left + 120, low + 18]),
                F=4,
            )
        )
        pdf.pages[index].obj.Annots = pikepdf.Array([widget])
        form.Fields.append(widget)
    pdf.save(path, deterministic_id=True)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sealed index, lines that are right on first pages only, and an audit that trusts first pages only."""
    root = tmp_path_factory.mktemp("audited")
    (root / "pdf").mkdir()
    files = [root / "pdf" / f"{number}.pdf" for number in range(DOCUMENTS)]
    for number, file in enumerate(files):
        _form(file, number)
    known = [{"sha256": sha256_file(file), "file": file.name, "group": file.stem} for file in files]
    manifest = "\n".join(json.dumps(row) for row in known)
    (root / "manifest.jsonl").write_text(manifest, encoding="utf-8")
    index = root / "corpus.sqlite"
    build = ("corpus", "build", str(root / "pdf"), "--manifest", str(root / "manifest.jsonl"))
    assert run([*build, "--out", str(index)]) == 0
    assert run(["corpus", "seal", str(index)]) == 0
    with open_index(index) as opened:
        targets = role_targets(opened, role_pages(opened, ROLE))
        sealed = opened.digest
    lines, graded = [], {}
    for (document, page), target in targets.items():
        field = {"kind": KINDS[0], "box": target.box[0].tolist(), "score": 0.9}
        size = {"index": page, "width": target.width, "height": target.height}
        head = {"schema": SCHEMA, "document": {"name": "x.pdf", "sha256": document}}
        lines.append(json.dumps({**head, "page": size, "fields": [field] if page == 0 else []}))
        grade, faults = (Grade.GOOD, Faults()) if page == 0 else (Grade.NOISY, Faults(unseen=1))
        graded[document, page] = AuditedPage(document, page, grade, faults)
    (root / "lines.jsonl").write_text("\n".join(lines), encoding="utf-8")
    _write(
        root / "audit.jsonl", LabelAudit(sealed, str(ROLE), {"pages": len(graded), "seed": 0}, "me", graded)
    )
    _write(root / "other.jsonl", LabelAudit("0" * 64, str(ROLE), {"pages": 1, "seed": 0}, "me", graded))
    return root


def _write(path: Path, audit: LabelAudit) -> None:
    path.write_text("\n".join(to_lines(audit)), encoding="utf-8")


def _command(shop: Path, *more: str) -> list[str]:
    truth = ("--index", str(shop / "corpus.sqlite"), "--role", str(ROLE))
    return ["evaluate", str(shop / "lines.jsonl"), *truth, "--fixed", "--resamples", "0", "--json", *more]


def _scored(shop: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run(_command(shop, *more)) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_figures_on_trusted_pages_stand_beside_those_on_all(
    shop: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    audit = ("--audit", str(shop / "audit.jsonl"))
    everything = _scored(shop, capsys, *audit)
    assert everything["coverage"] == _scored(shop, capsys)["coverage"]
    out = tmp_path / "good.json"
    good = _scored(shop, capsys, *audit, "--grade", "good", "-o", str(out))
    noisy = _scored(shop, capsys, *audit, "--grade", "noisy")
    both = _scored(shop, capsys, *audit, "--grade", "good", "noisy")
    assert both["points"] == everything["points"]
    assert good["coverage"]["pages"] + noisy["coverage"]["pages"] == everything["coverage"]["pages"]
    assert [part["points"]["fixed"]["native"]["micro"]["recall"] for part in (good, noisy)] == [1.0, 0.0]
    assert everything["points"]["fixed"]["native"]["micro"]["recall"] == 0.5
    record = json.loads(out.read_bytes())
    assert record["truth"]["audit"]["grades"] == ["good"]
    assert record["truth"]["audit"]["digest"] in record["audit"].values()


@pytest.mark.parametrize(
    ("code", "more", "sentence"),
    [
        (3, ("--grade", "good"), "--audit"),
        (3, ("--audit", "none.jsonl"), "none.jsonl"),
        (3, ("--audit", "audit.jsonl", "--grade", "empty"), "grade empty"),
        (10, ("--audit", "other.jsonl"), "another index"),
        (10, ("--audit", "lines.jsonl"), "label-audit"),
    ],
)
def test_audits_that_do_not_fit_are_refused(
    shop: Path, capsys: pytest.CaptureFixture[str], code: int, more: tuple[str, ...], sentence: str
) -> None:
    named = [str(shop / part) if part.endswith(".jsonl") else part for part in more]
    assert run(_command(shop, *named)) == code
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_an_audit_needs_a_role(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines, audit = str(shop / "lines.jsonl"), str(shop / "audit.jsonl")
    assert run(["evaluate", lines, "--pdf", str(shop / "pdf"), "--audit", audit]) == 3
    assert "An audit is of a role" in capsys.readouterr().err
