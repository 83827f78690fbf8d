# SPDX-License-Identifier: Apache-2.0
"""The FFGBT that goes into an exported model is the one that judged the pages it learned from."""

from __future__ import annotations

import pytest

from acromeld.detect.ffgbt.weights import weights_file
from acromeld.errors import InputNotFound, IntegrityError
from acromeld.provenance.records import json_bytes
from acromeld.train.data.cache import SCHEMA, close_cache
from acromeld.train.data.experts import WHOLE, experts_digest
from acromeld.train.engine.identity import CONFIGURATION
from acromeld.train.engine.summary import expert_of
from acromeld.train.ffgbt.collect import FOLDS


@pytest.fixture
def experts(tmp_path):
    folder = tmp_path / "ffgbt"
    folder.mkdir()
    for name in (WHOLE, *(f"without-{fold}.npz" for fold in range(FOLDS))):
        (folder / name).write_bytes(weights_file())
    return folder


@pytest.fixture
def cache(tmp_path, experts):
    folder = tmp_path / "cache"
    folder.mkdir()
    head = {"schema": SCHEMA, "index": "0" * 64, "inputs": "1" * 64, "pictures_only": False}
    return close_cache(folder, head | {"experts": experts_digest(experts)}, [], {})


@pytest.fixture
def run(tmp_path, cache):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / CONFIGURATION).write_bytes(json_bytes({"cache": cache.digest}))
    return folder


def test_the_expert_of_a_run_is_traced_through_its_cache(run, cache, experts):
    assert expert_of(run, cache.folder, experts) == weights_file()


def test_both_folders_must_be_named(run, cache, experts):
    for given in ((None, experts), (cache.folder, None)):
        with pytest.raises(InputNotFound, match="--cache and --experts"):
            expert_of(run, *given)


def test_another_cache_is_refused(run, cache, experts):
    (run / CONFIGURATION).write_bytes(json_bytes({"cache": "2" * 64}))
    with pytest.raises(IntegrityError, match="did not learn from"):
        expert_of(run, cache.folder, experts)


def test_other_experts_are_refused(run, cache, experts):
    (experts / "without-0.npz").write_bytes(b"changed")
    with pytest.raises(IntegrityError, match="not judged by the weights"):
        expert_of(run, cache.folder, experts)
