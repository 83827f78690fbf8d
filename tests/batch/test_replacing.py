# SPDX-License-Identifier: Apache-2.0
"""A batch that is run again replaces what it wrote itself, and nothing that a person has made of it."""

import hashlib
from dataclasses import replace

import pytest

from acromeld.batch.bench import Bench
from acromeld.batch.job import Job
from acromeld.errors import ExitCode
from tests.batch.batches import RULES, Instant, fill, instant, summary, tree

FORCED = replace(RULES, force=True)


@pytest.fixture
def folder(tmp_path):
    fill(tmp_path / "in", {"a.pdf": b"%PDF a", "b.pdf": b"%PDF b"})
    return tmp_path


@pytest.mark.parametrize("options", [RULES, FORCED], ids=["plain", "forced"])
@pytest.mark.parametrize("name", ["a.pdf", "a.fields.json"])
def test_an_output_somebody_has_worked_on_is_left_alone(folder, name, options):
    instant(folder / "in", folder / "out", options)
    before = tree(folder / "out")
    (folder / "out" / name).write_bytes(b"filled in by hand")
    for retry in (False, True):
        ran = instant(folder / "in", folder / "out", options, retry_failed=retry)
        assert ran.states() == {"a.pdf": "failed", "b.pdf": "done"}
        assert ran.entries["a.pdf"].outcome.code == ExitCode.OUTPUT
        assert ran.reason("a.pdf").startswith(f"{name} is not as this batch wrote it")
        assert (folder / "out" / name).read_bytes() == b"filled in by hand"
        assert summary(folder / "out")["files"][0]["output"] is None
    (folder / "out" / name).rename(folder / name)
    ran = instant(folder / "in", folder / "out", options, retry_failed=True)
    assert ran.jobs == ["a.pdf"]
    assert tree(folder / "out") == before


@pytest.mark.parametrize("redo", [False, True])
def test_a_changed_original_or_redo_replaces_our_own_outputs_only(folder, redo):
    instant(folder / "in", folder / "out")
    (folder / "out" / "b.pdf").write_bytes(b"by hand")
    fill(folder / "in", {"a.pdf": b"%PDF a, second edition", "b.pdf": b"%PDF b, second edition"})
    ran = instant(folder / "in", folder / "out", redo=redo)
    assert ran.states() == {"a.pdf": "done", "b.pdf": "failed"}
    assert (folder / "out" / "a.pdf").read_bytes() == b"%PDF a, second edition+"
    assert (folder / "out" / "b.pdf").read_bytes() == b"by hand"


def test_what_a_person_made_in_place_of_a_failure_is_not_replaced(folder):
    fill(folder / "in", {"a.pdf": b"damaged"})
    assert instant(folder / "in", folder / "out").states()["a.pdf"] == "failed"
    fill(folder / "out", {"a.pdf": b"made by hand"})
    fill(folder / "in", {"a.pdf": b"%PDF mended"})
    ran = instant(folder / "in", folder / "out", retry_failed=True)
    assert ran.entries["a.pdf"].outcome.code == ExitCode.OUTPUT
    assert (folder / "out" / "a.pdf").read_bytes() == b"made by hand"


def test_a_failure_does_not_forget_which_outputs_are_ours(folder):
    instant(folder / "in", folder / "out")
    fill(folder / "in", {"a.pdf": b"damaged"})
    ran = instant(folder / "in", folder / "out")
    assert ran.states()["a.pdf"] == "failed"
    assert summary(folder / "out")["files"][0]["output"] is None
    assert (folder / "out" / "a.pdf").read_bytes() == b"%PDF a+"
    fill(folder / "in", {"a.pdf": b"%PDF mended"})
    assert instant(folder / "in", folder / "out").states()["a.pdf"] == "done"
    assert (folder / "out" / "a.pdf").read_bytes() == b"%PDF mended+"


def test_the_advice_for_a_name_that_is_taken_can_be_followed(folder):
    fill(folder / "out", {"a.pdf": b"precious"})
    ran = instant(folder / "in", folder / "out")
    assert ran.jobs == ["b.pdf"]
    assert ran.reason("a.pdf") == (
        "a.pdf exists already and is not from this batch; move it away and run again with --retry-failed."
    )
    (folder / "out" / "a.pdf").rename(folder / "precious.pdf")
    assert instant(folder / "in", folder / "out", retry_failed=True).states()["a.pdf"] == "done"


def test_outputs_that_an_actor_may_not_write_go_back_to_the_driver(folder):
    """Whoever keeps the journal decides what becomes of them: a failure, or the end of the batch."""
    bench = Bench(RULES, str(folder / "out"))
    bench._pool = Instant()
    job = Job(1, "a.pdf", str(folder / "in" / "a.pdf"), "0" * 64, "a")
    fill(folder / "out", {"a.pdf": b"by hand"})
    refused = bench.work(job)
    assert refused.outcome.done
    assert (refused.delivered, sorted(refused.parts)) == (None, ["fields", "pdf"])
    assert tree(folder / "out") == {"a.pdf": b"by hand"}
    allowed = bench.work(replace(job, ours=frozenset({hashlib.sha256(b"by hand").hexdigest()})))
    assert allowed.parts == {}
    assert sorted(allowed.delivered.digests) == ["fields", "pdf"]
    assert (folder / "out" / "a.pdf").read_bytes() == b"%PDF a+"


@pytest.mark.parametrize(("work", "state"), [(b"by hand", "done"), (b"changed by hand", "failed")])
def test_copies_do_not_suffer_from_what_became_of_the_first(folder, work, state):
    """A change that keeps the size is not noticed by a run, but must not be copied."""
    fill(folder / "in", {"sub/a.pdf": b"%PDF a"})
    instant(folder / "in", folder / "out")
    fill(folder / "out", {"a.pdf": work})
    (folder / "out" / "sub" / "a.pdf").unlink()
    ran = instant(folder / "in", folder / "out")
    assert ran.jobs == ["a.pdf"]
    assert ran.states() == {"a.pdf": state, "b.pdf": "done", "sub/a.pdf": "done"}
    assert (folder / "out" / "a.pdf").read_bytes() == work
    assert (folder / "out" / "sub" / "a.pdf").read_bytes() == b"%PDF a+"
