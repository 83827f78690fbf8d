# SPDX-License-Identifier: Apache-2.0
"""A form under review on disk: found, resumed, saved, and never overwritten by one who does not know it."""

import io
import json
import sqlite3

import numpy as np
import pikepdf
import pytest

from acromeld.detect.candidates import PageCandidates
from acromeld.detect.registry import load_detector
from acromeld.errors import BadFields, OutputProblem
from acromeld.fields import DetectorRef, OperatingPoint
from acromeld.form.describe.signing import Signatures
from acromeld.pdf.page import PageNeeds
from acromeld.review.fields_file import write_fields_file
from acromeld.review.fillable import Occupied, finished, save_fillable
from acromeld.review.form import ReviewForm, Stage
from acromeld.review.memory import Memory, Status
from acromeld.review.places import fields_path, fillable_path, is_result
from acromeld.review.reader import PageReader
from acromeld.review.revision import Change, Stale
from acromeld.review.state import Thresholds, in_form
from tests.form.samples import EXAMPLE
from tests.review.made import FIELDS, NAME, document, flat_pdf, put_form, saved_fields, widgets


@pytest.fixture(scope="module")
def reader():
    reader = PageReader()
    yield reader
    reader.close()


@pytest.fixture
def opened(tmp_path, reader):
    """A form with a fields file, open."""
    return open_form(put_form(tmp_path), reader)


def open_form(pdf, reader) -> ReviewForm:
    form = ReviewForm(pdf, reader)
    form.start(lambda: load_detector("rules"))
    assert form.opening.stage is Stage.READY, form.opening.message
    return form


def moved(form: ReviewForm, name: str, by: float) -> Change:
    """A change of one field of the first page."""
    state = form.state()
    fields = tuple(
        field.model_copy(update={"box": (field.box[0] + by, *field.box[1:])}) if field.id == name else field
        for field in state.pages[0].fields
    )
    return Change(base=state.revision, pages={0: fields})


def test_detection_keeps_what_recover_would_write_and_the_candidates_below(tmp_path, reader):
    pdf = tmp_path / "form.pdf"
    pdf.write_bytes(flat_pdf())
    state = open_form(pdf, reader).state()
    found = load_detector("rules")
    assert state.thresholds == Thresholds.of(found.operating_point)
    inside = [field for field in state.pages[0].fields if in_form(field, state.thresholds)]
    outside = [field for field in state.pages[0].fields if not in_form(field, state.thresholds)]
    assert inside
    assert outside
    assert max(field.score for field in outside) < state.thresholds.text
    assert [field.id for field in saved_fields(pdf).pages[0].fields] == [
        field.id for field in sorted(inside, key=lambda field: field.box[1])
    ]
    assert len({field.id for field in state.pages[0].fields}) == len(state.pages[0].fields)


class Unsure:
    """Sees the line to sign of the sample form, and takes it for a doubtful text field."""

    ref, needs, cap = DetectorRef(name="unsure"), PageNeeds(), 896
    operating_point = OperatingPoint(text=0.5, choice=0.5, signature=0.7)
    line = (258.5, 698.0, 546.8, 717.1)

    def detect(self, pages):
        box, kind = np.array([self.line]), np.zeros(1, dtype=np.int64)
        seen = PageCandidates(box, kind, np.array([0.3]), ("made up",))
        return [seen if page.index == 0 else PageCandidates.empty() for page in pages]


@pytest.mark.parametrize(("wish", "kinds"), [("auto", ["signature"]), ("text", ["text"]), ("pen", [])])
def test_a_line_to_sign_is_in_the_form_as_wished_and_offered_once(tmp_path, reader, wish, kinds):
    pdf = tmp_path / "form.pdf"
    pdf.write_bytes(EXAMPLE.read_bytes())
    form = ReviewForm(pdf, reader, signatures=Signatures(wish))
    form.start(Unsure)
    state = form.state()
    assert [field.kind for field in saved_fields(pdf).pages[0].fields] == kinds
    assert [field.box for field in state.pages[0].fields] == [Unsure.line]
    assert [in_form(field, state.thresholds) for field in state.pages[0].fields] == [bool(kinds)]


def test_a_save_is_on_the_disk_and_comes_back(opened, reader):
    opened.save(moved(opened, "name", 7))
    assert saved_fields(opened.pdf).pages[0].fields[0].box == (107, 60, 260, 78)
    again = open_form(opened.pdf, reader).state()
    assert again.pages[0].fields[0].box == (107, 60, 260, 78)
    assert again.revision == opened.state().revision


