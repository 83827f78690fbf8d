# SPDX-License-Identifier: Apache-2.0
"""Text of strangers, file names above all, in sentences and records."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with an escape for whatever is no character or cannot be shown.

    Records are UTF-8, which has no surrogates, and a line break in a name would make two lines of a sentence.
    """
    return "".join(map(_shown, text))


def _shown(letter: str) -> str:
    if "\udc80" <= letter <= "\udcff":
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
