# SPDX-License-Identifier: Apache-2.0
"""One thread for matrix products within, and the caller's own number again afterwards."""

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import Barrier

import numpy as np  # noqa: F401  (brings the library whose threads are counted)
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import acromeld
from acromeld.detect.threads import one_thread

SAMPLE = Path(__file__).parents[2] / "examples" / "application.pdf"


def counts() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    """The program that calls us, on any machine: it has chosen two."""
    chosen = threadpool_limits(limits=2, user_api="blas")
    assert counts() == {2}
    yield
    chosen.restore_original_limits()


def test_one_within_and_the_old_number_afterwards():
    with one_thread():
        assert counts() == {1}
    assert counts() == {2}


def test_an_inner_end_is_not_the_outer_end():
    with one_thread():
        with one_thread():
            pass
        assert counts() == {1}
    assert counts() == {2}


def test_an_error_gives_the_number_back():
    with pytest.raises(ValueError, match="broken page"), one_thread():
        raise ValueError("broken page")
    assert counts() == {2}


def test_threads_that_overlap_leave_nothing_behind():
    first_is_in, second_is_in, first_is_out = Barrier(2), Barrier(2), Barrier(2)

    def first():
        with one_thread():
            first_is_in.wait(10)
            second_is_in.wait(10)
        first_is_out.wait(10)

    def second():
        first_is_in.wait(10)
        with one_thread():
            second_is_in.wait(10)
            first_is_out.wait(10)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(first), pool.submit(second)]:
            done.result()
    assert counts() == {2}


@pytest.mark.parametrize(("name", "inside"), [("acromeld", "as_candidates"), ("ffgbt", "describe")])
def test_detectors_work_on_a_page_with_one(name, inside, monkeypatch):
    module = import_module(f"acromeld.detect.{name}.detector")
    work, seen = getattr(module, inside), []

    def watched(*given, **named):
        seen.append(counts())
        return work(*given, **named)

    monkeypatch.setattr(module, inside, watched)
    acromeld.detect(SAMPLE, detector=name)
    assert seen
    assert set().union(*seen) == {1}
    assert counts() == {2}
