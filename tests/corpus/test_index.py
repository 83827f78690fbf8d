# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
import shutil
import sqlite3
from pathlib import Path

import pytest
from rich.console import Console

from acromeld.corpus.build import build_index
from acromeld.corpus.index import open_index, seal
from acromeld.corpus.roles import Role
from acromeld.corpus.schema import TABLES, content_digests, create_tables, insert
from acromeld.corpus.show import render, summarise
from acromeld.corpus.verify import verify_files
from acromeld.errors import InputNotFound, IntegrityError, OutputProblem
from acromeld.fields import FieldKind
from tests.corpus.tiny_forms import form_pdf, layout, prose, varied_documents, write_corpus


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of thirty real and two synthetic documents with its sealed index, not to be changed."""
    folder = tmp_path_factory.mktemp("corpus")
    documents = varied_documents(30, signed=12)
    documents["broken.pdf"] = b"not a PDF at all"
    real = write_corpus(folder / "real", documents)
    made = write_corpus(
        folder / "made", {"s1.pdf": form_pdf([(prose(901), layout(901))]), "s2.pdf": form_pdf([("", [])])}
    )
    build_index(folder / "real", real, folder / "index.sqlite", synthetic=(folder / "made", made))
    seal(folder / "index.sqlite")
    return folder


@pytest.fixture
def corpus(built: Path, tmp_path: Path) -> Path:
    """A copy to be damaged."""
    shutil.copytree(built, tmp_path / "corpus")
    return tmp_path / "corpus"


def test_documents_pages_and_widgets_are_as_in_the_files(tmp_path: Path) -> None:
    widgets = [("text", (100, 500, 200, 520)), ("choice", (10, 10, 20, 20)), ("signature", (50, 50, 200, 80))]
    bad = [("text", (100, 100, 100.5, 120)), ("signature", (900, 100, 950, 120))]
    pdf = form_pdf([("Name and address", widgets + bad), ("", [])], size=(792, 612))
    manifest = write_corpus(tmp_path / "pdf", {"a.pdf": pdf}, {"a.pdf": "g"})
    report = build_index(tmp_path / "pdf", manifest, tmp_path / "i.sqlite")
    assert (report.documents, report.pages, report.widgets) == (1, 2, 3)
    seal(tmp_path / "i.sqlite")
    with open_index(tmp_path / "i.sqlite") as index:
        document = index.documents()[0]
        assert (document.file, document.source, document.final_group) == ("a.pdf", "test", "g")
        assert document.bytes == len(pdf)
        first, second = index.pages()
        assert (first.width, first.height, first.orientation) == (792, 612, "landscape")
        assert (first.text, first.choice, first.signature, first.structure) == (1, 1, 1, 1)
        assert (second.fields, second.structure) == (0, 0)
        truth = index.widgets(document.sha256, 0)
        assert [widget.kind for widget in truth] == [FieldKind.TEXT, FieldKind.CHOICE, FieldKind.SIGNATURE]
        assert [widget.box for widget in truth[:2]] == [(100, 92, 200, 112), (10, 592, 20, 602)]
        assert summarise(index).rejections == {
            ("signature", "off page"): 1,
            ("text", "degenerate box"): 1,
        }


def test_table_adds_up_and_names_the_densest_page(built: Path) -> None:
    with open_index(built / "index.sqlite") as index:
        summary = summarise(index)
        total = summary.rows[-1]
        assert (total.pdfs, total.pages) == (32, 32)
        assert total.fields == sum(row.fields for row in summary.rows[:-1]) == 31 * 12 + 12
        assert summary.densest is not None
        assert summary.densest.fields == 13
        assert summary.queries_suffice
        assert summary.unreadable == 1
        synthetic = next(row for row in summary.rows if row.role == "Train–synthetic")
        assert (synthetic.pdfs, synthetic.structure) == (2, 0)
        assert all(summary.signature_documents[role] for role in Role if role is not Role.TRAIN_SYNTHETIC)


def test_shown_table_has_the_columns_of_the_paper(built: Path) -> None:
    console = Console(file=io.StringIO(), width=160)
    with open_index(built / "index.sqlite") as index:
        console.print(render(summarise(index)))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    for word in ("Train–real", "Internal test", "Structure", "Signature", "896 queries suffice"):
        assert word in shown


def test_two_builds_have_one_digest_whatever_the_workers(built: Path, tmp_path: Path) -> None:
    lines = (built / "real.jsonl").read_text().splitlines()
    (tmp_path / "reversed.jsonl").write_text("\n".join(reversed(lines)))
    shutil.copy(built / "real.jsonl", tmp_path / "real.jsonl")
    digests = []
    for name, workers in (("a", 1), ("b", 2)):
        build_index(built / "real", tmp_path / "real.jsonl", tmp_path / name, workers=workers)
        digests.append(seal(tmp_path / name))
    assert digests[0] == digests[1]
    build_index(built / "real", tmp_path / "reversed.jsonl", tmp_path / "c")
    with sqlite3.connect(tmp_path / "a") as one, sqlite3.connect(tmp_path / "c") as other:
        first, second = content_digests(one), content_digests(other)
    assert {table for table in TABLES if first[table] != second[table]} == {"meta"}


def test_insert_order_does_not_change_the_digest() -> None:
    rows: list[tuple[object, ...]] = [
        ("a", 1, "text", "off page", 2),
        ("b", 0, "", "hidden", 1),
        ("a", 0, "x", "y", 3),
    ]
    digests = set()
    for order in (rows, rows[::-1], [rows[1], rows[2], rows[0]]):
        connection = sqlite3.connect(":memory:")
        create_tables(connection)
        insert(connection, "rejections", order)
        digests.add(content_digests(connection)["content"])
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("UPDATE widgets SET x0 = x0 + 0.25 WHERE rowid = 5", "widgets"),
        ("UPDATE documents SET role = 'internal-test' WHERE rowid = 1", "documents"),
        ("DELETE FROM pages WHERE rowid = 3", "pages has 31 rows instead of 32"),
        ("UPDATE meta SET value = '0.9' WHERE key = 'text_similarity'", "meta"),
        ("UPDATE seal SET digest = 'x' WHERE scope = 'content'", "the seal"),
    ],
)
def test_one_changed_row_is_refused_by_table(corpus: Path, statement: str, names: str) -> None:
    path = corpus / "index.sqlite"
    path.chmod(0o644)
    with sqlite3.connect(path) as connection:
        assert connection.execute(statement).rowcount == 1
    with pytest.raises(IntegrityError, match=names):
        open_index(path)


def test_sealed_index_cannot_be_written_or_sealed_again(corpus: Path) -> None:
    path = corpus / "index.sqlite"
    assert path.stat().st_mode & 0o222 == 0
    with open_index(path) as index, pytest.raises(sqlite3.OperationalError, match="readonly"):
        index.query("DELETE FROM pages")
    path.chmod(0o644)
    with pytest.raises(IntegrityError, match="already sealed"):
        seal(path)


def test_unsealed_foreign_and_missing_files_are_refused(built: Path, tmp_path: Path) -> None:
    build_index(built / "real", built / "real.jsonl", tmp_path / "unsealed.sqlite")
    with pytest.raises(IntegrityError, match="not sealed"):
        open_index(tmp_path / "unsealed.sqlite")
    (tmp_path / "text").write_text("no database, but long enough to have a header of its own")
    with pytest.raises(IntegrityError):
        open_index(tmp_path / "text")
    with pytest.raises(InputNotFound):
        open_index(tmp_path / "nothing")


def test_open_checks_the_registered_digest(built: Path) -> None:
    with pytest.raises(IntegrityError, match="not the registered index"):
        open_index(built / "index.sqlite", digest="0" * 64)


def test_seal_refuses_a_group_in_two_roles(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "i.sqlite"
    build_index(built / "real", built / "real.jsonl", path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE documents SET final_group = 'one'")
    with pytest.raises(IntegrityError, match="group one crosses roles"):
        seal(path)


def test_an_index_is_never_overwritten(built: Path) -> None:
    with pytest.raises(OutputProblem, match="never overwritten"):
        build_index(built / "real", built / "real.jsonl", built / "index.sqlite")


def test_build_refuses_a_file_that_is_not_the_listed_one(corpus: Path, tmp_path: Path) -> None:
    (corpus / "real" / "form003.pdf").write_bytes(form_pdf([("other", [])]))
    with pytest.raises(IntegrityError, match=r"form003\.pdf"):
        build_index(corpus / "real", corpus / "real.jsonl", tmp_path / "i.sqlite")
    assert list(tmp_path.glob("*.sqlite*")) + list(tmp_path.glob(".*")) == []


def test_build_refuses_synthetic_documents_that_are_real(built: Path, tmp_path: Path) -> None:
    part = (built / "real", built / "real.jsonl")
    with pytest.raises(IntegrityError, match="real and as a synthetic"):
        build_index(*part, tmp_path / "i.sqlite", synthetic=part)


def test_verify_names_a_file_with_one_flipped_byte(corpus: Path) -> None:
    path = corpus / "real" / "form007.pdf"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with open_index(corpus / "index.sqlite") as index:
        report = verify_files(index, corpus / "real")
    assert report.changed == ("form007.pdf",)
    assert (report.missing, report.added, report.intact) == ((), (), 30)
    assert "form007.pdf" in report.sentence()


def test_verify_names_missing_and_added_files(corpus: Path) -> None:
    (corpus / "real" / "form001.pdf").rename(corpus / "real" / "new.pdf")
    with open_index(corpus / "index.sqlite") as index:
        report = verify_files(index, corpus / "real")
        assert (report.missing, report.added, report.changed) == (("form001.pdf",), ("new.pdf",), ())
        assert not report.clean
        assert verify_files(index, corpus / "made", synthetic=True).clean


def test_synthetic_structure_counts_when_asked(built: Path, tmp_path: Path) -> None:
    build_index(
        built / "real",
        built / "real.jsonl",
        tmp_path / "i.sqlite",
        synthetic=(built / "made", built / "made.jsonl"),
        synthetic_structure=True,
    )
    seal(tmp_path / "i.sqlite")
    with open_index(tmp_path / "i.sqlite") as index:
        assert sum(page.structure for page in index.pages(Role.TRAIN_SYNTHETIC)) == 1
