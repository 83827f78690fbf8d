# SPDX-License-Identifier: Apache-2.0
"""The parameter table of a contract, as in the paper's appendix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from acromeld.model.acromeld import AcroMeld

if TYPE_CHECKING:
    from torch import nn

    from acromeld.model.contract import ModelContract


@dataclass(frozen=True)
class Description:
    """Parameters by component, in the order of the paper's table.

    Like the paper's table this counts every parameter, the two frozen scalars of the ECDet decoder included.
    """

    name: str
    digest: str
    components: tuple[tuple[str, int], ...]
    buffers: int

    @property
    def total(self) -> int:
        """All parameters."""
        return sum(count for _, count in self.components)

    def table(self) -> str:
        """The table as text, with shares."""
        rows = [*self.components, ("Total", self.total)]
        lines = [f"{name:<24}{count:>12,}{count / self.total:>8.1%}" for name, count in rows]
        return "\n".join(
            [f"contract {self.name}  sha256 {self.digest}", *lines, f"{'Buffers':<24}{self.buffers:>12,}"]
        )


def describe(contract: ModelContract) -> Description:
    """Count the parameters and buffers of a contract's model, without allocating them."""
    with torch.device("meta"):
        model = AcroMeld(contract)
    visual = _count(model.visual)
    backbone = _count(model.visual.backbone)
    components = (
        ("Visual backbone", backbone),
        ("Other visual modules", visual - backbone),
        ("Structure encoder", _count(model.structure)),
        ("Graph layers", _count(model.layers)),
        ("Query/seed embeddings", _count(model.queries)),
        ("Graph output heads", _count(model.heads)),
    )
    buffers = sum(buffer.numel() for buffer in model.buffers())
    return Description(contract.name, contract.digest(), components, buffers)


def _count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())
