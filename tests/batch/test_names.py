# SPDX-License-Identifier: Apache-2.0
"""Output names stay below the output folder and never meet, whatever the originals are called."""

import os
import unicodedata
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.batch.names import JOURNAL, REPORT, _mark, stems

PARTS = st.text(st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]), min_size=1, max_size=40)
PATHS = st.lists(PARTS, min_size=1, max_size=4).map(lambda parts: "/".join(parts) + ".pdf")
SPITEFUL = st.sampled_from(
    [
        *(
            "../../etc/x.pdf",
            "/root/x.pdf",
            "a/../../b.pdf",
            "./a.pdf",
            "..\\..\\x.pdf",
            "c:x.pdf",
            "CON.pdf",
        ),
        *("a.pdf", "A.pdf", "a.PDF", ".pdf", "a.fields.json/b.pdf", "a.pdf/b.pdf", f"{JOURNAL}/x.pdf"),
        *("é.pdf", "e\u0301.pdf", "ß.pdf", "SS.pdf", "x" * 300 + ".pdf", "a\n.pdf", os.fsdecode(b"\xff.pdf")),
    ]
)


def folded(stem: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", stem).casefold())


@given(st.lists(PATHS | SPITEFUL, unique=True, max_size=12))
def test_names_are_safe_and_no_two_alike(relatives):
    names = stems(relatives, {})
    outputs = {folded(f"{stem}{end}") for stem in names.values() for end in (".pdf", ".fields.json")}
    assert len(outputs) == 2 * len(relatives)
    folders = {folded(str(parent)) for stem in names.values() for parent in PurePosixPath(stem).parents}
    assert not outputs & folders
    for stem in names.values():
        path = PurePosixPath(stem)
        assert not path.is_absolute()
        assert not {"..", ".", ""} & set(stem.split("/"))
        assert not any(character in stem for character in '\x00\n\\:*?"<>|')
        assert all(len(os.fsencode(part)) + len(".fields.json") <= 255 for part in path.parts)


@given(st.lists(PATHS | SPITEFUL, unique=True, min_size=2, max_size=8))
def test_a_name_once_given_is_kept(relatives):
    before = stems(relatives[1:], {})
    after = stems(relatives, before)
    assert {relative: after[relative] for relative in before} == before
    assert len({folded(stem) for stem in after.values()}) == len(after)


def test_ordinary_names_stay_as_they_are():
    relatives = ["Antrag 2024.pdf", "sub/b.PDF", "申請.pdf"]
    assert list(stems(relatives, {}).values()) == ["Antrag 2024", "sub/b", "申請"]


@pytest.mark.parametrize("name", [JOURNAL, REPORT, REPORT.upper()])
def test_our_own_files_are_out_of_reach(name):
    (stem,) = stems([f"{name}/summary.pdf"], {}).values()
    assert stem.split("/")[0] == f"{name}_"


def test_a_name_that_was_computed_to_collide_does_not():
    trap = f"a-{_mark('0a.pdf', 12)}.pdf"
    names = stems(["A.pdf", trap, "a.pdf"], {})
    assert len({folded(stem) for stem in names.values()}) == 3
