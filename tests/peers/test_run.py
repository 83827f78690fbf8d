# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pikepdf
import pytest

from acromeld.errors import InputNotFound
from acromeld.fields import FieldKind, PageLine, parse_line
from acromeld.peers.commonforms.run import PageDone, predict_with
from tests.peers.doubles import FakeNetwork, dark_spot, pdf_with_square, peer, silent

PROFILES = ["plain1216", "packaged"]


def _only(data: bytes, profile: str) -> PageLine:
    (line,) = predict_with(peer(FakeNetwork(dark_spot), profile), [data])
    return parse_line(line)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_line_says_document_detector_and_page(profile: str) -> None:
    data = pdf_with_square()
    line = _only(data, profile)
    assert line.document.sha256 == hashlib.sha256(data).hexdigest()
    assert line.detector is not None
    assert (line.detector.name, line.detector.weights) == (f"commonforms-s:{profile}", "ab" * 32)
    assert (line.page.index, line.page.width, line.page.height) == (0, 612.0, 792.0)
    assert line.fields[0].kind is FieldKind.TEXT
    assert line.fields[0].score == pytest.approx(0.9)
    assert line.operating_point is None


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, (100, 252, 200, 292)),
        ({"Rotate": 90}, (500, 100, 540, 200)),
        ({"Rotate": 180}, (412, 500, 512, 540)),
        ({"Rotate": 270}, (252, 412, 292, 512)),
        ({"CropBox": pikepdf.Array([50, 300, 450, 700])}, (50, 160, 150, 200)),
        ({"CropBox": pikepdf.Array([50, 300, 450, 700]), "Rotate": 90}, (200, 50, 240, 150)),
        ({"UserUnit": 2}, (200, 504, 400, 584)),
    ],
)
def test_boxes_are_displayed_points(
    profile: str, keys: dict[str, object], expected: tuple[float, float, float, float]
) -> None:
    line = _only(pdf_with_square(**keys), profile)
    assert line.fields[0].box == pytest.approx(expected, abs=3.0 if "UserUnit" in keys else 1.5)
    assert line.notes == ()


def test_widgets_and_annotations_are_not_drawn() -> None:
    pdf = pikepdf.open(io.BytesIO(pdf_with_square((100, 500, 101, 501))))
    look = pdf.make_stream(b"0 g 0 0 100 100 re f", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form)
    look.BBox = pikepdf.Array([0, 0, 100, 100])
    common = {"Rect": pikepdf.Array([300, 300, 400, 400]), "AP": pikepdf.Dictionary(N=look), "F": 4}
    widget = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, FT=pikepdf.Name.Tx, T="a", **common
    )
    stamp = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Stamp, **common)
    pdf.pages[0].Annots = pikepdf.Array([pdf.make_indirect(widget), pdf.make_indirect(stamp)])
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array([pdf.pages[0].Annots[0]]))
    out = io.BytesIO()
    pdf.save(out)
    network = FakeNetwork(silent)
    list(predict_with(peer(network), [out.getvalue()]))
    assert (network.seen[0][0, :, 620:780, 480:600] == 1.0).all()


def test_a_known_page_does_not_run_the_network_again(tmp_path: Path) -> None:
    data = pdf_with_square(pages=3)
    first, second = FakeNetwork(dark_spot), FakeNetwork(dark_spot)
    told: list[PageDone] = []
    lines = list(predict_with(peer(first), [data], cache=tmp_path))
    again = list(predict_with(peer(second), [data], cache=tmp_path, progress=told.append))
    assert len(first.seen) == 3
    assert second.seen == []
    assert again == lines
    assert [(page.index, page.cached) for page in told] == [(0, True), (1, True), (2, True)]


def test_a_subset_of_pages_fills_the_cache_page_by_page(tmp_path: Path) -> None:
    data = pdf_with_square(pages=4)
    name = hashlib.sha256(data).hexdigest()
    network = FakeNetwork(dark_spot)
    some = list(predict_with(peer(network), [data], {name: [2, 0]}, tmp_path))
    assert [parse_line(line).page.index for line in some] == [2, 0]
    everything = list(predict_with(peer(network), [data], None, tmp_path))
    assert [parse_line(line).page.index for line in everything] == [0, 1, 2, 3]
    assert len(network.seen) == 4


def test_documents_without_wanted_pages_are_left_out() -> None:
    network = FakeNetwork(dark_spot)
    assert list(predict_with(peer(network), [pdf_with_square()], {})) == []
    assert network.seen == []


def test_stopping_in_the_middle_keeps_what_was_done(tmp_path: Path) -> None:
    data = pdf_with_square(pages=3)
    lines = predict_with(peer(FakeNetwork(dark_spot)), [data], cache=tmp_path)
    next(lines)
    next(lines)
    lines.close()
    rest = FakeNetwork(dark_spot)
    assert len(list(predict_with(peer(rest), [data], cache=tmp_path))) == 3
    assert len(rest.seen) == 1


def test_profiles_and_weights_do_not_share_cached_pages(tmp_path: Path) -> None:
    data = pdf_with_square()
    list(predict_with(peer(FakeNetwork(dark_spot)), [data], cache=tmp_path))
    other = FakeNetwork(dark_spot)
    list(predict_with(peer(other, "packaged"), [data], cache=tmp_path))
    assert len(other.seen) == 3


def test_a_damaged_cache_line_is_predicted_anew(tmp_path: Path) -> None:
    data = pdf_with_square(pages=2)
    lines = list(predict_with(peer(FakeNetwork(dark_spot)), [data], cache=tmp_path))
    (file,) = tmp_path.rglob("*.jsonl")
    file.write_text(lines[0] + "\n" + lines[1][:40])
    network = FakeNetwork(dark_spot)
    assert list(predict_with(peer(network), [data], cache=tmp_path)) == lines
    assert len(network.seen) == 1


def test_a_page_that_is_not_there_is_a_sentence() -> None:
    data = pdf_with_square()
    wanted = {hashlib.sha256(data).hexdigest(): [7]}
    with pytest.raises(InputNotFound, match="no page with index 7"):
        list(predict_with(peer(FakeNetwork(silent)), [data], wanted))
