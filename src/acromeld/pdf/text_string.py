# SPDX-License-Identifier: Apache-2.0
"""Text strings (ISO 32000-2, 7.9.2.2) of files that anybody may have written."""

from __future__ import annotations

import codecs

import pikepdf


def text_of(value: object) -> str:
    """The text of a string, empty for anything else; what its encoding does not know is replaced.

    A string may carry the mark of UTF-8 and go on with other bytes, for which pikepdf raises.
    """
    if not isinstance(value, pikepdf.String):
        return ""
    try:
        return str(value)
    except UnicodeDecodeError:
        return bytes(value).removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
