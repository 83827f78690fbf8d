# SPDX-License-Identifier: Apache-2.0
"""The trainer on made-up forms: what it learns from them, packed, unpacked and used."""

import pytest

from acromeld.errors import IntegrityError
from acromeld.form.describe.label_weights import pack, unpack
from acromeld.form.describe.labels import LabelReader
from acromeld.form.describe.surroundings import look_around
from acromeld.pdf.widgets import NativeWidget
from acromeld.train.labels import fitting
from acromeld.train.labels.examples import page_examples, thinned
from tests.form.describe.pages import TEXT, page_of, text, words_at

NAMES = ("Surname", "First name", "Street", "Town", "Country", "Telephone", "Occupation", "Employer")


def _form(number):
    """Eight lines whose labels stand to the left, with other words below them."""
    rows = [(name, 60.0, 100.0 + 40 * place) for place, name in enumerate(NAMES)]
    rows += [(f"hint {place} {number}", 180.0, 114.0 + 40 * place) for place in range(len(NAMES))]
    widgets = [
        NativeWidget(TEXT, (180.0, 90.0 + 40 * place, 400.0, 102.0 + 40 * place), tooltip=name)
        for place, name in enumerate(NAMES)
    ]
    return page_of(words_at(rows)), widgets


@pytest.fixture(scope="module")
def pages():
    made = [page_examples(*_form(number), f"document {number}", f"group {number}") for number in range(24)]
    return [page for page in made if page is not None]


def test_the_target_of_a_text_is_its_token_f1(pages):
    page = pages[0]
    assert page.target.max() == 1.0
    assert page.target.min() == 0.0
    assert all(words is not None for words in page.truth)


def test_a_field_with_a_tooltip_that_is_nowhere_teaches_nothing():
    page, widgets = _form(0)
    strange = [NativeWidget(TEXT, widget.box, tooltip="Entirely different") for widget in widgets]
    examples = page_examples(page, strange, "document", "group")
    assert examples is not None
    assert len(examples.target) == 0
    assert set(examples.truth) == {None}


def test_thinning_keeps_some_fields_of_every_document(pages):
    thin = thinned(pages, 2)
    assert [sum(words is not None for words in page.truth) for page in thin] == [2] * len(pages)
    assert all(len(set(page.found.field.tolist())) == 2 for page in thin)


def test_what_was_trained_can_be_packed_and_used(pages, monkeypatch):
    monkeypatch.setattr(fitting, "ROUNDS", {"single": 20, "pair": 20, "kind": 5})
    said: list[str] = []
    models = fitting.fit_all(pages, threads=1, log=said.append)
    data = pack(fitting.as_onnx(models), fitting.feature_names(pages))
    assert data == pack(fitting.as_onnx(models), fitting.feature_names(pages))
    assert any(line.startswith("Pairs") for line in said)
    page, widgets = _form(99)
    around = look_around(page, [text(*widget.box) for widget in widgets])
    assert [label.text for label in LabelReader(around, unpack(data)).labels()] == list(NAMES)


def test_other_files_are_refused():
    with pytest.raises(IntegrityError, match="not a weights file"):
        unpack(b"nothing of the kind")
    scorer = unpack(
        pack(
            dict.fromkeys(("single", "pair", "kind"), b""), dict.fromkeys(("single", "pair", "kind"), ("x",))
        )
    )
    with pytest.raises(IntegrityError, match="other features"):
        scorer.single({"y": None})
