# SPDX-License-Identifier: Apache-2.0
"""Workers that die, hang, lie or overreach cost one document at the most."""

import sys
from dataclasses import replace

import pytest

from acromeld.batch.job import known_part
from acromeld.batch.pool import Pool
from acromeld.batch.run import Settings, run_batch
from acromeld.batch.sizing import WORKING_SET, usable_cores, worker_count
from acromeld.batch.worker import warm_up_page
from acromeld.errors import AcromeldError, ExitCode
from acromeld.fields import FieldKind
from acromeld.recovery import recover
from tests.batch.batches import NASTY, ROOT, RULES, Quiet, batch, fill, tree
from tests.pdf import hostile

SMALL = replace(RULES, memory_mb=2048)


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch):
    """Workers of the tests are modules of the tests."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def form(name: str) -> bytes:
    return hostile.numbered(name, 1)


def test_one_bad_attempt_costs_time_and_nothing_else(tmp_path):
    bad = ["crash", "hungry", "bug", "liar", "smuggler"]
    fill(tmp_path / "in", {f"{name}.pdf": form(name) for name in [*bad, "good"]})
    fill(tmp_path / "calm", {f"{name}.pdf": form(name) for name in [*bad, "good"]})
    ran = batch(tmp_path / "in", tmp_path / "out", SMALL, command=NASTY)
    assert set(ran.states().values()) == {"done"}
    batch(tmp_path / "calm", tmp_path / "expected", SMALL)
    assert tree(tmp_path / "out") == tree(tmp_path / "expected")
    assert not list(tmp_path.rglob("*escape*"))


def test_two_bad_attempts_are_a_failure_with_its_reason(tmp_path):
    bad = {
        "crash-twice.pdf": "crashed its worker (SIGSEGV), twice",
        "hungry-twice.pdf": "needs more memory than the limit of 2048 MB",
        "bug-twice.pdf": "unexpected RuntimeError",
        "liar-twice.pdf": "made its worker talk nonsense, twice",
    }
    fill(tmp_path / "in", {name: form(name) for name in [*bad, "good.pdf"]})
    ran = batch(tmp_path / "in", tmp_path / "out", SMALL, command=NASTY)
    assert {name for name, state in ran.states().items() if state == "done"} == {"good.pdf"}
    for name, reason in bad.items():
        assert name in ran.reason(name)
        assert reason in ran.reason(name)
    assert ran.entries["crash-twice.pdf"].outcome.code == ExitCode.LIMIT


def test_a_worker_that_does_not_get_on_is_ended(tmp_path):
    fill(tmp_path / "in", {"hang-twice.pdf": form("h"), "good.pdf": form("g")})
    ran = batch(tmp_path / "in", tmp_path / "out", replace(RULES, stall_seconds=4.0), command=NASTY)
    assert ran.states() == {"hang-twice.pdf": "failed", "good.pdf": "done"}
    assert ran.reason("hang-twice.pdf") == "hang-twice.pdf did not get on for 4 s, twice."


def test_the_kernel_ends_a_worker_that_computes_for_too_long(tmp_path):
    fill(tmp_path / "in", {"spin-twice.pdf": form("s")})
    limited = replace(RULES, file_seconds=1.0)

    class Patient(Pool):
        """The owner's clock is not looked at."""

        def _watch(self) -> None:
            pass

    with Patient(limited, 1, NASTY) as pool:
        (entry,) = run_batch(tmp_path / "in", tmp_path / "out", limited, Settings(), pool, Quiet())
    assert "used more than 1 s of CPU time" in entry.outcome.reason


def test_a_worker_cannot_write_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path / "in", {"writer-twice.pdf": form("w")})
    ran = batch(tmp_path / "in", tmp_path / "out", RULES, command=NASTY)
    assert "unexpected OSError" in ran.reason("writer-twice.pdf")
    written = tmp_path / "written-by-a-worker"
    assert not written.exists() or written.read_bytes() == b""


def test_workers_that_cannot_start_are_noticed(tmp_path):
    fill(tmp_path / "in", {"a.pdf": form("a")})
    with pytest.raises(AcromeldError, match="before they are ready; is 4096 MB enough"):
        batch(tmp_path / "in", tmp_path / "out", command=(sys.executable, "-c", "pass"))


def test_parts_have_known_names_only():
    assert all(map(known_part, ["pdf", "fields", "page-1", "page-00012"]))
    assert not any(map(known_part, ["", "page-", "page-1/../x", "../pdf", "page-1\n", "PDF", "page-123456"]))


@pytest.mark.parametrize(
    ("cores", "memory", "workers"),
    [(8, 100 * WORKING_SET, 8), (8, 4 * WORKING_SET, 3), (8, WORKING_SET // 2, 1), (1, 100 * WORKING_SET, 1)],
)
def test_as_many_workers_as_cores_and_memory_allow(cores, memory, workers):
    assert worker_count(cores, memory) == workers


def test_the_machine_has_a_size():
    assert 1 <= worker_count() <= usable_cores()


def test_the_first_page_of_a_worker_has_something_of_everything():
    """It has to make every library load what it loads on demand."""
    found = recover(warm_up_page(), detector="rules", isolated=False)
    kinds = {field.kind for page in found.fields.pages for field in page.fields}
    assert {FieldKind.TEXT, FieldKind.CHOICE} <= kinds
    assert found.fields.language == "en"
