# SPDX-License-Identifier: Apache-2.0
"""A person with a keyboard at Chromium's own PDF viewer.

The viewer is a plugin that no script can look into, so it is watched as a person would: by what it shows.
"""

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import numpy.typing as npt
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.tools import need

Pixels = npt.NDArray[np.uint8]

FLAGS = [
    # The older headless mode has no PDF viewer.
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
FRAME = (
    b'<body style="margin:0"><embed type="application/pdf" width="900" height="900" '
    b'src="/form.pdf#toolbar=0&navpanes=0&zoom=100"></body>'
)
SCALE = 96 / 72
_TRIES = 200


@contextmanager
def served(form: bytes) -> Iterator[str]:
    """The address of a page that embeds the form, on this machine only."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = form if self.path.startswith("/form.pdf") else FRAME
            self.send_response(200)
            self.send_header("Content-Type", "application/pdf" if body is form else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


class Viewer:
    """An open form. Boxes are displayed points of its first page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def ink_width(self, box: tuple[float, float, float, float], pixels: Pixels) -> int:
        """How far dark print reaches into a box from its left edge, in pixels."""
        left, top = _corner(pixels)
        x0, y0, x1, y1 = (round(value * SCALE) for value in box)
        inside = pixels[top + y0 : top + y1, left + x0 : left + x1]
        columns = np.flatnonzero((inside < 150).any(axis=0))
        return int(columns.max()) + 1 if len(columns) else 0

    def until(self, condition: Callable[[Pixels], bool]) -> Pixels:
        """Look at the screen until a condition holds."""
        for _ in range(_TRIES):
            pixels = np.asarray(Image.open(io.BytesIO(self.page.screenshot())).convert("L"))
            if condition(pixels):
                return pixels
        raise AssertionError("The viewer never showed what was waited for.")


@contextmanager
def shown(form: bytes) -> Iterator[Viewer]:
    """The form in Chromium's viewer, once its first page is there."""
    with served(form) as address, sync_playwright() as player:
        browser = player.chromium.launch(executable_path=need("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 900, "height": 900})
        page.goto(address)
        viewer = Viewer(page)
        viewer.until(lambda pixels: bool((pixels == 255).mean() > 0.6) and _corner(pixels)[0] > 0)
        yield viewer
        browser.close()


def _corner(pixels: Pixels) -> tuple[int, int]:
    """Left and top of the white sheet on its dark ground."""
    white = pixels > 250
    return int(white.mean(axis=0).argmax()), int(white.mean(axis=1).argmax())
