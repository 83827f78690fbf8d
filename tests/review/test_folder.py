# SPDX-License-Identifier: Apache-2.0
"""The work list in the browser, and pages that are long or full."""

import json
import time

from acromeld.fields import Field, FieldKind
from acromeld.review.places import fillable_path
from tests.review.hands import drag, field, press, saving
from tests.review.made import put_form, widgets
from tests.review.running import running

FULL = tuple(
    Field(
        kind=FieldKind.TEXT,
        box=(10 + 38 * column, 8 + 6 * row, 44 + 38 * column, 13 + 6 * row),
        score=0.9,
        id=f"f{row}-{column}",
    )
    for row in range(80)
    for column in range(10)
)
"""800 fields on one page."""


def test_an_office_goes_through_a_folder(tmp_path, open_page, context):
    forms = [put_form(tmp_path, name) for name in ("a.pdf", "b.pdf", "c.pdf")]
    with running(tmp_path) as server:
        page = context.new_page()
        page.goto(server.address)
        page.get_by_role("button", name="Open next file").click()
        for form in forms[:2]:
            page.get_by_role("heading", name=form.name).wait_for()
            field(page, "name").click()
            page.get_by_role("button", name="Done, next").click()
        page.get_by_role("heading", name="c.pdf").wait_for()
        page.locator(".sheet").wait_for()
        page.get_by_role("button", name="Work list").click()
        page.get_by_role("button", name="Done 2").click()
        assert page.locator("tbody a").all_inner_texts() == ["a.pdf", "b.pdf"]
        page.get_by_role("button", name="All 3").click()
        page.get_by_label("Search by name").fill("c.p")
        assert page.locator("tbody .state").all_inner_texts() == ["In review"]
    assert all(len(widgets(fillable_path(form))) == 4 for form in forms[:2])
    assert not fillable_path(forms[2]).exists()


def test_a_long_document_loads_its_pages_as_needed(tmp_path, open_page):
    with running(put_form(tmp_path, pages=300)) as server:
        page = open_page(server.address)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        press(page, "Control+End")
        page.get_by_role("listbox", name="Fields of page 300").wait_for()
        page.locator(".sheet .picture").wait_for()
        page.locator(".thumbnails [aria-current] img").wait_for()
        assert any("/pages/299/picture" in url for url in asked)
        assert not any("/pages/150/" in url for url in asked)
        with saving(page):
            press(page, "Shift+t")
        press(page, "n")
        page.get_by_role("listbox", name="Fields of page 1", exact=True).wait_for()


def test_a_page_with_800_fields(tmp_path, open_page, record_property):
    """What an input costs until it is on the screen is printed (pytest -s), not judged: machines differ."""
    form = put_form(tmp_path, fields=FULL)
    with running(form) as server:
        page = open_page(server.address)
        assert page.locator(".box").count() == 800
        meter = Meter(page)
        meter.measure("first selection", lambda: field(page, "f40-5").click())
        meter.measure("move by key", lambda: press(page, "ArrowRight"))
        meter.measure("next field", lambda: press(page, "j"))
        meter.measure("retype", lambda: press(page, "2"))
        meter.measure("remove", lambda: press(page, "Delete"))
        meter.measure("undo", lambda: press(page, "Control+z"))
        meter.measure("drag of three steps", lambda: drag(page, (212, 250), (220, 300)))
        meter.measure("select all", lambda: press(page, "Control+a"))
        with saving(page):
            meter.measure("threshold", lambda: page.locator("#threshold-text").fill("95"))
        assert page.locator(".box").count() < 10
    print(f"\n800 fields on a page, ms (processor time of the page / clock): {json.dumps(meter.results)}")
    record_property("milliseconds", meter.results)


class Meter:
    """Processor time of the page's main thread, which other programs do not disturb, and the clock."""

    def __init__(self, page):
        self.page = page
        self.results: dict[str, str] = {}
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def measure(self, name, act):
        busy, start = self._busy(), time.perf_counter()
        act()
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        clock = time.perf_counter() - start
        self.results[name] = f"{1000 * (self._busy() - busy):.0f} / {1000 * clock:.0f}"

    def _busy(self):
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
