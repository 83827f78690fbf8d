# SPDX-License-Identifier: Apache-2.0
"""Several processes as one: gradients are summed once a step, buffers come from the first process.

Gradients are exchanged after the last micro-batch of a step, in a few large messages. Micro-batches are dealt
to processes by `acromeld.train.data.sampler.share`, so that a step averages over the same set of them for any
number of processes. Without torchrun everything here is a no-op.
"""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor, nn

T = TypeVar("T")
_MESSAGE = 1 << 25
"""Elements of a message at the most; 128 MB in single precision."""


class Group:
    """This process among its peers."""

    def __init__(self, rank: int = 0, ranks: int = 1) -> None:
        self.rank, self.ranks = rank, ranks

    @property
    def first(self) -> bool:
        """Whether this process writes files."""
        return self.rank == 0

    def sum_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Sum of every parameter's gradient over all processes; one that has none counts as zero."""
        learning = [parameter for parameter in parameters if parameter.requires_grad]
        for parameter in learning:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        if self.ranks > 1:
            for message in _messages([p.grad for p in learning if p.grad is not None]):
                _exchange(message)

    def share_buffers(self, model: nn.Module) -> None:
        """Norm statistics of the first process for all, as they would else drift apart."""
        if self.ranks > 1:
            for message in _messages([b for b in model.buffers() if b.is_floating_point()]):
                flat = torch.cat([buffer.flatten() for buffer in message])
                dist.broadcast(flat, 0)
                _scatter(flat, message)

    def gather(self, value: T) -> list[T]:
        """The values of all processes, by rank."""
        if self.ranks == 1:
            return [value]
        values: list[T | None] = [None] * self.ranks
        dist.all_gather_object(values, value)
        return [item for item in values if item is not None]

    def agree(self, value: T) -> T:
        """The value of the first process."""
        return self.gather(value)[0]

    def close(self) -> None:
        """Leave the group."""
        if self.ranks > 1 and dist.is_initialized():
            dist.destroy_process_group()


def join_group() -> Group:
    """The group torchrun set up, or this process alone."""
    ranks = int(os.environ.get("WORLD_SIZE", "1"))
    if ranks == 1:
        return Group()
    if not dist.is_initialized():
        dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    return Group(dist.get_rank(), ranks)


def _messages(tensors: list[Tensor]) -> list[list[Tensor]]:
    """Tensors of one type together, up to the size of a message."""
    kinds: dict[torch.dtype, list[Tensor]] = defaultdict(list)
    for tensor in tensors:
        kinds[tensor.dtype].append(tensor)
    messages: list[list[Tensor]] = []
    for same in kinds.values():
        size = _MESSAGE
        for tensor in same:
            if size + tensor.numel() > _MESSAGE:
                messages.append([])
                size = 0
            messages[-1].append(tensor)
            size += tensor.numel()
    return messages


def _exchange(message: list[Tensor]) -> None:
    flat = torch.cat([tensor.flatten() for tensor in message])
    dist.all_reduce(flat)
    _scatter(flat, message)


def _scatter(flat: Tensor, message: list[Tensor]) -> None:
    parts = torch.split(flat, [tensor.numel() for tensor in message])
    for tensor, part in zip(message, parts, strict=True):
        tensor.copy_(part.view(tensor.shape))
