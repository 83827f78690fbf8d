# SPDX-License-Identifier: Apache-2.0
"""A run that is killed at any moment ends as if it had not been, and only its own checkpoints continue it."""

from __future__ import annotations

import os
import random
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from acromeld.errors import InputNotFound, IntegrityError, OutputProblem
from acromeld.provenance.implementation import Implementation, package_implementation
from acromeld.train.engine import checkpoint
from acromeld.train.engine.checkpoint import LAST, best_path, load_weights
from acromeld.train.engine.run import Live, Settings, Trainer
from tests.train.made_up import SMALL, made_cache, quick_plan
from tests.train.processes import run_together

NEVER = float("inf")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return made_cache(tmp_path_factory.mktemp("cache") / "pages")


@contextmanager
def quiet(code: Implementation):
    """Without plots, which take longer than everything else here, and with the code hashed once.

    A source file that is saved while the tests run is not what they are about.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acromeld.train.engine.metrics.plot", lambda rows: b"")
        for name in ("package_implementation", "project_implementation"):
            patch.setattr(f"acromeld.train.engine.identity.{name}", lambda: code)
        yield


@pytest.fixture(scope="module")
def code():
    return package_implementation()


@pytest.fixture(scope="module", autouse=True)
def all_quiet(code):
    with quiet(code):
        yield


class Killer(Live):
    """Kills its own process at the n-th thing that happens, without a chance to clean up."""

    def __init__(self, moment: int) -> None:
        self.left = moment

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        self.happens()

    def say(self, sentence: str) -> None:
        self.happens()

    def happens(self) -> None:
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


class Counter(Live):
    def __init__(self) -> None:
        self.moments = 0

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        self.moments += 1

    def say(self, sentence: str) -> None:
        self.moments += 1


def train(cache, out: Path, live: Live | None = None, every: float = NEVER, **more) -> Trainer:
    settings = Settings(checkpoint_minutes=every, **more)
    trainer = Trainer(quick_plan(), SMALL, cache, out, settings=settings, live=live)
    trainer.run()
    return trainer


def killed_run(code: Implementation, cache, out: Path, moment: int, every: float) -> None:
    """In a process of its own: train until the moment comes."""
    torch.set_num_threads(1)
    with quiet(code):
        train(cache, out, Killer(moment), every)


def dying_write(code: Implementation, cache, out: Path, name: str) -> None:
    """In a process of its own: die when half of a file of that name lies there under a temporary one."""
    torch.set_num_threads(1)
    real = checkpoint.write_atomically

    def dying(data: bytes, target: Path, *, overwrite: bool) -> None:
        if target.name.startswith(name) and target.parent.joinpath(LAST).exists():
            target.with_name(f".{target.name}.part").write_bytes(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        real(data, target, overwrite=overwrite)

    checkpoint.write_atomically = dying
    with quiet(code):
        train(cache, out)


@pytest.fixture(scope="module")
def unbroken(cache, tmp_path_factory):
    counter = Counter()
    trainer = train(cache, tmp_path_factory.mktemp("unbroken") / "run", counter)
    return trainer, counter.moments


def without_clocks(history):
    return [{k: v for k, v in row.items() if "seconds" not in k} for row in history]


def assert_same(trainer: Trainer, other: Trainer) -> None:
    for name, value in trainer.model.state_dict().items():
        assert torch.equal(value, other.model.state_dict()[name]), name
    for name, value in trainer.ema.module.state_dict().items():
        assert torch.equal(value, other.ema.module.state_dict()[name]), name
    assert without_clocks(trainer.state.history) == without_clocks(other.state.history)
    assert trainer.state.selection == other.state.selection
    best = [load_weights(best_path(t.out, t.state.selection.epoch))["state"] for t in (trainer, other)]
    assert all(torch.equal(value, best[1][name]) for name, value in best[0].items())


def test_a_run_has_three_phases_and_ends_with_its_last_cap(unbroken):
    trainer, _ = unbroken
    assert trainer.state.position.ended == "finale_epoch_cap"
    assert [row["phase"] for row in trainer.state.history] == ["visual", "graph", "finale"]
    assert (trainer.out / "metrics.jsonl").read_text().count("\n") == 3
    assert (trainer.out / "visual.pt").is_file()


@pytest.mark.parametrize("every", [0.0, NEVER], ids=["saved every step", "saved every epoch"])
def test_killed_three_times_a_run_ends_the_same_to_the_bit(unbroken, code, cache, tmp_path, every):
    whole, moments = unbroken
    draw = random.Random(f"{every}")
    killed = 0
    for _ in range(3):
        moment = draw.randrange(moments // 2)
        (ended,) = run_together(killed_run, [(code, cache, tmp_path / "run", moment, every)])
        assert ended in (-signal.SIGKILL, 0)
        killed += ended == -signal.SIGKILL
    assert killed >= 2
    assert_same(whole, train(cache, tmp_path / "run", every=every))


@pytest.mark.parametrize("name", [LAST, "best-"], ids=["state", "weights"])
def test_killed_while_writing_a_run_ends_the_same(unbroken, code, cache, tmp_path, name):
    assert run_together(dying_write, [(code, cache, tmp_path / "run", name)]) == [-signal.SIGKILL]
    assert_same(unbroken[0], train(cache, tmp_path / "run"))


def test_a_run_that_is_asked_to_stop_saves_first(unbroken, cache, tmp_path):
    asked = iter([False, True])
    stopped = train(cache, tmp_path / "run", stop=lambda: next(asked, True))
    assert stopped.state.position.ended is None
    assert stopped.state.position.total_steps == 2
    assert_same(unbroken[0], train(cache, tmp_path / "run"))


def test_a_finished_run_stays_as_it_is(unbroken, cache):
    again = train(cache, unbroken[0].out)
    assert_same(unbroken[0], again)


def refusal(cache, out, plan=None, contract=SMALL, error=IntegrityError, **more) -> str:
    with pytest.raises(error) as caught:
        Trainer(plan or quick_plan(), contract, cache, out, **more)
    return str(caught.value)


def test_another_plan_is_refused_and_named(unbroken, cache):
    said = refusal(cache, unbroken[0].out, quick_plan(seed=8, clip=0.3))
    assert "plan.clip (0.3 instead of 5.0)" in said
    assert "plan.seed (8 instead of 3407)" in said


def test_another_contract_is_refused_and_named(unbroken, cache):
    said = refusal(cache, unbroken[0].out, contract=SMALL.model_copy(update={"dropout": 0.2}))
    assert "contract.dropout (0.2 instead of 0.1)" in said


def test_another_cache_is_refused_and_named(unbroken, tmp_path):
    other = made_cache(tmp_path / "other", documents=5)
    assert "these differ: cache" in refusal(other, unbroken[0].out)


def test_other_development_pages_are_refused(unbroken, cache):
    assert "development.pages (1 instead of 2)" in refusal(cache, unbroken[0].out, development_pages=1)


def test_other_code_is_refused_until_it_is_accepted(unbroken, cache, monkeypatch):
    class Other:
        digest = "f" * 64

    monkeypatch.setattr("acromeld.train.engine.identity.package_implementation", lambda: Other)
    said = refusal(cache, unbroken[0].out)
    assert f"--accept-implementation {'f' * 64}" in said
    accepted = Settings(accept_implementation="f" * 64)
    again = Trainer(quick_plan(), SMALL, cache, unbroken[0].out, settings=accepted)
    assert again.identity == unbroken[0].identity


def test_a_checkpoint_of_another_run_is_refused(unbroken, cache, tmp_path):
    plan = quick_plan(seed=1)
    Trainer(plan, SMALL, cache, tmp_path / "other")
    (tmp_path / "other" / LAST).write_bytes((unbroken[0].out / LAST).read_bytes())
    assert "belongs to another run" in refusal(cache, tmp_path / "other", plan)


def test_a_damaged_checkpoint_is_refused(cache, tmp_path):
    Trainer(quick_plan(), SMALL, cache, tmp_path / "run")
    (tmp_path / "run" / LAST).write_bytes(b"not a checkpoint")
    assert "was changed or is damaged" in refusal(cache, tmp_path / "run")


def test_weights_of_a_run_start_another(unbroken, cache, tmp_path):
    source = unbroken[0].out / "visual.pt"
    plan = quick_plan().with_epochs({"visual": 0})
    contract = SMALL.model_copy(update={"word_buckets": 16})
    other = Trainer(plan, contract, cache, tmp_path / "run", pretrained=source)
    kept = load_weights(source)["state"]
    own = other.model.state_dict()
    assert all(torch.equal(own[name], value) for name, value in kept.items() if name.startswith("visual."))
    assert other.identity.pretrained is not None


def test_weights_of_another_raster_branch_are_refused(unbroken, cache, tmp_path):
    visual = SMALL.visual.model_copy(update={"neck": 12})
    contract = SMALL.model_copy(update={"visual": visual, "glimpse_width": 12})
    source = unbroken[0].out / "visual.pt"
    assert "another raster branch" in refusal(
        cache, tmp_path / "run", contract=contract, pretrained=source
    )  # fmt: skip


def test_a_batch_that_cannot_be_divided_is_refused(cache, tmp_path):
    trainer = Trainer(quick_plan(), SMALL, cache, tmp_path / "run", per_device={"visual": 3})
    with pytest.raises(InputNotFound, match="cannot be made of 3 pages"):
        trainer.run()


def test_nothing_is_written_over_by_hand(unbroken):
    with pytest.raises(OutputProblem, match="exists already"):
        checkpoint.write_atomically(b"", unbroken[0].out / LAST, overwrite=False)
