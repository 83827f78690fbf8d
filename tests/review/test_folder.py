# SPDX-License-Identifier: Apache-2.0
"""The work list in the browser, and pages that are long or full."""

import json
from statistics import median

import pytest

from acromeld.fields import Field, FieldKind
from acromeld.review.places import fillable_path
from tests.review.hands import at, field, press, saving
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


@pytest.mark.parametrize("answer", ["Save under another name", "Replace it"])
def test_done_goes_on_past_a_name_that_is_taken(tmp_path, open_page, answer):
    first = put_form(tmp_path, "a.pdf")
    put_form(tmp_path, "b.pdf")
    fillable_path(first).write_bytes(b"mine")
    with running(tmp_path) as server:
        page = open_page(server.address_of(first))
        page.get_by_role("button", name="Done, next").click()
        page.get_by_role("dialog").get_by_role("button", name=answer).click()
        page.get_by_role("heading", name="b.pdf").wait_for()
        page.get_by_role("button", name="Work list").click()
        page.get_by_role("button", name="Done 1").click()
        assert page.locator("tbody a").all_inner_texts() == ["a.pdf"]
    assert (fillable_path(first).read_bytes() == b"mine") == (answer == "Save under another name")


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
    """How long input takes until it is on the screen is printed (pytest -s), not judged: machines differ."""
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
        meter.measure("step of a drag", lambda: drag_slowly(page, (216, 250), (226, 300), STEPS), STEPS)
        meter.measure("end of a drag", lambda: page.mouse.up())
        meter.measure("select all", lambda: press(page, "Control+a"))
        meter.measure("move all", lambda: press(page, "ArrowRight"))
        meter.measure("undo for all", lambda: press(page, "Control+z"))
        page.locator("#threshold-text").focus()
        with saving(page):
            meter.measure("threshold", lambda: press(page, "End"))
        assert page.locator(".box").count() < 10
    print(f"\n800 fields on a page, ms to the screen / of the processor: {json.dumps(meter.results)}")
    record_property("milliseconds", meter.results)


def test_rows_go_from_group_to_group_of_a_full_page(tmp_path, open_page):
    """The page draws fields in groups of 16; nobody should notice."""
    with running(put_form(tmp_path, fields=FULL)) as server:
        page = open_page(server.address)
        page.locator("[data-row=f1-5] button").focus()
        with saving(page):
            press(page, "Alt+ArrowDown", "Alt+ArrowDown")
        assert rows(page)[14:19] == ["f1-4", "f1-6", "f1-7", "f1-5", "f1-8"]
        assert focused_row(page) == "f1-5"
        press(page, "ArrowUp", "ArrowUp", "ArrowUp")
        assert focused_row(page) == "f1-4"
        with saving(page):
            drag_row(page, "f1-4", "f0-9")
        assert rows(page)[8:12] == ["f0-8", "f1-4", "f0-9", "f1-0"]
        assert field(page, "f1-6").locator(".number").inner_text() == "16"


def rows(page):
    return page.locator("[data-row]").evaluate_all("rows => rows.map(row => row.dataset.row)")


def focused_row(page):
    return page.evaluate("document.activeElement.closest('[data-row]')?.dataset.row")


def drag_row(page, name, target):
    """Put a row before another one."""
    grip = page.locator(f"[data-row={name}] .grip").bounding_box()
    goal = page.locator(f"[data-row={target}]").bounding_box()
    page.mouse.move(grip["x"] + 5, grip["y"] + 5)
    page.mouse.down()
    page.mouse.move(goal["x"] + 5, goal["y"] + 2)
    page.mouse.up()


STEPS = 10

FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


def drag_slowly(page, start, end, steps):
    """One movement of the mouse a frame, and the button stays down."""
    page.mouse.move(*at(page, *start))
    page.mouse.down()
    for step in range(1, steps + 1):
        ways = (a + (b - a) * step / steps for a, b in zip(start, end, strict=True))
        page.mouse.move(*at(page, *ways))
        page.evaluate(FRAME)


WATCH = """() => {
  window.waits = [];
  const note = (name, from, took) => window.waits.push({name, from, took});
  const acts = new Set(["keydown", "pointerdown", "pointerup", "click"]);
  new PerformanceObserver(list => {
    const entries = list.getEntries().filter(({name}) => acts.has(name));
    for (const {name, startTime, duration} of entries) note(name, startTime, duration);
  }).observe({type: "event", durationThreshold: 16});
  addEventListener("pointermove", ({timeStamp}) => {
    const after = new MessageChannel();
    after.port1.onmessage = () => note("pointermove", timeStamp, performance.now() - timeStamp);
    requestAnimationFrame(() => after.port2.postMessage(null));
  }, true);
}"""
"""
Keys and clicks: from the input to the frame on the screen that shows it, by the browser's Event Timing, in
steps of 8 ms and from 16 ms on. It has no movements; they are timed to the end of the work on their frame.
"""

SETTLED = f"""async from => {{
  for (let frames = 0; frames < 8; frames++) await ({FRAME})();
  return window.waits.filter(wait => wait.from >= from);
}}"""


class Meter:
    """What a person waits for, and processor time of the page, which other programs disturb less.

    The processor time includes what follows a frame later, such as the rows of the tab order.
    """

    def __init__(self, page):
        self.page = page
        self.results: dict[str, str] = {}
        page.evaluate(WATCH)
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def measure(self, name, act, steps=0):
        """With steps, of each movement of the pointer by itself; else the longest wait of the interaction."""
        start, busy = self.page.evaluate("performance.now()"), self._busy()
        act()
        waits = self.page.evaluate(SETTLED, start)
        used = 1000 * (self._busy() - busy) / (steps or 1)
        moves = [wait["took"] for wait in waits if wait["name"] == "pointermove"][-steps:]
        if steps:
            felt = f"{median(moves):.0f}, at most {max(moves):.0f}"
        else:
            longest = max((wait["took"] for wait in waits if wait["name"] != "pointermove"), default=0)
            felt = f"{longest:.0f}" if longest else "under 16"
        self.results[name] = f"{felt} / {used:.0f}"

    def _busy(self):
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
