# SPDX-License-Identifier: Apache-2.0
import io

import numpy as np
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from acromeld.pdf.limits import Limits
from tests.pdf.drawn import Form, drawn, ink_box, primitives, read, saved


def words(content, **options):
    return primitives(content, **options).words


def line(text, font="F1", size=10, at=(20, 200)):
    return f"BT /{font} {size} Tf {at[0]} {at[1]} Td ({text}) Tj ET "


def test_words_in_content_order_with_their_boxes():
    found = words(line("Given name") + line("Date", at=(20, 100)))
    assert found.text == ("Given", "name", "Date")
    assert (np.diff(found.box[:2, 0]) > 0).all()
    assert found.box[2, 1] > found.box[0, 3]
    # The baseline is at 200 of 300 points; "Given" has no descender.
    assert found.box[0, 3] == pytest.approx(100, abs=0.6)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Name:____", ("Name:", "____")),
        ("____Name", ("____", "Name")),
        ("Name ______ Date ____", ("Name", "______", "Date", "____")),
        ("Total......5", ("Total", "......", "5")),
        ("Total.....", ("Total", ".....")),
        ("e.g.", ("e.g.",)),
        ("3.14", ("3.14",)),
        ("a_b", ("a_b",)),
        ("www.example.org/a_b", ("www.example.org/a_b",)),
        ("No. 5", ("No.", "5")),
        ("end..", ("end..",)),
        ("[_]", ("[_]",)),
        ("Total.....Net", ("Total", ".....", "Net")),
        ("a......b.....", ("a", "......", "b", ".....")),
        ("$____.__", ("$", "____", ".", "__")),
    ],
)
def test_blank_runs_are_words_of_their_own(text, pieces):
    assert words(line(text)).text == pieces


def test_the_box_of_a_blank_run_is_where_its_ink_is():
    data = drawn(line("Name:") + line("________", at=(60, 200)))
    found = read(data).primitives.words
    run = found.box[found.text.index("________")]
    raster = read(drawn(line("________", at=(60, 200))), raster_long_side=1200).raster
    ink = ink_box(raster)
    assert run[[0, 2]] == pytest.approx([ink[0], ink[2]], abs=0.8)
    assert run[1] - 0.6 <= ink[1] <= ink[3] <= run[3] + 0.6


@pytest.mark.parametrize(
    ("content", "size"),
    [
        ("BT /F1 12 Tf 20 200 Td (Ag) Tj ET", 12),
        ("BT /F1 1 Tf 12 0 0 12 20 200 Tm (Ag) Tj ET", 12),
        ("q 2 0 0 2 0 0 cm BT /F1 9 Tf 10 100 Td (Ag) Tj ET Q", 18),
        ("q 0.5 0 0 -0.5 0 300 cm BT /F1 20 Tf 1 0 0 -1 40 200 Tm (Ag) Tj ET Q", 10),
        ("BT /F1 -12 Tf -1 0 0 -1 100 200 Tm (Ag) Tj ET", 12),
    ],
)
def test_font_size_is_what_a_reader_sees(content, size):
    assert words(content).size[0] == pytest.approx(size, rel=0.01)


def test_font_size_counts_the_user_unit_and_the_forms_around():
    assert words(line("Ag", size=9), UserUnit=2).size[0] == pytest.approx(18, rel=0.01)
    forms = {"X": Form(line("Ag", size=6), matrix=(2, 0, 0, 2, 0, -300))}
    assert words("/X Do", forms=forms).size[0] == pytest.approx(12, rel=0.01)


def test_bold_is_heavier_than_regular():
    found = words(line("plain", "F1") + line("heavy", "F2", at=(20, 100)))
    assert found.weight[0] == pytest.approx(400, abs=50)
    assert found.weight[1] >= 600


def test_invisible_and_transparent_text_is_kept_and_flagged():
    hidden = "BT 3 Tr /F1 10 Tf 20 150 Td (ocr) Tj ET"
    clear = "q /Clear gs BT /F1 10 Tf 20 100 Td (clear) Tj ET Q"
    faint = "q /Half gs BT /F1 10 Tf 20 50 Td (faint) Tj ET Q"
    found = words(line("shown") + hidden + "0 Tr " + clear + faint)
    assert dict(zip(found.text, found.visible.tolist(), strict=True)) == {
        "shown": True,
        "ocr": False,
        "clear": False,
        "faint": True,
    }


def test_symbol_fonts_are_flagged_and_part_from_the_label():
    found = words("BT /F3 10 Tf 20 200 Td (o) Tj /F1 10 Tf (Yes) Tj ET")
    assert len(found) == 2
    assert found.text[1] == "Yes"
    assert found.symbolic.tolist() == [True, False]
    assert found.box[0, 2] <= found.box[1, 0] + 0.5


