# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from acromeld.evaluate import bootstrap
from acromeld.evaluate.bootstrap import cluster_bootstrap, paired_bootstrap, resampled_sums

COUNTS = np.array([[8, 10, 9], [0, 3, 0], [50, 60, 70], [1, 1, 5], [20, 21, 22]], dtype=np.int64)


def test_sums_equal_a_document_by_document_resample() -> None:
    rng = np.random.default_rng(12345)
    expected = []
    for _ in range(200):
        drawn = rng.integers(len(COUNTS), size=len(COUNTS))
        expected.append([sum(int(COUNTS[document, column]) for document in drawn) for column in range(3)])
    assert resampled_sums(COUNTS, 200, 12345).tolist() == expected


def test_memory_chunks_do_not_change_the_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resampled_sums(COUNTS, 100, 1)
    monkeypatch.setattr(bootstrap, "_CHUNK_DRAWS", 7)
    assert resampled_sums(COUNTS, 100, 1).tolist() == whole.tolist()


def test_interval_is_the_percentile_of_the_ratios() -> None:
    sums = resampled_sums(COUNTS, 1000, 12345)
    f1 = sorted(2 * m / (p + t) for m, p, t in sums.tolist())
    interval = cluster_bootstrap(COUNTS, resamples=1000)["f1"]
    assert interval is not None
    assert interval.low == pytest.approx(np.percentile(f1, 2.5))
    assert interval.high == pytest.approx(np.percentile(f1, 97.5))
    assert interval.low < 2 * 79 / (95 + 106) < interval.high


def test_undefined_resamples_are_counted_and_nothing_is_undefined_silently() -> None:
    counts = np.array([[0, 0, 4], [1, 2, 1]], dtype=np.int64)
    interval = cluster_bootstrap(counts, resamples=1000)["precision"]
    assert interval is not None
    assert 150 < interval.undefined_resamples < 350
    silent = cluster_bootstrap(np.array([[0, 0, 4]], dtype=np.int64), resamples=10)
    assert silent["precision"] is None
    assert silent["recall"] is not None
    assert cluster_bootstrap(np.zeros((0, 3), dtype=np.int64)) == {
        "precision": None,
        "recall": None,
        "f1": None,
    }


def test_paired_differences_are_of_the_same_documents_in_every_resample() -> None:
    after = COUNTS + np.array([[-1, 0, 0], [0, -2, 0], [5, 5, 0], [0, 1, 0], [0, 0, 0]])
    sums = [resampled_sums(counts, 500, 12345).tolist() for counts in (COUNTS, after)]
    pairs = zip(*sums, strict=True)
    changes = [2 * a[0] / (a[1] + a[2]) - 2 * b[0] / (b[1] + b[2]) for b, a in pairs]
    interval = paired_bootstrap(COUNTS, after, resamples=500)
    assert interval is not None
    assert interval.low == pytest.approx(np.percentile(changes, 2.5))
    assert interval.high == pytest.approx(np.percentile(changes, 97.5))
    same = paired_bootstrap(COUNTS, COUNTS, resamples=50)
    assert same is not None
    assert (same.low, same.high) == (0.0, 0.0)
    nothing = np.zeros((2, 3), dtype=np.int64)
    assert paired_bootstrap(nothing, nothing, resamples=5) is None
    assert paired_bootstrap(nothing[:0], nothing[:0]) is None
