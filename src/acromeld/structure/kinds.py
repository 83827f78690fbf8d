# SPDX-License-Identifier: Apache-2.0
"""The kinds of structure tokens."""

from __future__ import annotations

from enum import IntEnum


class TokenKind(IntEnum):
    """What a token stands for: the page itself or one of the paper's five primitives."""

    PAGE = 0
    WORD = 1
    LINE = 2
    RECTANGLE = 3
    PATH = 4
    IMAGE = 5
