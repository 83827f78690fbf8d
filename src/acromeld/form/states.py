# SPDX-License-Identifier: Apache-2.0
"""What the options of a button export, and under which names their appearances are kept.

The name of an appearance is what most programs export, so a plain option label is used as it is. Labels that
cannot be told apart, or that older viewers would mangle, go into /Opt and the appearances are numbered
(ISO 32000-2, 12.7.5.2.3 and 12.7.5.2.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.spoken import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

OFF = "/Off"
_YES = "Yes"
_LONGEST = 60


@dataclass(frozen=True)
class States:
    """Names of the on states, one per widget, and the values behind them where the names are only numbers."""

    names: tuple[str, ...]
    values: tuple[str, ...] | None = None

    def note_values(self, node: pikepdf.Dictionary) -> None:
        """Write /Opt where it is needed."""
        if self.values is not None:
            node["/Opt"] = pikepdf.Array([pikepdf.String(value) for value in self.values])


def check_state(option: str | None) -> States:
    """The state of a check box, Yes where nobody said what it means."""
    label = plain(option or "")
    return States((f"/{_YES}",)) if not label else option_states([label])


def option_states(options: Sequence[str | None]) -> States:
    """The states of the buttons of a radio field; an option without a label is known by its number."""
    labels = [plain(option or "") or str(number) for number, option in enumerate(options, 1)]
    if len(set(labels)) == len(labels) and all(map(_is_name, labels)):
        return States(tuple(f"/{label}" for label in labels))
    return States(tuple(f"/{number}" for number in range(len(labels))), tuple(labels))


def _is_name(label: str) -> bool:
    return label.isascii() and label.isprintable() and len(label) <= _LONGEST and f"/{label}" != OFF
