# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from acromeld.corpus.manifest import read_manifest
from acromeld.errors import IntegrityError

SHA = "ab" * 32


def test_defaults_are_a_file_named_by_hash_and_a_group_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text(json.dumps({"sha256": SHA}) + "\n\n")
    (entry,) = read_manifest(tmp_path / "m.jsonl")
    assert (entry.file, entry.group, entry.source) == (f"{SHA}.pdf", SHA, "")


@pytest.mark.parametrize(
    "lines",
    [
        ["no json"],
        ["[]"],
        [json.dumps({"group": "a"})],
        [json.dumps({"sha256": "ABC"})],
        [json.dumps({"sha256": SHA, "file": "../outside.pdf"})],
        [json.dumps({"sha256": SHA, "file": "/etc/hosts"})],
        [json.dumps({"sha256": SHA}), json.dumps({"sha256": SHA, "file": "other.pdf"})],
        [json.dumps({"sha256": SHA, "file": "a.pdf"}), json.dumps({"sha256": "cd" * 32, "file": "a.pdf"})],
    ],
)
def test_bad_manifests_are_refused_by_name(tmp_path: Path, lines: list[str]) -> None:
    (tmp_path / "m.jsonl").write_text("\n".join(lines))
    with pytest.raises(IntegrityError, match=r"m\.jsonl"):
        read_manifest(tmp_path / "m.jsonl")
