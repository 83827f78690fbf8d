# SPDX-License-Identifier: Apache-2.0
"""``acromeld model``: what the network is, before anybody trains it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter
from rich.table import Table

from acromeld.cli.console import print_json, wide_console

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
