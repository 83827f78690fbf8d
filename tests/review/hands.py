# SPDX-License-Identifier: Apache-2.0
"""What a person does on the page, in points of the form instead of pixels of the screen."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Locator, Page

from tests.review.made import WIDTH


def field(page: Page, name: str) -> Locator:
    return page.locator(f"#box-{name}")


@contextmanager
def saving(page: Page) -> Iterator[None]:
    """What happens inside is on the disk before the next line."""
    yield
    # The page is drawn before the next frame, so by then it shows that there is something to save.
    page.evaluate("() => new Promise(done => requestAnimationFrame(done))")
    page.locator(".save-state.saved").wait_for()


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    """A point of the form on the screen."""
    sheet = page.locator(".sheet").bounding_box()
    scale = sheet["width"] / WIDTH
    return sheet["x"] + x * scale, sheet["y"] + y * scale


def drag(page: Page, start: tuple[float, float], end: tuple[float, float], *, snap: bool = False) -> None:
    """From point to point of the form."""
    page.mouse.move(*at(page, *start))
    page.mouse.down()
    if not snap:
        page.keyboard.down("Alt")
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*at(page, *middle))
    page.mouse.move(*at(page, *end))
    page.mouse.up()
    if not snap:
        page.keyboard.up("Alt")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def names_in_order(page: Page) -> list[str]:
    """The tab order as the list shows it."""
    return [row.get_attribute("data-row") or "" for row in page.locator(".order li").all()]


def count(page: Page, name: str) -> int:
    return int(page.locator(f"[data-count={name}]").inner_text().strip("()"))
