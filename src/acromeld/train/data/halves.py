# SPDX-License-Identifier: Apache-2.0
"""Two halves of the provenance groups, so that two networks can judge each other's training pages.

What is learned from a network's answers, the second looks, must see answers like those users get: about
pages the network was not trained on. A network of each half gives such answers for all training pages, and
the mean of both is one network that has learned from everything (`acromeld.model.averaging`).
"""

from __future__ import annotations

import hashlib
from typing import Literal

Half = Literal[0, 1]

_PURPOSE = "halves"


def half_of(group: str) -> Half:
    """The half a provenance group belongs to, by a hash of its name."""
    return 1 if hashlib.sha256(f"{_PURPOSE} {group}".encode()).digest()[0] % 2 else 0
