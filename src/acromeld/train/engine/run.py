# SPDX-License-Identifier: Apache-2.0
"""The loop: phases of epochs of steps, from a plan and a page cache to averaged weights and records."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from acromeld.corpus.roles import Role
from acromeld.errors import InputNotFound
from acromeld.form.output import write_atomically
from acromeld.model.acromeld import AcroMeld
from acromeld.train.data.loader import Lessons, Recipe, load
from acromeld.train.data.sampler import epoch_batches, lessons_of, share
from acromeld.train.engine.checkpoint import (
    RunState,
    best_path,
    forget_older,
    load_state,
    load_weights,
    random_state,
    save_state,
    save_weights,
    set_random_state,
)
from acromeld.train.engine.distributed import Group
from acromeld.train.engine.ema import Ema
from acromeld.train.engine.evaluation import development_rows, evaluate
from acromeld.train.engine.groups import make_optimiser, set_learning, set_rates
from acromeld.train.engine.identity import claim_folder, configuration, run_identity
from acromeld.train.engine.metrics import metric_row, write_history
from acromeld.train.engine.pretrained import start_from
from acromeld.train.engine.schedule import rate_share
from acromeld.train.engine.selection import Selection
from acromeld.train.engine.step import micro_loss

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from acromeld.model.contract import ModelContract
    from acromeld.train.data.cache import PageCache
    from acromeld.train.engine.plan import Phase, TrainingPlan

TRAINING_ROLES = (Role.TRAIN_REAL, Role.TRAIN_SYNTHETIC)


class Live:
    """Where a run tells how it goes; the command line shows it, tests do without."""

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Progress of a stage."""

    def row(self, row: dict[str, Any]) -> None:
        """A finished epoch."""

    def say(self, sentence: str) -> None:
        """Something worth knowing."""


@dataclass(frozen=True)
class Settings:
    """How a run is carried out; none of this changes what comes out of it.

    Attributes:
        minutes: Stop after so long, to be continued later; none for no limit.
        checkpoint_minutes: Time between checkpoints within an epoch.
        workers: Processes that read pages ahead.
        device: Where to compute.
        accept_implementation: Digest of changed code with which the run may go on.
        stop: Asked after every step whether to stop.
    """

    minutes: float | None = None
    checkpoint_minutes: float = 10.0
    workers: int = 0
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    accept_implementation: str | None = None
    stop: Callable[[], bool] = lambda: False


class _Stopped(Exception):
    """The time is up or somebody asked to stop; the state is saved."""


