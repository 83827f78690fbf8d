# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from acromeld.errors import InputNotFound, IntegrityError, OutputProblem
from acromeld.provenance.digests import check_sidecar, sha256_bytes, sha256_file
from acromeld.provenance.records import (
    create_bytes,
    create_copy,
    create_json,
    create_lines,
    create_sealed_json,
    ensure_bytes,
    read_json,
)


def test_a_record_is_written_once_and_read_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.json"
    assert create_json(path, {"b": 1, "a": 2}) == sha256_bytes(b'{"a":2,"b":1}\n')
    assert path.stat().st_mode & 0o222 == 0
    with pytest.raises(OutputProblem, match="only once"):
        create_json(path, {"b": 1, "a": 2})
    assert [entry.name for entry in path.parent.iterdir()] == ["a.json"]


def test_one_of_many_racing_writers_wins(tmp_path: Path) -> None:
    outcomes: list[bytes] = []
    barrier = threading.Barrier(8)

    def write(data: bytes) -> None:
        barrier.wait()
        try:
            create_bytes(tmp_path / "claim", data)
            outcomes.append(data)
        except OutputProblem:
            pass

    threads = [threading.Thread(target=write, args=(b"%d" % number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [(tmp_path / "claim").read_bytes()]


def test_a_failing_source_leaves_nothing(tmp_path: Path) -> None:
    def lines() -> Iterator[str]:
        yield "one"
        raise RuntimeError("the detector died")

    with pytest.raises(RuntimeError, match="died"):
        create_lines(tmp_path / "shard.jsonl", lines())
    assert list(tmp_path.iterdir()) == []


def test_copies_and_lines_have_the_digest_of_their_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"weights")
    assert create_copy(tmp_path / "a", tmp_path / "b") == sha256_bytes(b"weights")
    assert create_lines(tmp_path / "c", ["x", "ü"]) == sha256_bytes("x\nü\n".encode())


def test_ensure_accepts_the_same_content_only(tmp_path: Path) -> None:
    assert ensure_bytes(tmp_path / "a", b"x") == ensure_bytes(tmp_path / "a", b"x")
    with pytest.raises(OutputProblem, match="other content"):
        ensure_bytes(tmp_path / "a", b"y")


def test_processes_that_write_the_same_record_at_once_all_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def overtaken(source: Path, target: Path) -> None:
        Path(target).write_bytes(b"x")
        link(source, target)

    monkeypatch.setattr(os, "link", overtaken)
    assert ensure_bytes(tmp_path / "a", b"x") == sha256_bytes(b"x")
    with pytest.raises(OutputProblem, match="other content"):
        ensure_bytes(tmp_path / "b", b"y")


def test_a_record_that_cannot_be_written_is_not_taken_for_one_that_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", full)
    with pytest.raises(OutputProblem, match="cannot be written: No space left"):
        ensure_bytes(tmp_path / "a", b"x")


def test_sealed_records_have_their_sidecar(tmp_path: Path) -> None:
    digest = create_sealed_json(tmp_path / "r.json", {"schema": "x"})
    assert check_sidecar(tmp_path / "r.json") == digest == sha256_file(tmp_path / "r.json")


def test_reading_names_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"schema":"x"}')
    assert read_json(tmp_path / "a.json", schema="x") == {"schema": "x"}
    with pytest.raises(IntegrityError, match=r"a\.json has the format"):
        read_json(tmp_path / "a.json", schema="y")
    with pytest.raises(IntegrityError, match=r"a\.json was changed"):
        read_json(tmp_path / "a.json", digest="0" * 64)
    (tmp_path / "b.json").write_text("[")
    with pytest.raises(IntegrityError, match="not a JSON record"):
        read_json(tmp_path / "b.json")
    with pytest.raises(InputNotFound):
        read_json(tmp_path / "c.json")
