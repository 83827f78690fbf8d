# SPDX-License-Identifier: Apache-2.0
"""``acromeld review``: look at the fields in the browser, correct them, save the fillable PDF."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

from acromeld.cli.console import with_password
from acromeld.detect.registry import DEFAULT
from acromeld.errors import InputNotFound
from acromeld.form.describe.signing import Signatures
from acromeld.review.desk import Desk
from acromeld.review.server import listen


def review(
    path: Path,
    /,
    *,
    detector: str = DEFAULT,
    signatures: Signatures = Signatures.AUTO,
    password: str | None = None,
    port: int = 0,
    browser: bool = True,
) -> int:
    """Review the fields of a form, or of a folder of forms, in the browser.

    The page is served on this machine only. Changes are kept in IN.fields.json beside each PDF as they are
    made; the originals are never changed.

    Args:
        path: A PDF, or a folder of them.
        detector: Which detector finds the fields of files that have no fields file yet.
        signatures: Places to sign in such files: as found, all signature fields, all text fields, or left for
            a pen.
        password: For protected files; asked for on a terminal.
        port: Port of the page; default is any free one.
        browser: Open the page in the browser.
    """
    if not path.exists():
        raise InputNotFound(f"{path} does not exist.")
    desk = with_password(lambda key: _checked(path, detector, signatures, key), password)
    try:
        listening = listen(desk, port)
        print(f"Review {path} at {listening.address}\nStop with Ctrl-C; every change is saved as it is made.")
        sys.stdout.flush()
        if browser:
            webbrowser.open(listening.address)
        listening.run()
    except KeyboardInterrupt:
        pass
    finally:
        desk.close()
    return 0


def _checked(path: Path, detector: str, signatures: Signatures, password: str | None) -> Desk:
    desk = Desk(path, detector=detector, signatures=signatures, password=password)
    try:
        desk.check()
    except BaseException:
        desk.close()
        raise
    return desk