def test_a_lower_threshold_needs_no_page_to_be_sent(opened):
    change = Change(base=opened.state().revision, thresholds=Thresholds(text=0.9, choice=0.3, signature=0.3))
    opened.save(change)
    assert {field.id for field in saved_fields(opened.pdf).pages[0].fields} == {"name", "agree", "sign"}


def test_one_who_does_not_know_the_latest_revision_is_told(opened):
    first, second = moved(opened, "name", 1), moved(opened, "street", 1)
    opened.save(first)
    before = fields_path(opened.pdf).read_bytes()
    with pytest.raises(Stale):
        opened.save(second)
    assert fields_path(opened.pdf).read_bytes() == before


def test_taking_over_overwrites_on_purpose(opened):
    first, second = moved(opened, "name", 1), moved(opened, "street", 1)
    opened.save(first)
    opened.save(second.model_copy(update={"take_over": True}))
    boxes = {field.id: field.box[0] for field in saved_fields(opened.pdf).pages[0].fields}
    assert boxes["name"] == 100
    assert boxes["street"] == 101


def test_two_programs_on_one_form_notice_each_other(opened, reader):
    other = open_form(opened.pdf, reader)
    mine = moved(opened, "name", 1)
    other.save(moved(other, "street", 5))
    with pytest.raises(Stale):
        opened.save(mine)
    assert opened.state().pages[0].fields[1].box[0] == 105


def test_an_edit_of_the_fields_file_is_not_overwritten(opened, reader):
    change = moved(opened, "name", 1)
    edited = document(opened.pdf, fields=(NAME.model_copy(update={"tooltip": "by hand"}),))
    write_fields_file(opened.pdf, edited, overwrite=True)
    with pytest.raises(Stale):
        opened.save(change)
    state = open_form(opened.pdf, reader).state()
    inside = [field for field in state.pages[0].fields if in_form(field, state.thresholds)]
    assert [field.tooltip for field in inside] == ["by hand"]


def edit(pdf) -> None:
    """What somebody does to the fields file while the form is open: one field left, with another label."""
    edited = document(pdf, fields=(NAME.model_copy(update={"tooltip": "by hand"}),))
    write_fields_file(pdf, edited, overwrite=True)


def test_an_edit_of_the_fields_file_can_be_loaded_into_the_open_form(opened):
    change = moved(opened, "name", 1)
    edit(opened.pdf)
    with pytest.raises(Stale):
        opened.save(change)
    state = opened.state()
    assert [field.tooltip for field in state.fields().pages[0].fields] == ["by hand"]
    assert state.revision > change.base
    assert opened.state().revision == state.revision
    opened.save(moved(opened, "name", 1))
    (field,) = saved_fields(opened.pdf).pages[0].fields
    assert (field.tooltip, field.box[0]) == ("by hand", 101)


def test_preview_and_fillable_pdf_are_those_of_an_edited_fields_file(opened):
    edit(opened.pdf)
    with pikepdf.open(io.BytesIO(finished(opened).data)) as pdf:
        assert len(pdf.Root.AcroForm.Fields) == 1
    edited = document(opened.pdf, fields=FIELDS[:2])
    write_fields_file(opened.pdf, edited, overwrite=True)
    target, _ = save_fillable(opened)
    assert [name for _, name, _ in widgets(target)] == ["Name", "Street"]


def test_a_fields_file_that_became_unusable_is_told_and_not_passed_over(opened):
    fields_path(opened.pdf).write_text("{", "utf-8")
    with pytest.raises(BadFields):
        opened.state()
    with pytest.raises(BadFields):
        save_fillable(opened)


@pytest.mark.parametrize("place", ["statement", "commit"])
def test_a_memory_that_cannot_be_written_does_not_lock_the_window_out(opened, monkeypatch, place):
    change = moved(opened, "name", 4)
    full = sqlite3.OperationalError("database or disk is full")
    if place == "statement":
        monkeypatch.setattr("acromeld.review.form.put_form", lambda *_: (_ for _ in ()).throw(full))
    else:
        monkeypatch.setattr("acromeld.review.memory.sqlite3.connect", failing_commit(full))
    with pytest.raises(OutputProblem, match="disk is full"):
        opened.save(change)
    monkeypatch.undo()
    with pytest.raises(Stale):
        opened.save(change)
    assert opened.state().revision > change.base
    opened.save(moved(opened, "name", 1))
    assert saved_fields(opened.pdf).pages[0].fields[0].box[0] == 105


def failing_commit(error):
    """A ``sqlite3.connect`` whose connections fail at the last step, as on a full disk."""

    class Connection(sqlite3.Connection):
        def execute(self, statement, *rest):
            if statement == "commit":
                raise error
            return super().execute(statement, *rest)

    connect = sqlite3.connect
    return lambda *args, **options: connect(*args, factory=Connection, **options)