class Trainer:
    """One run in its folder; call `run` as often as it takes."""

    def __init__(
        self,
        plan: TrainingPlan,
        contract: ModelContract,
        cache: PageCache,
        out: Path,
        *,
        settings: Settings | None = None,
        group: Group | None = None,
        live: Live | None = None,
        development_pages: int | None = None,
        per_device: dict[str, int] | None = None,
        pretrained: Path | None = None,
    ) -> None:
        self.plan, self.cache, self.out = plan, cache, out
        self.settings, self.group, self.live = settings or Settings(), group or Group(), live or Live()
        self.device = self.settings.device
        self.per_device = {phase.name: phase.per_device for phase in plan.phases} | (per_device or {})
        self.training = lessons_of(
            cache.pages,
            cache.rows(*TRAINING_ROLES),
            synthetic_signatures=plan.synthetic_signatures,
            half=plan.half,
        )
        everything = cache.rows(Role.DEVELOPMENT)
        if not self.training or not everything:
            raise InputNotFound("The page cache needs pages to train on and development pages.")
        if cache.pictures_only and any(phase.trains != "visual" for phase in plan.phases):
            raise InputNotFound(f"{cache.folder} holds pictures only; all it can train is the raster branch.")
        self.development = development_rows(cache, everything, development_pages, plan.seed)
        torch.manual_seed(plan.seed)
        self.model = AcroMeld(contract).to(self.device)
        self.model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        digest = start_from(self.model, pretrained) if pretrained else None
        resolved = configuration(
            plan, contract, cache, development=self.development, ranks=self.group.ranks,
            per_device=self.per_device, pretrained=digest,
        )  # fmt: skip
        self._claim(resolved, contract)
        self.ema = self._fresh_ema()
        self.state = RunState()
        self.optimiser = make_optimiser(self.model, plan.phases[0], plan)
        self._resume()

    def _claim(self, resolved: dict[str, Any], contract: ModelContract) -> None:
        """The first process claims the folder, the others read what it wrote."""
        identity = run_identity(resolved, self.cache, contract)
        self.implementation = identity.implementation
        if self.group.first:
            identity = claim_folder(self.out, resolved, identity, self.settings.accept_implementation)
        self.identity = self.group.agree(identity)

    def _fresh_ema(self) -> Ema[AcroMeld]:
        return Ema(self.model, self.plan.ema_decay, warmup=self.plan.ema_warmup)

    def _resume(self) -> None:
        """Go on from ``last.pt`` if there is one."""
        content = load_state(self.out, self.identity.digest)
        if content is None:
            # Every process draws its own dropout.
            torch.manual_seed(self.plan.seed + 1 + self.group.rank)
            return
        self.state = content["state"]
        self.model.load_state_dict(content["model"])
        self.ema.module.load_state_dict(content["ema"])
        self.ema.updates = content["ema_updates"]
        self.optimiser = make_optimiser(self.model, self.phase, self.plan)
        self.optimiser.load_state_dict(content["optimiser"])
        set_random_state(content["random"][self.group.rank], self.device)
        position = self.state.position
        self.live.say(f"Going on after {position.epoch} epochs and {position.total_steps} steps.")

    @property
    def phase(self) -> Phase:
        """The current phase."""
        return self.plan.phases[self.state.position.phase]

    def run(self) -> str:
        """Train until the plan is done or the time is up; why it ended, or "stopped"."""
        self._began = self._saved = time.monotonic()
        try:
            while self.state.position.ended is None:
                self._epoch()
        except _Stopped:
            return "stopped"
        return self.state.position.ended

    def _epoch(self) -> None:
        position, phase = self.state.position, self.phase
        set_learning(self.model, phase, position.phase_epoch)
        size = self.per_device[phase.name]
        per_step = self._micro_batches_per_step(phase, size)
        batches = epoch_batches(
            self.cache.pages, self.training, self.model.contract.canvases,
            seed=self.plan.seed, epoch=position.epoch, size=size, per_step=per_step,
            signature_weight=self.plan.signature_weight,
        )  # fmt: skip
        steps = len(batches) // per_step
        accumulation = per_step // self.group.ranks
        mine = share(batches, self.group.rank, self.group.ranks)
        recipe = Recipe(self.plan.seed, self.plan.augmentation if phase.augment else None, self.plan.missing)
        lessons = Lessons(self.cache, self.model.contract.canvases, recipe, mine, self.training)
        for loaded in load(lessons, position.micro, self.settings.workers):
            weight = len(loaded.visits) / (size * per_step)
            self._micro(loaded.to(self.device).batch, weight)
            position.micro += 1
            if position.micro % accumulation == 0:
                self._step(steps)
                self._after_step(position.micro // accumulation, steps)
        self._finish_epoch(steps)

    def _micro_batches_per_step(self, phase: Phase, size: int) -> int:
        per_step, rest = divmod(phase.effective_batch, size)
        if rest or per_step % self.group.ranks:
            raise InputNotFound(
                f"A batch of {phase.effective_batch} pages cannot be made of {size} pages on each of"
                f" {self.group.ranks} devices."
            )
        return per_step

    def _micro(self, batch: Any, weight: float) -> None:
        """Forward and backward of one micro-batch; a step's weights add up to about one over all devices."""
        loss = micro_loss(self.model, batch, self.phase.trains, self.plan.precision)
        (loss.total * weight).backward()  # type: ignore[no-untyped-call]
        sums = self.state.position.sums
        for name, value in loss.floats().items():
            sums[name] = sums.get(name, 0.0) + value * weight

    def _step(self, steps: int) -> None:
        position = self.state.position
        share_of_rate = rate_share(position.step, steps, self.phase)
        set_rates(self.optimiser, self.phase, share_of_rate)
        parameters = [p for group in self.optimiser.param_groups for p in group["params"] if p.requires_grad]
        self.group.sum_gradients(parameters)
        norm = torch.nn.utils.clip_grad_norm_(parameters, self.plan.clip)
        if torch.isfinite(norm):
            self.optimiser.step()
            position.sums["gradient_norm"] = position.sums.get("gradient_norm", 0.0) + float(norm)
        else:
            position.skipped += 1
        self.optimiser.zero_grad(set_to_none=True)
        self.group.share_buffers(self.model)
        self.ema.update(self.model)
        position.step += 1
        position.total_steps += 1

    def _after_step(self, done: int, steps: int) -> None:
        """Tell, save now and then, and stop when it is time."""
        position = self.state.position
        loss = position.sums.get("total", 0.0) / done
        stage = f"{self.phase.name} {position.phase_epoch + 1}/{self.phase.max_epochs}"
        self.live.step(stage, done, steps, f"loss {loss:.3f}")
        now = time.monotonic()
        limit = self.settings.minutes
        late = limit is not None and now - self._began > 60 * limit
        if self.group.agree(late or self.settings.stop()):
            self._save()
            raise _Stopped
        if self.group.agree(now - self._saved > 60 * self.settings.checkpoint_minutes):
            self._save()

    def _save(self) -> None:
        now = time.monotonic()
        self.state.position.seconds += now - self._saved
        self._saved = now
        states = self.group.gather(random_state(self.device))
        if self.group.first:
            digest = self.identity.digest
            save_state(self.out, digest, self.state, self.model, self.ema, self.optimiser, states)

    def _finish_epoch(self, steps: int) -> None:
        """Evaluate the average, select, record, and decide what comes next."""
        position, phase, selection = self.state.position, self.phase, self.state.selection
        position.epoch += 1
        position.phase_epoch += 1
        began = time.monotonic()
        scores = self._evaluate()
        score = scores["native"]["micro"]["f1"] or 0.0
        better = selection.see(score, position.epoch, phase.min_increment)
        losses = self._mean_losses(steps)
        row = metric_row(
            epoch=position.epoch, phase=phase.name, scores=scores, losses=losses,
            rates={group["name"]: group["lr"] for group in self.optimiser.param_groups},
            steps=position.total_steps, skipped=position.skipped, best=better,
            seconds=round(position.seconds + began - self._saved, 1),
            evaluation_seconds=round(time.monotonic() - began, 1),
            implementation=self.implementation,
        )  # fmt: skip
        self.state.history.append(row)
        if better:
            selection.weights = self.group.agree(self._save_best(score))
        position.micro, position.sums, position.skipped = 0, {}, 0
        ended = selection.finished(phase, position.phase_epoch)
        if ended:
            self._next_phase(ended)
        self._save()
        if self.group.first:
            forget_older(self.out, self.state.selection.epoch)
            write_history(self.out, self.state.history)
        self.live.row(row)

    def _save_best(self, score: float) -> str:
        if not self.group.first:
            return ""
        epoch = self.state.position.epoch
        path, facts = best_path(self.out, epoch), {"epoch": epoch, "native_f1": score}
        return save_weights(path, self.ema.module, self.identity.digest, facts)

    def _evaluate(self) -> dict[str, Any]:
        stage = f"evaluating after epoch {self.state.position.epoch}"
        return evaluate(
            self.ema.module, self.cache, self.development, self.plan, self.phase.trains, self.group,
            device=self.device, workers=self.settings.workers,
            progress=lambda done, total: self.live.step(stage, done, total),
        )  # fmt: skip

    def _mean_losses(self, steps: int) -> dict[str, float]:
        """Means over the steps of the epoch, the same in every process but for its own part of the loss."""
        parts = self.group.gather(self.state.position.sums)
        names = list(dict.fromkeys(name for part in parts for name in part))
        totals = {name: sum(part.get(name, 0.0) for part in parts) for name in names}
        norm = totals.pop("gradient_norm", 0.0) / self.group.ranks
        return {name: value / steps for name, value in totals.items()} | {"gradient_norm": norm / steps}

    def _next_phase(self, ended: str) -> None:
        """Reload the best average, clear the optimiser, and begin the next phase, or end the run."""
        position = self.state.position
        self.live.say(f"Phase {self.phase.name} ended: {ended}.")
        if position.phase + 1 == len(self.plan.phases):
            position.ended = ended
            return
        selection = self.state.selection
        assert selection.epoch is not None
        path = best_path(self.out, selection.epoch)
        best = load_weights(path, selection.weights)
        if self.group.first and self.plan.phases[position.phase + 1].own_selection:
            # It is about to be forgotten, but other runs may want to start from it.
            write_atomically(path.read_bytes(), self.out / f"{self.phase.name}.pt", overwrite=True)
        self.model.load_state_dict(best["state"])
        self.ema = self._fresh_ema()
        position.phase += 1
        position.phase_epoch = position.step = 0
        kept = Selection() if self.phase.own_selection else selection
        self.state.selection = Selection(kept.best, kept.epoch, kept.best, weights=kept.weights)
        self.optimiser = make_optimiser(self.model, self.phase, self.plan)
