# SPDX-License-Identifier: Apache-2.0
"""A real browser without a way out: every request that leaves this machine fails the test."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.tools import need

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP rebound.test 127.0.0.1",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=need("chromium"), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(20_000)
    outside: list[str] = []
    context.on("request", lambda request: outside.append(request.url) if not local(request.url) else None)
    yield context
    context.close()
    assert not outside


def local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "http://rebound.test:", "blob:", "data:"))


@pytest.fixture
def open_page(context: BrowserContext) -> Iterator[Callable[[str], Page]]:
    """Opens an address and waits for the fields; whatever the page complains about fails the test."""
    complaints: list[str] = []

    def open_one(address: str) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda message: complaints.append(message.text) if message.type == "error" else None
        )
        page.goto(address)
        page.locator(".sheet .picture").wait_for()
        return page

    yield open_one
    # A conflict is an answer the page asks about, but browsers log every answer of the 4xx kind.
    assert [
        text for text in complaints if "409 (Conflict)" not in text and "ERR_CONNECTION" not in text
    ] == []
