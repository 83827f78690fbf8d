# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from acromeld.errors import IntegrityError, OutputProblem
from acromeld.evaluate.adapters import NATIVE, compare, score_page, total
from acromeld.evaluate.pages import PageKey, PredictedPage, TargetPage
from acromeld.evaluate.sharding import (
    assign,
    check_counts,
    check_sources,
    read_headers,
    read_shards,
    write_shard,
)
from acromeld.fields import DetectorRef, OperatingPoint
from tests.evaluate.made_up import corpus

REF = DetectorRef(name="rules")


@pytest.fixture
def shards(tmp_path: Path) -> tuple[Path, dict[PageKey, PredictedPage], dict[PageKey, TargetPage]]:
    predicted, targets = corpus(12, decoded=False)
    documents = {document for document, _ in predicted}
    for rank in (0, 1):
        mine = assign(documents, rank, 2)
        write_shard(tmp_path, rank, 2, [page for page in predicted.values() if page.document in mine], REF)
    return tmp_path, predicted, targets


def test_every_document_has_exactly_one_rank() -> None:
    names = [f"{number:02x}" for number in range(11)]
    parts = [assign(reversed(names), rank, 3) for rank in range(3)]
    assert sorted(name for part in parts for name in part) == names
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_shards_come_back_whole(shards: tuple) -> None:
    folder, predicted, targets = shards
    assert read_shards(folder).keys() == predicted.keys()
    headers = read_headers(folder)
    assert sum(header.pages for header in headers) == len(predicted)
    assert all(header.pages_per_second > 0 and header.peak_memory_bytes > 2**20 for header in headers)
    check_sources(headers, {document for document, _ in targets})


def test_a_changed_byte_is_noticed(shards: tuple) -> None:
    path = shards[0] / "shard-001.jsonl"
    path.write_bytes(path.read_bytes().replace(b"0.", b"0,", 1))
    with pytest.raises(IntegrityError, match=r"shard-001\.jsonl"):
        read_shards(shards[0])


def test_a_missing_shard_is_noticed(shards: tuple) -> None:
    (shards[0] / "shard-001.json").unlink()
    with pytest.raises(IntegrityError, match="complete"):
        read_shards(shards[0])


def test_a_header_of_another_run_is_noticed(shards: tuple) -> None:
    path = shards[0] / "shard-001.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"detector": {"name": "ffgbt"}}))
    with pytest.raises(IntegrityError, match="different runs"):
        read_shards(shards[0])


def test_other_sources_are_noticed(shards: tuple) -> None:
    documents = {document for document, _ in shards[2]}
    with pytest.raises(IntegrityError, match="1 documents have no predictions"):
        check_sources(read_headers(shards[0]), documents | {"f" * 64})


def test_sealed_counts_must_come_back(shards: tuple) -> None:
    folder, predicted, targets = shards
    point = OperatingPoint()
    sealed = total(score_page(page, NATIVE, point) for page in compare(predicted, targets)).counts()
    check_counts(read_shards(folder), targets, point, sealed)
    with pytest.raises(IntegrityError, match="sealed counts"):
        check_counts(read_shards(folder), targets, point, replace(sealed, matched=sealed.matched - 1))


def test_a_shard_is_written_once(shards: tuple) -> None:
    with pytest.raises(OutputProblem, match="written once"):
        write_shard(shards[0], 0, 2, [], REF)
