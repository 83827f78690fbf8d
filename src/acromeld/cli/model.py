# SPDX-License-Identifier: Apache-2.0
"""``acromeld model``: what the network is, before anybody trains it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter
from rich.table import Table

from acromeld.cli.console import print_json, wide_console
from acromeld.errors import OutputProblem

if TYPE_CHECKING:
    from acromeld.model.describe import Description

app = App(name="model", help="The network of the paper and its contracts.")


@app.command
def describe(
    contract: Literal["paper", "compact"], /, *, json: Annotated[bool, Parameter(negative="")] = False
) -> int:
    """Print the parameters of a contract by component, its buffers and its digest.

    Args:
        contract: The registered sizes of the paper, or those that two cores can train.
        json: Print the same numbers as JSON.
    """
    from acromeld.model.contract import CONTRACTS
    from acromeld.model.describe import describe as count

    told = count(CONTRACTS[contract])
    if json:
        print_json(_as_json(told))
    else:
        _print_table(told)
    return 0


@app.command
def export(
    weights: Path,
    out: Path,
    /,
    *,
    expert: Path | None = None,
    half: Annotated[bool, Parameter(negative="")] = False,
    force: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Write the ONNX file that the detector acromeld runs.

    Args:
        weights: A trained model: contract and weights in one .pt file.
        out: The file to write.
        expert: Weights of the FFGBT whose opinions the model reads; by default those that ship.
        half: Round the weights to half precision; the file is half as large. Evaluate what you ship.
        force: Replace a file that is already there.
    """
    from acromeld.detect.ffgbt.weights import weights_file
    from acromeld.model.export import export_onnx, round_to_half
    from acromeld.model.saved import load_model

    if out.exists() and not force:
        raise OutputProblem(f"{out} is already there; use --force to replace it.")
    model = load_model(weights)
    if half:
        round_to_half(model)
    data = export_onnx(model, weights_file(expert) if model.contract.opinions else None)
    try:
        out.write_bytes(data)
    except OSError as error:
        raise OutputProblem(f"{out} cannot be written: {error.strerror}.") from None
    digest = hashlib.sha256(data).hexdigest()
    print(f"{out}: contract {model.contract.name}, {len(data) / 1e6:.1f} MB, sha256 {digest}")
    return 0


@app.command
def transfer(checkpoint: Path, /) -> int:
    """Check a published ECDet-L checkpoint and print how much of the visual branch it fills.

    Args:
        checkpoint: A .pth or .safetensors file; one with other tensors is refused with their names.
    """
    from acromeld.model.contract import PAPER, EcdetContract
    from acromeld.model.visual.ecdet import EcdetL
    from acromeld.model.visual.transfer import read_checkpoint
    from acromeld.model.visual.transfer import transfer as fill

    branch = EcdetL(PAPER.classes, PAPER.visual_queries, EcdetContract().denoising)
    told = fill(branch, read_checkpoint(checkpoint))
    print(f"{told.transferred:,} of {told.total:,} parameters of the visual branch: {told.share:.4f} %")
    print(f"mean of the class rows: {', '.join(told.averaged)}")
    print(f"left random: {', '.join(told.random)}")
    return 0


def _as_json(told: Description) -> dict[str, object]:
    return {
        "contract": told.name,
        "sha256": told.digest,
        "parameters": dict(told.components),
        "total": told.total,
        "buffers": told.buffers,
    }


def _print_table(told: Description) -> None:
    table = Table(title=f"Contract {told.name}", title_justify="left")
    table.add_column("Component")
    table.add_column("Parameters", justify="right")
    table.add_column("Share", justify="right")
    for name, count in told.components:
        table.add_row(name, f"{count:,}", f"{count / told.total:.1%}")
    table.add_section()
    table.add_row("Total", f"{told.total:,}", "100.0%")
    table.add_row("Buffers", f"{told.buffers:,}", "")
    wide_console().print(table, f"sha256 {told.digest}", highlight=False)
