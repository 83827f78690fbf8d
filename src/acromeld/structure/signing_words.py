# SPDX-License-Identifier: Apache-2.0
"""Wordings that ask for a signature, and those that ask beside one for something else, in many languages."""

from __future__ import annotations

import re

ASKS_TO_SIGN = re.compile(
    r"\bsignature(?:\(s\))?(?![a-z])|\bsign here\b|^\W*signed(?: by)?\W*$|unterschrift(?!en|sb)|\bfirma\b|"
    r"assinatura\b|handtekening\b|underskrift\b|allekirjoitus\b|\bpodpis\b|подпись|підпис|توقيع|חתימ[הת]|"
    r"署名|签名|签字|簽名|簽署|서명",
    re.IGNORECASE,
)
"""Of a caption or of a single word."""

_DATE = (
    r"\bdates?\b|\bdata\b|datum\b|\bdato\b|\bfecha\b|\bdatée?\b|päivä(?:ys|määrä)|дата|تاريخ|תאריך|"
    r"日期|日付|年月日|署名日|날짜|일자|서명일"
)

ASKS_FOR_DATE = re.compile(_DATE, re.IGNORECASE)
"""Of a caption."""

ASKS_BESIDE = re.compile(
    rf"{_DATE}|署名者|氏名|"
    r"^\W*(?:\d+[a-z]?\W+)*(?:print|printed|type|typed|name|title|place|section|part|"
    r"nom|nombre|nome|naam|navn|imię|имя|фио)\b",
    re.IGNORECASE,
)
"""Asked at a signature, but not for one alone: its date, the name in block letters, the heading of it."""
