# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: what a person does ends up in the file, and nothing else does."""

import pytest

from acromeld.review.places import fillable_path
from tests.review.hands import at, count, drag, field, names_in_order, press, saving
from tests.review.made import document, put_form, saved_fields, widgets
from tests.review.running import running


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for all tests; each has a form of its own in its folder."""
    with running(tmp_path_factory.mktemp("forms")) as server:
        yield server


@pytest.fixture
def form(server, tmp_path):
    folder = server.desk.path / tmp_path.name
    folder.mkdir()
    return put_form(folder, pages=2)


@pytest.fixture
def page(server, form, open_page):
    return open_page(server.address_of(form))


def box_of(form, name):
    (found,) = (field for field in saved_fields(form).pages[0].fields if field.id == name)
    return found.box


def save(page):
    page.get_by_role("button", name="Save fillable PDF").click()
    page.get_by_text("Saved form.fillable.pdf").wait_for()


def test_everything_a_person_does_is_in_the_saved_pdf(page, form):
    """Move, resize, draw, remove, retype, reorder, undo, threshold, save."""
    assert "token" not in page.url
    assert names_in_order(page) == ["name", "street", "agree", "sign"]
    with saving(page):
        drag(page, (180, 69), (190, 89))
    assert box_of(form, "name") == pytest.approx((110, 80, 270, 98), abs=0.6)
    with saving(page):
        drag(page, (270, 98), (300, 104))
    assert box_of(form, "name") == pytest.approx((110, 80, 300, 104), abs=1.5)
    with saving(page):
        page.get_by_role("button", name="Undo: resize").click()
    with saving(page):
        press(page, "c")
        drag(page, (100, 200), (120, 220))
    assert page.locator(".box.choice.checked").count() == 1
    with saving(page):
        field(page, "street").click()
        press(page, "Delete")
    with saving(page):
        field(page, "sign").click()
        page.get_by_role("button", name="Text", exact=True).click()
    with saving(page):
        grip = page.locator("[data-row=sign] .grip").bounding_box()
        top = page.locator("[data-row=name]").bounding_box()
        page.mouse.move(grip["x"] + 5, grip["y"] + 5)
        page.mouse.down()
        page.mouse.move(top["x"] + 5, top["y"] + 1)
        page.mouse.up()
    assert names_in_order(page) == ["sign", "name", "agree", "p1-h1"]
    with saving(page):
        page.locator("#threshold-choice").fill("50")
    assert names_in_order(page) == ["sign", "name", "p1-h1"]
    save(page)
    assert [(kind, box) for kind, _, box in widgets(fillable_path(form))] == [
        ("/Tx", (100.0, 300.0, 280.0, 330.0)),
        ("/Tx", pytest.approx((110, 80, 270, 98), abs=0.6)),
        ("/Btn", pytest.approx((100, 200, 120, 220), abs=0.6)),
    ]


def test_edges_snap_to_the_lines_of_the_page_and_to_neighbours(page, form):
    with saving(page):
        drag(page, (180, 309), (213, 96), snap=True)
    left, _, _, bottom = box_of(form, "sign")
    assert left == pytest.approx(133, abs=1)
    assert bottom == 118, "on the line of the street"
    with saving(page):
        drag(page, (300, 110), (278.5, 110), snap=True)
    assert box_of(form, "sign") == (112, 88, 292, 118), "beside the check box"


def test_a_click_with_a_drawing_tool_fills_the_place_under_it(page, form):
    with saving(page):
        field(page, "agree").click()
        press(page, "Delete", "c")
        page.mouse.click(*at(page, 106, 146))
    (drawn,) = (field for field in saved_fields(form).pages[0].fields if field.origin == "person")
    assert drawn.box == (100, 140, 112, 152)
    assert drawn.kind == "choice"


def test_the_threshold_counts_live_and_brings_candidates_in(page, form):
    assert (count(page, "text"), count(page, "choice"), count(page, "signature")) == (2, 1, 1)
    with saving(page):
        page.locator("#threshold-text").fill("90")
    assert count(page, "text") == 1
    assert page.locator("[data-below=text]").inner_text() == "+1 below"
    page.get_by_label("Show candidates below").check()
    assert field(page, "street").get_attribute("class") == "box text candidate"
    with saving(page):
        field(page, "street").click()
        press(page, "a")
    assert count(page, "text") == 2
    assert {item.id for item in saved_fields(form).pages[0].fields} == {"name", "street", "agree", "sign"}
    with saving(page):
        press(page, "Control+z", "Control+z")
    assert count(page, "text") == 2
    assert page.locator("#threshold-text").input_value() == "30"


def test_several_fields_are_selected_and_put_in_line(page, form):
    with saving(page):
        drag(page, (180, 109), (203, 120))
    drag(page, (90, 50), (290, 125))
    assert page.get_by_text("2 selected fields").is_visible()
    with saving(page):
        page.get_by_role("button", name="Align left edges").click()
    assert box_of(form, "street")[0] == box_of(form, "name")[0]
    field(page, "sign").click(modifiers=["Shift"])
    with saving(page):
        page.get_by_role("button", name="Same size as the first").click()
    assert box_of(form, "sign") == (100, 300, 260, 318)
    with saving(page):
        page.get_by_role("button", name="Equal gaps down").click()
    with saving(page):
        press(page, "Control+z", "Control+z", "Control+z", "Control+z")
    assert [item.box for item in saved_fields(form).pages[0].fields] == [
        item.box for item in document(form).pages[0].fields
    ]


def test_properties_are_written(page, form):
    field(page, "name").click()
    with saving(page):
        press(page, "e")
        page.keyboard.insert_text("Full name")
        page.get_by_label("Name, for programs").fill("full_name")
        page.get_by_label("Several lines").check()
        page.get_by_label("Comb cells").fill("12")
        page.get_by_label("Format").select_option("date")
        page.get_by_label("Text stands").select_option("right")
    field(page, "agree").click()
    with saving(page):
        page.get_by_label("Group: one of").fill("consent")
        page.get_by_label("Option").fill("yes")
        page.get_by_label("Mark").select_option("cross")
    page.get_by_text("Position in points").click()
    with saving(page):
        page.get_by_label("Width", exact=True).fill("20")
        press(page, "Tab")
    name, agree = (saved_fields(form).pages[0].fields[index] for index in (0, 2))
    assert (name.tooltip, name.name, name.multiline) == ("Full name", "full_name", True)
    assert (name.comb, name.format, name.align) == (12, "date", "right")
    assert (agree.group, agree.option, agree.mark) == ("consent", "yes", "cross")
    assert agree.box == (100, 140, 120, 152)


def test_the_keyboard_alone_is_enough(page, form):
    """The same walk as with the mouse, without one."""
    press(page, "n")
    assert field(page, "agree").get_attribute("aria-selected") == "true"
    assert page.locator(".sheet").get_attribute("aria-activedescendant") == "box-agree"
    with saving(page):
        press(page, "a")
    assert field(page, "sign").get_attribute("aria-selected") == "true"
    with saving(page):
        press(page, "1", "ArrowRight", "ArrowRight", "Control+ArrowUp", "Shift+ArrowLeft")
    assert box_of(form, "sign") == (102, 290, 281, 320)
    with saving(page):
        press(page, "Alt+ArrowUp", "k", "Delete")
    assert names_in_order(page) == ["name", "sign", "agree"]
    with saving(page):
        press(page, "Shift+t")
        for _ in range(3):
            press(page, "Control+ArrowDown")
        press(page, "F2")
        page.keyboard.type("Town")
        press(page, "Enter", "Control+z", "Control+Shift+z")
    with saving(page):
        page.locator("#threshold-text").focus()
        press(page, "ArrowRight", "ArrowRight")
    with page.expect_response(lambda answer: answer.url.endswith("/fillable")):
        press(page, "Control+s")
    page.get_by_text("Saved form.fillable.pdf").wait_for()
    assert sorted(kind for kind, _, _ in widgets(fillable_path(form))) == ["/Btn", "/Tx", "/Tx", "/Tx"]
    assert {name for _, name, _ in widgets(fillable_path(form))} >= {"Name", "Signature", "Town"}
    press(page, "Escape", "PageDown")
    page.get_by_role("listbox", name="Fields of page 2").wait_for()
    press(page, "?")
    page.get_by_role("dialog", name="Help").get_by_text("Next uncertain field").wait_for()
    press(page, "Escape")
    assert page.get_by_role("dialog").count() == 0


def test_candidates_are_reached_by_the_keyboard_while_shown(page, form):
    with saving(page):
        page.locator("#threshold-text").fill("90")
    press(page, "Escape", "g", "Control+a")
    assert page.get_by_text("4 selected fields").is_visible()
    press(page, "g")
    assert page.get_by_text("3 selected fields").is_visible()
    press(page, "g", "Escape", "j", "j")
    assert page.locator(".sheet").get_attribute("aria-activedescendant") == "box-street"
    assert field(page, "street").get_attribute("aria-label").startswith("Candidate.")
    with saving(page):
        press(page, "a")
    assert names_in_order(page) == ["name", "street", "agree", "sign"]


def test_single_keys_turned_off_leave_other_ways(page, form):
    press(page, "?")
    page.get_by_label("Shortcuts of a single letter").uncheck()
    press(page, "Escape", "Shift+t", "j")
    assert page.get_by_role("option", selected=True).count() == 0
    page.get_by_role("button", name="Draw: Signature").press("Enter")
    page.locator(".sheet").focus()
    with saving(page):
        press(page, "Enter")
    assert names_in_order(page) == ["name", "street", "agree", "p1-h1", "sign"]


def test_the_preview_is_the_finished_form_and_can_be_filled(page, form):
    with saving(page):
        field(page, "name").click()
        press(page, "ArrowRight")
    press(page, "p")
    dialog = page.get_by_role("dialog")
    text = dialog.locator(".annotationLayer input[type=text]").first
    text.fill("Ada")
    tick = dialog.locator(".annotationLayer input[type=checkbox]").first
    tick.check()
    assert text.input_value() == "Ada"
    assert tick.is_checked()
    press(page, "Escape")
    assert not fillable_path(form).exists()


def test_a_foreign_file_in_the_place_of_the_result_is_asked_about(page, form):
    fillable_path(form).write_bytes(b"mine")
    page.get_by_role("button", name="Save fillable PDF").click()
    dialog = page.get_by_role("dialog", name="There is a file of that name")
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Save fillable PDF").click()
    dialog.get_by_role("button", name="Save under another name").click()
    page.get_by_text("Saved form.fillable-2.pdf").wait_for()
    assert fillable_path(form).read_bytes() == b"mine"


def test_two_presses_on_the_first_save_are_one(page, form):
    """The second one would find the file of the first, which nobody has called ours yet."""
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    press(page, "Control+s", "Control+s")
    page.get_by_text("Saved form.fillable.pdf").wait_for()
    assert page.get_by_role("dialog").count() == 0
    assert asked.count("fillable") == 1