def test_a_crash_between_file_and_memory_loses_nothing(opened, reader, monkeypatch):
    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("acromeld.review.form.put_form", crash)
    with pytest.raises(KeyboardInterrupt):
        opened.save(moved(opened, "name", 9))
    monkeypatch.undo()
    state = open_form(opened.pdf, reader).state()
    assert next(field for field in state.pages[0].fields if field.id == "name").box[0] == 109


def test_a_lost_memory_loses_no_field(opened, reader):
    opened.save(moved(opened, "name", 3))
    opened.memory.path.unlink()
    state = open_form(opened.pdf, reader).state()
    assert len(state.pages[0].fields) == len(FIELDS)
    assert state.fields().pages[0].fields[0].box[0] == 103


def test_a_fields_file_of_another_pdf_stops_the_review_and_stays(tmp_path, reader):
    pdf = put_form(tmp_path)
    pdf.write_bytes(flat_pdf(3))
    before = fields_path(pdf).read_bytes()
    form = ReviewForm(pdf, reader)
    form.start(lambda: load_detector("rules"))
    assert form.opening.stage is Stage.FAILED
    assert "another version of form.pdf" in form.opening.message
    assert fields_path(pdf).read_bytes() == before
    assert Memory(tmp_path).lines()["form.pdf"].status is Status.FAILED


def test_opening_can_be_given_up_and_leaves_nothing(tmp_path, reader):
    pdf = tmp_path / "form.pdf"
    pdf.write_bytes(flat_pdf(2))
    form = ReviewForm(pdf, reader)
    form.stop()
    form.start(lambda: load_detector("rules"))
    assert form.opening.stage is Stage.DETECTING
    assert not fields_path(pdf).exists()
    assert "form.pdf" not in Memory(tmp_path).lines()


def test_a_surprise_while_opening_is_told(tmp_path, reader):
    pdf = tmp_path / "form.pdf"
    pdf.write_bytes(flat_pdf())
    form = ReviewForm(pdf, reader)
    form.start(lambda: 1 / 0)
    assert form.opening.stage is Stage.FAILED
    assert "ZeroDivisionError" in form.opening.message


def test_the_fillable_pdf_stands_beside_the_original(opened):
    original = opened.pdf.read_bytes()
    target, written = save_fillable(opened)
    assert target == fillable_path(opened.pdf)
    assert written.written == len(FIELDS)
    assert opened.pdf.read_bytes() == original
    assert [name for _, name, _ in widgets(target)] == ["Name", "Street", "I agree", "Signature"]


def test_the_fillable_pdf_goes_over_its_own_earlier_version_and_nothing_else(opened):
    target, _ = save_fillable(opened)
    opened.save(moved(opened, "name", 5))
    save_fillable(opened)
    assert widgets(target)[0][2] == (105.0, 60.0, 260.0, 78.0)
    target.write_bytes(b"somebody else's")
    with pytest.raises(Occupied):
        save_fillable(opened)
    other, _ = save_fillable(opened, another=True)
    assert other.name == "form.fillable-2.pdf"
    assert target.read_bytes() == b"somebody else's"
    assert is_result(other)
    save_fillable(opened, overwrite=True)
    with pikepdf.open(target) as pdf:
        assert "/AcroForm" in pdf.Root


@pytest.mark.parametrize("original", ["Form.pdf", "Form.PDF", "Form.Pdf"])
@pytest.mark.parametrize("copy", ["Form.fillable.pdf", "Form.fillable-2.pdf", "Form.fillable.PDF"])
def test_results_are_known_whatever_the_case_of_the_ending(tmp_path, original, copy):
    (tmp_path / copy).write_bytes(b"")
    assert not is_result(tmp_path / copy)
    (tmp_path / original).write_bytes(b"")
    assert is_result(tmp_path / copy)
    assert not is_result(tmp_path / original)


def test_status_goes_from_new_to_review_to_done_and_back(opened):
    assert opened.status() is Status.NEW
    assert opened.begin() is Status.REVIEW
    opened.memory.set_status(opened.pdf.name, Status.DONE)
    assert opened.begin() is Status.DONE
    opened.save(moved(opened, "name", 1))
    assert opened.status() is Status.REVIEW


def test_what_is_saved_is_what_apply_reads(opened):
    text = fields_path(opened.pdf).read_text("utf-8")
    assert "verdict" not in text
    assert json.loads(text)["schema"] == "acromeld.fields/1"
