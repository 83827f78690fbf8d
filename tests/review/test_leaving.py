# SPDX-License-Identifier: Apache-2.0
"""Leaving a form of a folder by the browser's own buttons loses nothing."""

import pytest

from tests.review.hands import field, press
from tests.review.made import put_form, saved_fields
from tests.review.running import running


@pytest.fixture
def form(tmp_path):
    return put_form(tmp_path)


@pytest.fixture
def page(form, tmp_path, open_page):
    """A form opened from the work list, so that there is something to go back to."""
    with running(tmp_path) as server:
        page = open_page(server.address_of(form))
        page.get_by_role("button", name="Work list").click()
        page.get_by_role("link", name="form.pdf").click()
        page.locator(".sheet .picture").wait_for()
        yield page


def break_saving(page):
    """From now on nothing can be saved."""
    page.route("**/fields", lambda route: route.abort("connectionrefused"))


def listed(page):
    page.get_by_role("heading", name="Work list").wait_for()


def test_back_right_after_a_change_saves_it_first(page, form):
    field(page, "name").click()
    press(page, "ArrowRight")
    page.evaluate("history.back()")
    listed(page)
    assert saved_fields(form).pages[0].fields[0].box[0] == 101


def test_back_while_a_save_is_under_way_waits_for_it(page, form):
    held = []
    page.route("**/fields", lambda route: held.append(route), times=1)
    field(page, "name").click()
    with page.expect_request("**/fields"):
        press(page, "ArrowRight")
    press(page, "ArrowRight")
    page.evaluate("history.back()")
    page.wait_for_url(lambda url: "form=" not in url)
    assert page.locator(".sheet").is_visible()
    held[0].continue_()
    listed(page)
    assert saved_fields(form).pages[0].fields[0].box[0] == 102


def test_a_form_that_cannot_be_saved_stays_and_says_why(page, form):
    break_saving(page)
    address = page.url
    field(page, "name").click()
    press(page, "ArrowRight")
    page.evaluate("history.back()")
    question = page.get_by_role("dialog", name="Not saved yet")
    question.get_by_text("The review program does not answer.").wait_for()
    assert page.url == address
    question.get_by_role("button", name="Stay").click()
    assert field(page, "name").get_attribute("class") == "box text checked"
    page.get_by_role("button", name="Work list").click()
    question.get_by_text("The review program does not answer.").wait_for()
    page.unroute("**/fields")
    question.get_by_text("Now everything is saved.").wait_for()
    question.get_by_role("button", name="Leave", exact=True).click()
    listed(page)
    assert saved_fields(form).pages[0].fields[0].box[0] == 101


def test_one_may_leave_without_saving(page, form):
    break_saving(page)
    field(page, "name").click()
    press(page, "ArrowRight")
    page.evaluate("history.back()")
    question = page.get_by_role("dialog", name="Not saved yet")
    with page.expect_download():
        question.get_by_role("button", name="Download my fields").click()
    question.get_by_role("button", name="Leave without saving").click()
    listed(page)
    assert "form=" not in page.url
    page.unroute("**/fields")
    page.get_by_role("link", name="form.pdf").click()
    page.locator(".box.text.sure").first.wait_for()
    assert saved_fields(form).pages[0].fields[0].box[0] == 100
