# SPDX-License-Identifier: Apache-2.0
"""Pictures of the review page for the documentation, from the sample form of this repository.

    python tools/review_pictures.py docs

Leaves ``review.png`` (the editor), ``review-dark.png`` (several fields, dark colours), ``review-preview.png``
(the finished form being filled) and ``review-folder.png`` (the work list). Needs Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from playwright.sync_api import Page, sync_playwright

from acromeld.detect.registry import DEFAULT
from acromeld.review.desk import Desk
from acromeld.review.server import listen

SAMPLE = Path(__file__).parent.parent / "examples" / "application.pdf"
NAMES = ("allowance", "application", "change-of-address", "library-card", "registration", "school-bus")
FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
SIZE = {"width": 1360, "height": 860}


@contextmanager
def served(path: Path) -> Iterator[str]:
    """A review server for a path; gives the address of its page."""
    desk = Desk(path, detector=DEFAULT)
    listening = listen(desk)
    thread = Thread(target=listening.run)
    thread.start()
    try:
        yield listening.address
    finally:
        listening.server.should_exit = True
        thread.join()
        desk.close()


@contextmanager
def browser_page(colours: str = "light") -> Iterator[Page]:
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS.split())
        context = browser.new_context(viewport=SIZE, color_scheme=colours, reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(120_000)
        yield page
        browser.close()


def opened(page: Page, address: str) -> None:
    page.goto(address)
    page.locator(".sheet .picture").wait_for()
    page.locator(".thumbnails img").nth(1).wait_for()


def editor_pictures(folder: Path, target: Path) -> None:
    with served(folder / "application.pdf") as address:
        with browser_page() as page:
            opened(page, address)
            page.keyboard.press("n")
            page.screenshot(path=target / "review.png")
            page.keyboard.press("p")
            page.locator(".annotationLayer input[type=text]").first.fill("Lovelace")
            page.locator(".annotationLayer input[type=checkbox]").first.check()
            page.screenshot(path=target / "review-preview.png")
        with browser_page("dark") as page:
            opened(page, address)
            for key in ("w", "g", "j", "j", "Shift+J", "Shift+J"):
                page.keyboard.press(key)
            page.locator(".arrange").wait_for()
            page.screenshot(path=target / "review-dark.png")


def folder_picture(folder: Path, target: Path) -> None:
    with served(folder) as address, browser_page() as page:
        page.goto(address)
        for _ in range(2):
            page.get_by_role("button", name="Open next file").click()
            page.locator(".sheet .picture").wait_for()
            page.get_by_role("button", name="Done, next").click()
            page.get_by_role("button", name="Save fillable PDF").wait_for()
            page.get_by_role("button", name="Work list").click()
            page.locator("tbody tr").first.wait_for()
        page.screenshot(path=target / "review-folder.png")


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "Forms of the library"
        folder.mkdir()
        for name in NAMES:
            shutil.copy(SAMPLE, folder / f"{name}.pdf")
        editor_pictures(folder, target)
        folder_picture(folder, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
