# SPDX-License-Identifier: Apache-2.0
"""The page for everybody: axe finds nothing serious, in light and dark, on a laptop and on a tablet."""

import pytest
from playwright.sync_api import Page

from tests.review.hands import at, field, press, saving
from tests.review.made import put_form, saved_fields
from tests.review.running import running
from tests.tools import need_web


@pytest.fixture(scope="module")
def axe() -> str:
    return (need_web() / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("access")
    put_form(folder, "form.pdf")
    (folder / "other.pdf").write_bytes(b"no PDF")
    with running(folder) as server:
        yield server


def serious(page: Page, axe: str) -> list[str]:
    """What axe finds that would stop somebody, as ``rule: element``."""
    page.evaluate(axe)
    result = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{found['id']}: {node['html'][:160]}"
        for found in result["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"]
    ]


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (820, 1180)], ids=["laptop", "tablet"])
def test_the_editor(server, open_page, axe, colours, size):
    page = open_page(server.address_of(server.desk.path / "form.pdf"))
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    if size[0] < 900:
        page.get_by_role("button", name="Overview").click()
    else:
        press(page, "g", "Control+a")
    assert serious(page, axe) == []


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_work_list_and_dialogs(server, open_page, axe, colours):
    page = open_page(server.address_of(server.desk.path / "form.pdf"))
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    field(page, "agree").click()
    press(page, "?")
    page.get_by_role("dialog").wait_for()
    assert serious(page, axe) == []
    press(page, "Escape")
    page.get_by_role("button", name="Work list").click()
    page.get_by_role("link", name="other.pdf").wait_for()
    assert serious(page, axe) == []
    page.get_by_role("link", name="other.pdf").click()
    page.get_by_text("not a PDF, or is damaged").wait_for()
    assert serious(page, axe) == []


def test_a_finger_moves_draws_and_scrolls(server, browser):
    form = put_form(server.desk.path, "finger.pdf")
    context = browser.new_context(viewport={"width": 820, "height": 1180}, has_touch=True)
    page = context.new_page()
    page.goto(server.address_of(form))
    page.locator(".sheet .picture").wait_for()
    page.touchscreen.tap(*at(page, 180, 69))
    assert field(page, "name").get_attribute("aria-selected") == "true"
    with saving(page):
        page.get_by_role("button", name="Draw: Choice").tap()
        page.touchscreen.tap(*at(page, 300, 400))
    assert [item.box for item in saved_fields(form).pages[0].fields if item.origin == "person"] == [
        pytest.approx((294, 394, 306, 406), abs=1)
    ]
    context.close()
