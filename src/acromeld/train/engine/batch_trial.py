# SPDX-License-Identifier: Apache-2.0
"""How many pages a device takes at a time: tried out on the worst page there is, not guessed.

Paper: "an empirical worst-case forward/backward trial on a 2048 x 1440 page with 849 targets and 512
structure tokens selected four pages per device; ... batch eight allocated 44.57 GiB and was rejected by the
reserve policy." Each size is tried in a process of its own, so that one that runs out of memory ends only
itself.
"""

from __future__ import annotations

import os
import resource
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import torch

from acromeld.errors import LimitExceeded
from acromeld.model.acromeld import AcroMeld
from acromeld.model.batch import Batch, Targets, TokenBatch
from acromeld.train.engine.groups import make_optimiser, set_learning
from acromeld.train.engine.step import micro_loss

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

    from acromeld.model.contract import ModelContract
    from acromeld.train.engine.plan import Phase, TrainingPlan

TRIAL = "batch-trial.json"
RESERVE = 0.1
"""Share of a device's memory that must stay free."""


@dataclass(frozen=True)
class Trial:
    """One size: peak memory in bytes, none when it ran out of memory, and whether the policy accepts it."""

    per_device: int
    peak: int | None
    accepted: bool


@dataclass(frozen=True)
class TrialRecord:
    """The outcome for a phase, as it is kept with the run."""

    phase: str
    device: str
    memory: int
    reserve: float
    canvas: tuple[int, int]
    targets: int
    tokens: int
    trials: tuple[Trial, ...]

    @property
    def chosen(self) -> int:
        """The largest accepted size."""
        sizes = [trial.per_device for trial in self.trials if trial.accepted]
        if not sizes:
            raise LimitExceeded(f"Not even one page at a time fits into the memory of {self.device}.")
        return max(sizes)

    def record(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"chosen": self.chosen}


def worst_batch(contract: ModelContract, pages: int, targets: int, device: torch.device) -> Batch:
    """A batch of the fullest pages a contract allows, on its largest canvas."""
    generator = torch.Generator().manual_seed(0)
    canvas = worst_canvas(contract)
    tokens = contract.max_tokens + contract.max_evidence

    def boxes(*shape: int) -> torch.Tensor:
        low = torch.rand(*shape, 2, generator=generator) * 0.9
        return torch.cat([low, low + 0.02 + torch.rand(*shape, 2, generator=generator) * 0.08], dim=-1)

    everywhere = torch.ones(pages, tokens, dtype=torch.bool)
    kind = torch.randint(1, contract.token_kinds, (pages, tokens), generator=generator)
    kind[:, 0] = 0
    structure = TokenBatch(
        kind=kind,
        box=boxes(pages, tokens),
        descriptor=torch.rand(pages, tokens, contract.descriptor, generator=generator),
        text=torch.randint(0, 256, (pages, tokens, contract.text_bytes), generator=generator).to(torch.uint8),
        available=everywhere,
        mask=everywhere.clone(),
    )
    pictures = torch.rand(pages, contract.channels, *canvas, generator=generator).to(device)
    truth = []
    for page in range(pages):
        corners = boxes(targets)
        centre = torch.cat([(corners[:, :2] + corners[:, 2:]) / 2, corners[:, 2:] - corners[:, :2]], dim=-1)
        labels = torch.arange(targets) % contract.classes
        truth.append(Targets(f"worst page {page + 1}", centre.to(device), labels.to(device)))
    layout = pictures.to(memory_format=torch.channels_last)
    return Batch(layout, structure.to(device), tuple(truth))


def worst_canvas(contract: ModelContract) -> tuple[int, int]:
    """The canvas with the most pixels."""
    sizes = (contract.canvases.portrait, contract.canvases.landscape, contract.canvases.square)
    return max(sizes, key=lambda size: size[0] * size[1])


def peak_memory(
    contract: ModelContract, plan: TrainingPlan, phase: Phase, size: int, targets: int, device: torch.device
) -> int:
    """Bytes at the peak of one whole step, optimiser included, in this process."""
    model = AcroMeld(contract).to(device)
    set_learning(model, phase, phase.frozen_backbone_epochs)
    optimiser = make_optimiser(model, phase, plan)
    batch = worst_batch(contract, size, targets, device)
    loss = micro_loss(model, batch, phase.trains, plan.precision)
    loss.total.backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def device_memory(device: torch.device) -> int:
    """Bytes a device has."""
    if device.type == "cuda":
        return int(torch.cuda.get_device_properties(device).total_memory)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def try_sizes(
    contract: ModelContract,
    plan: TrainingPlan,
    phase: Phase,
    *,
    targets: int,
    device: torch.device,
    ranks: int = 1,
    sizes: Sequence[int] = (1, 2, 4, 8, 16, 32),
    reserve: float = RESERVE,
    memory: int | None = None,
) -> TrialRecord:
    """Try sizes that divide the effective batch, smallest first, until the policy refuses one."""
    memory = memory or device_memory(device)
    targets = min(targets, contract.queries)
    trials: list[Trial] = []
    for size in (size for size in sizes if phase.effective_batch % (size * ranks) == 0):
        peak = _in_own_process(contract, plan, phase, size, targets, device)
        accepted = peak is not None and peak <= (1 - reserve) * memory
        trials.append(Trial(size, peak, accepted))
        if not accepted:
            break
    tokens = contract.max_tokens + contract.max_evidence
    canvas = worst_canvas(contract)
    return TrialRecord(phase.name, str(device), memory, reserve, canvas, targets, tokens, tuple(trials))


def _in_own_process(*arguments: Any) -> int | None:
    context = get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=_report, args=(send, torch.get_num_threads(), *arguments))
    process.start()
    send.close()
    try:
        peak: int | None = receive.recv()
    except EOFError:
        peak = None
    process.join()
    return peak


def _report(send: Connection, threads: int, *arguments: Any) -> None:
    torch.set_num_threads(threads)
    try:
        peak: int | None = peak_memory(*arguments)
    except (MemoryError, torch.OutOfMemoryError):
        peak = None
    send.send(peak)
