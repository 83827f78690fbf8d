# SPDX-License-Identifier: Apache-2.0
"""Whole documents: same seed, same bytes; widgets that read back as planned; the mix of classes."""

import io
import json
from collections import Counter

import numpy as np
import pikepdf
import pypdfium2 as pdfium
import pytest

from acromeld.cli import run
from acromeld.corpus.synth import generate, generate_corpus
from acromeld.corpus.synth.grammars import GRAMMARS
from acromeld.errors import AcromeldError
from acromeld.fields import FieldKind
from acromeld.pdf.source import page_frame
from acromeld.pdf.widgets import page_widgets

SAMPLE = 50


@pytest.fixture(scope="module")
def documents():
    return [generate(11, index) for index in range(SAMPLE)]


def read_back(document):
    with pikepdf.open(io.BytesIO(document.data)) as pdf:
        frames = [page_frame(page) for page in pdf.pages]
        return [(frame, page_widgets(page, frame)) for page, frame in zip(pdf.pages, frames, strict=True)]


@pytest.mark.parametrize("fonts", ["system", "builtin"])
def test_same_seed_same_bytes(fonts):
    for index in range(4):
        assert generate(5, index, fonts=fonts).data == generate(5, index, fonts=fonts).data


def test_another_seed_or_index_gives_another_document():
    hashes = {generate(seed, index).sha256 for seed in (1, 2) for index in range(4)}
    assert len(hashes) == 8


def test_kinds_of_pages_can_be_weighed():
    only = {grammar.name: 0.0 for grammar in GRAMMARS} | {"timesheet": 1.0}
    pages = [page for index in range(3) for page in generate(5, index, weigh=only).pages]
    assert {page.grammar for page in pages} == {"timesheet"}
    assert generate(5, 0, weigh={}).data == generate(5, 0).data
    for wrong in ({"no such page": 1.0}, {"timesheet": -1.0}, {grammar.name: 0.0 for grammar in GRAMMARS}):
        with pytest.raises(AcromeldError):
            generate(5, 0, weigh=wrong)


def test_the_command_refuses_weights_it_does_not_understand(tmp_path, capsys):
    for wrong in ("timesheet", "timesheet=many", "no such page=1", "timesheet=nan"):
        assert run(["synth", str(tmp_path / "out"), "--seed", "1", "--weigh", wrong]) != 0
        assert not (tmp_path / "out").exists()
    weighed = ["--weigh", "timesheet=9", "dense table=2", "--documents", "2"]
    assert run(["synth", str(tmp_path / "out"), "--seed", "1", *weighed]) == 0
    assert "2 documents" in capsys.readouterr().out


def test_builtin_fonts_embed_nothing_from_the_machine():
    for index in range(6):
        with pikepdf.open(io.BytesIO(generate(2, index, fonts="builtin").data)) as pdf:
            fonts = [
                item for item in pdf.objects if isinstance(item, pikepdf.Dictionary) and "/BaseFont" in item
            ]
            names = {str(font.BaseFont).split("+")[-1].lstrip("/").split("-")[0] for font in fonts}
        assert names <= {"Helvetica", "Times", "Courier", "ZapfDingbats", "BitstreamVeraSans"}


def test_widgets_read_back_as_planned(documents):
    for document in documents:
        for plan, (frame, found) in zip(document.pages, read_back(document), strict=True):
            assert not found.rejected
            assert (frame.width, frame.height) == pytest.approx((plan.width, plan.height), abs=0.01)
            assert [widget.kind for widget in found.widgets] == [spec.control.kind for spec in plan.controls]
            for widget, spec in zip(found.widgets, plan.controls, strict=True):
                assert widget.box == pytest.approx(spec.box, abs=0.02)
                assert 0 <= widget.box[0] < widget.box[2] <= frame.width
                assert 0 <= widget.box[1] < widget.box[3] <= frame.height
                assert widget.multiline == spec.multiline
                assert widget.comb == (spec.comb or None)
                assert widget.radio == bool(spec.control.value == "radio")


def test_fields_have_names_of_their_own_and_radio_buttons_share_theirs(documents):
    for document in documents:
        widgets = [widget for _, page in read_back(document) for widget in page.widgets]
        single = Counter(widget.name for widget in widgets if not widget.radio)
        groups = Counter(widget.name for widget in widgets if widget.radio)
        assert all(count == 1 for count in single.values())
        assert "" not in single
        assert not single.keys() & groups.keys()


def test_words_do_not_run_through_fields(documents):
    for document in documents:
        for plan in document.pages:
            for spec in plan.controls:
                assert not [text for box, text in plan.texts if _collides(spec, box, text)]


def _collides(spec, box, text):
    """A label may lie in its own field (authors stretch fields over whole cells); blanks are meant to."""
    if text == spec.label or not any(char.isalnum() for char in text) or len(text) == 1:
        return False
    width = min(spec.box[2], box[2]) - max(spec.box[0], box[0])
    height = min(spec.box[3], box[3]) - max(spec.box[1], box[1])
    return min(width, height) > 2.5


def test_class_shares_and_density_stay_near_the_papers_synthetic_row(documents):
    counts = sum((document.counts() for document in documents), Counter())
    pages = [plan for document in documents for plan in document.pages]
    usual = [len(plan.controls) for plan in pages if plan.grammar != "densest"]
    total = counts.total()
    assert 0.65 < counts[FieldKind.TEXT] / total < 0.95
    assert 0.03 < counts[FieldKind.CHOICE] / total < 0.3
    assert 0.015 < counts[FieldKind.SIGNATURE] / total < 0.12
    assert 2.2 < len(pages) / SAMPLE < 4.2
    assert 5 < np.mean(usual) < 20
    assert 0.08 < np.mean([count == 0 for count in usual]) < 0.45
    assert len({document.language for document in documents}) >= 5


def test_pages_render_with_a_plausible_amount_of_ink(documents):
    for document in documents[:8]:
        pdf = pdfium.PdfDocument(document.data)
        pixels = pdf[0].render(scale=1, may_draw_forms=False, draw_annots=False).to_numpy()
        assert 0.001 < np.mean(pixels < 128) < 0.5
        pdf.close()


def test_corpus_folder_is_the_same_for_any_number_of_workers(tmp_path):
    calls = []
    rows = generate_corpus(tmp_path / "a", 9, 5, progress=lambda done, total: calls.append((done, total)))
    assert generate_corpus(tmp_path / "b", 9, 5, workers=2) == rows
    assert calls == [(done, 5) for done in range(1, 6)]
    manifests = [(tmp_path / name / "manifest.jsonl").read_bytes() for name in "ab"]
    assert manifests[0] == manifests[1]
    assert [json.loads(line) for line in manifests[0].splitlines()] == rows
    for row in rows:
        one, two = ((tmp_path / name / "pdf" / f"{row['sha256']}.pdf").read_bytes() for name in "ab")
        assert one == two


def test_manifest_rows_tell_the_truth(tmp_path):
    for index, row in enumerate(generate_corpus(tmp_path, 4, 3)):
        document = generate(4, index)
        found = Counter(widget.kind.value for _, page in read_back(document) for widget in page.widgets)
        assert row["sha256"] == document.sha256
        assert row["pages"] == len(document.pages)
        assert row["fields"] == {kind: found[kind] for kind in ("choice", "signature", "text")}
        assert (row["source"], row["scan"], row["group"]) == ("synthetic", False, document.sha256[:12])
