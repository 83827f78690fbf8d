# SPDX-License-Identifier: Apache-2.0
"""Roles: which documents train, select, calibrate and test.

Paper, "Five internal roles and an external gate". Whole provenance groups are assigned, so near-duplicates
never face each other across a role boundary. The order in which groups are served is a salted hash of their
names: nobody chooses, and everybody gets the same answer. Groups that bear a signature are served separately
from the rest, because signatures are rare and a plain draw could leave a role without any.
"""

from __future__ import annotations

import hashlib
import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from acromeld.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Role(StrEnum):
    """The paper's five internal roles, in the order of its data table."""

    TRAIN_REAL = "train-real"
    TRAIN_SYNTHETIC = "train-synthetic"
    DEVELOPMENT = "development"
    CALIBRATION = "calibration"
    INTERNAL_TEST = "internal-test"


Shares = Mapping[Role, float]

DEFAULT_SHARES: Shares = {
    Role.TRAIN_REAL: 0.66,
    Role.DEVELOPMENT: 0.09,
    Role.CALIBRATION: 0.08,
    Role.INTERNAL_TEST: 0.17,
}
DEFAULT_SALT = "acromeld.roles/1"
LARGEST_GROUP = 0.25
"""A group of more pages than this part of a role's whole target is not put into that role."""


@dataclass(frozen=True)
class Group:
    """What assignment needs to know of a provenance group."""

    name: str
    pages: int
    signature: bool = False


def assign_roles(
    groups: Iterable[Group], shares: Shares = DEFAULT_SHARES, salt: str = DEFAULT_SALT
) -> dict[str, Role]:
    """A role for every group: in hash order, each goes to the eligible role least filled so far.

    "Filled" is pages given over pages due, counted per stratum (signature-bearing or not); ties go to the
    role that comes first in the table. A group larger than a quarter of what a role is due in all, and
    larger than the median group, is not eligible for it: otherwise one long document would *be* the
    calibration set. The role with the largest share takes any group.
    """
    everything = list(groups)
    _check(everything, shares)
    total = sum(group.pages for group in everything)
    usual = statistics.median([group.pages for group in everything]) if everything else 0.0
    limits = {role: max(LARGEST_GROUP * share * total, usual) for role, share in shares.items()}
    limits[max(shares, key=lambda role: shares[role])] = float("inf")
    roles: dict[str, Role] = {}
    for signature in (True, False):
        stratum = [group for group in everything if group.signature is signature]
        roles |= _assign(sorted(stratum, key=lambda group: _draw(group.name, salt)), shares, limits)
    return roles


def _assign(groups: list[Group], shares: Shares, limits: Mapping[Role, float]) -> dict[str, Role]:
    given: defaultdict[Role, int] = defaultdict(int)
    roles: dict[str, Role] = {}
    order = [role for role in Role if shares.get(role, 0.0) > 0]
    for group in groups:
        eligible = [role for role in order if group.pages <= limits[role]]
        role = min(eligible, key=lambda role: given[role] / shares[role])
        given[role] += group.pages
        roles[group.name] = role
    return roles


def _draw(name: str, salt: str) -> tuple[bytes, str]:
    return hashlib.sha256(f"{salt}\0{name}".encode()).digest(), name


def _check(groups: list[Group], shares: Shares) -> None:
    if len({group.name for group in groups}) != len(groups):
        raise ValueError("A group is listed twice.")
    if Role.TRAIN_SYNTHETIC in shares:
        raise ValueError("Synthetic documents have a role of their own; real pages have no share in it.")
    if not shares or min(shares.values()) < 0 or abs(sum(shares.values()) - 1.0) > 1e-9:
        raise ValueError("The shares of the real roles must be positive and add up to 1.")


def check_roles(rows: Iterable[tuple[str, str, str]]) -> None:
    """Refuse ``(content hash, group, role)`` rows in which a hash or a group has two roles."""
    seen: dict[tuple[str, str], str] = {}
    for sha256, group, role in rows:
        for key in (("document", sha256), ("group", group)):
            if seen.setdefault(key, role) != role:
                raise IntegrityError(f"The {key[0]} {key[1]} crosses roles: {seen[key]} and {role}.")