@pytest.mark.parametrize(
    ("rotation", "matrix"), [(0, "1 0 0 1"), (90, "0 1 -1 0"), (180, "-1 0 0 -1"), (270, "0 -1 1 0")]
)
def test_text_turned_with_its_page_is_upright(rotation, matrix):
    content = f"BT /F1 10 Tf {matrix} 100 150 Tm (Name) Tj ET"
    found = words(content, Rotate=rotation)
    assert found.text == ("Name",)
    assert found.upright.tolist() == [True]
    side = found.box[0, 2:] - found.box[0, :2]
    assert side[0] > side[1]


def test_text_that_climbs_the_page_is_not_upright():
    found = words("BT /F1 10 Tf 0 1 -1 0 100 150 Tm (Margin) Tj ET")
    assert found.upright.tolist() == [False]
    assert words(line("Level"), Rotate=90).upright.tolist() == [False]


FORMS = {
    "scaled": Form(
        "/Y Do", (2, 0, 0, 2, 10, 20), forms={"Y": Form(line("Mix", at=(5, 5)), (1, 0, 0, 1, 7, 30))}
    ),
    "turned": Form(
        "/Y Do", (0, 1, -1, 0, 120, 40), forms={"Y": Form(line("Mix", at=(5, 5)), (1.5, 0, 0, 1.5, 9, 9))}
    ),
    "flipped": Form(
        "/Y Do", (1, 0, 0, -1, 0, 250), forms={"Y": Form(line("Mix", at=(20, -90)), (1, 0, 0, -1, 3, 0))}
    ),
}


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_words_in_nested_forms_are_where_their_ink_is(form, rotation):
    page = read(drawn("q 1 0 0 1 4 8 cm /X Do Q", forms={"X": form}, Rotate=rotation), raster_long_side=1200)
    assert page.primitives.words.text == ("Mix",)
    np.testing.assert_allclose(page.primitives.words.box[0], ink_box(page.raster), atol=1.0)


def mapped(characters: str) -> bytes:
    """A page whose codes A, B, C… mean other characters, as subset fonts do it."""
    pairs = "\n".join(f"<{0x41 + i:02X}> <{c.encode('utf-16-be').hex()}>" for i, c in enumerate(characters))
    cmap = (
        "/CIDInit /ProcSet findresource begin begincmap /CMapName /M def /CMapType 2 def\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(characters)} beginbfchar\n{pairs}\nendbfchar endcmap end"
    )
    codes = "".join(chr(0x41 + i) for i in range(len(characters)))
    pdf = pikepdf.open(io.BytesIO(drawn(line(codes))))
    pdf.pages[0].obj.Resources.Font["/F1"] = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, ToUnicode=pdf.make_stream(cmap.encode())
    )
    return saved(pdf)


@pytest.mark.parametrize("word", ["שלום", "مرحبا", "Ελλάς", "申請者"])
def test_other_scripts_survive(word):
    """Right-to-left words are drawn from their last letter on and come back in reading order."""
    right_to_left = "\u0590" <= word[0] <= "\u06ff"
    found = read(mapped(word[::-1] if right_to_left else word)).primitives.words
    assert found.text == (word,)
    assert found.upright.tolist() == [True]


def test_half_a_character_does_not_reach_anyone():
    found = read(mapped("A😀B")).primitives.words
    "".join(found.text).encode()


def test_the_limit_cuts_with_a_note():
    data = drawn(line("one two three four five"))
    page = read(data, limits=Limits(primitives=3))
    assert page.primitives.words.text == ("one", "two", "three")
    assert page.notes == ("Page 1 has more than 3 words or shapes; the rest was ignored.",)
    assert read(data, limits=Limits(primitives=5)).notes == ()


def test_a_page_without_text():
    found = words("10 10 50 50 re f")
    assert len(found) == 0
    assert found.box.shape == (0, 4)


def test_text_outside_the_visible_page_keeps_its_place():
    found = words(line("left") + line("right", at=(150, 200)), CropBox=Array([100, 0, 200, 300]))
    assert found.box[found.text.index("right"), 0] == pytest.approx(50, abs=1.5)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_words_that_were_cropped_away_are_not_on_the_page(rotation):
    content = line("PROOF", at=(20, 280)) + line("Name", at=(20, 200)) + line("Over", at=(20, 248))
    found = words(content, CropBox=Array([0, 0, 200, 250]), Rotate=rotation)
    assert set(found.text) == {"Name", "Over"}, "what reaches over the edge is still seen"
    assert len(found.box) == len(found.size) == len(found.upright) == 2
    cropped = {"CropBox": Array([0, 0, 200, 250]), "Rotate": rotation}
    assert "PROOF" in read(drawn(content, **cropped), cropped_words=True).primitives.words.text
