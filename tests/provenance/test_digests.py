# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.errors import IntegrityError
from acromeld.provenance.digests import (
    canonical_json,
    check_sidecar,
    check_sums,
    sha256_bytes,
    sha256_file,
    sha256_object,
    sums_text,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_canonical_json_survives_a_round_trip(value: object) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


def test_canonical_form_is_fixed() -> None:
    assert (
        canonical_json({"b": [1, 2.5, (True, None)], "a": "Größe"}) == '{"a":"Größe","b":[1,2.5,[true,null]]}'
    )
    assert (
        sha256_object({"a": 1, "b": 2}) == sha256_object({"b": 2, "a": 1}) == sha256_bytes(b'{"a":1,"b":2}')
    )


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {"a": [-float("inf")]}, {1: 2}, {"a": {1}}, b"x"]
)
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="canonical"):
        canonical_json(value)


def test_sums_are_what_sha256sum_checks(tmp_path: Path) -> None:
    (tmp_path / "sub folder").mkdir()
    for name in ("a.txt", "sub folder/b ü.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "SHA256SUMS").write_text(sums_text(tmp_path, ["sub folder/b ü.txt", "a.txt"]))
    command = ["sha256sum", "--strict", "-c", "SHA256SUMS"]
    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    check_sums(tmp_path / "SHA256SUMS")
    (tmp_path / "a.txt").write_text("b.txt")
    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 1
    with pytest.raises(IntegrityError, match=r"a\.txt\.$"):
        check_sums(tmp_path / "SHA256SUMS")


def test_names_that_would_need_escaping_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot stand"):
        sums_text(tmp_path, ["a\nb"])


def test_sidecar_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("{}")
    with pytest.raises(IntegrityError, match="missing"):
        check_sidecar(path)
    (tmp_path / "report.json.sha256").write_text(sha256_file(path) + "\n")
    assert check_sidecar(path) == sha256_bytes(b"{}")
    path.write_text("{ }")
    with pytest.raises(IntegrityError, match=r"report\.json"):
        check_sidecar(path)
