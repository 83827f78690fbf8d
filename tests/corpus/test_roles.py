# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acromeld.corpus.roles import DEFAULT_SHARES, LARGEST_GROUP, Group, Role, assign_roles, check_roles
from acromeld.errors import IntegrityError

GROUPS = st.lists(st.tuples(st.integers(1, 60), st.booleans()), min_size=1, max_size=120).map(
    lambda rows: [Group(f"g{number}", pages, signed) for number, (pages, signed) in enumerate(rows)]
)


def pages_by_role(groups: list[Group], roles: dict[str, Role]) -> Counter[Role]:
    pages: Counter[Role] = Counter()
    for group in groups:
        pages[roles[group.name]] += group.pages
    return pages


@settings(max_examples=100, deadline=None)
@given(groups=GROUPS, salt=st.text(max_size=5))
def test_every_group_gets_one_real_role_whatever_the_order(groups: list[Group], salt: str) -> None:
    roles = assign_roles(groups, salt=salt)
    assert roles.keys() == {group.name for group in groups}
    assert Role.TRAIN_SYNTHETIC not in roles.values()
    assert assign_roles(groups[::-1], salt=salt) == roles


@settings(max_examples=100, deadline=None)
@given(groups=GROUPS)
def test_no_role_but_training_holds_a_giant(groups: list[Group]) -> None:
    total = sum(group.pages for group in groups)
    usual = sorted(group.pages for group in groups)[len(groups) // 2]
    for name, role in assign_roles(groups).items():
        pages = next(group.pages for group in groups if group.name == name)
        if role is not Role.TRAIN_REAL:
            assert pages <= max(LARGEST_GROUP * DEFAULT_SHARES[role] * total, usual)


@pytest.mark.parametrize("salt", ["a", "b", "c", "d"])
@pytest.mark.parametrize("signed", [True, False])
def test_shares_hold_in_both_strata(salt: str, signed: bool) -> None:
    groups = [Group(f"g{n}", 1 + n * n % 9, n % 6 == 0) for n in range(900)]
    stratum = [group for group in groups if group.signature is signed]
    pages = pages_by_role(stratum, assign_roles(groups, salt=salt))
    total = sum(pages.values())
    for role, share in DEFAULT_SHARES.items():
        assert pages[role] / total == pytest.approx(share, abs=0.015)


def test_a_giant_goes_to_training_and_the_rest_keeps_its_shares() -> None:
    groups = [Group("giant", 300), *(Group(f"g{n}", 3) for n in range(700))]
    roles = assign_roles(groups)
    assert roles["giant"] is Role.TRAIN_REAL
    assert pages_by_role(groups, roles)[Role.CALIBRATION] / 2400 == pytest.approx(0.08, abs=0.015)


def test_the_salt_changes_the_draw() -> None:
    groups = [Group(f"g{n}", 2) for n in range(100)]
    assert assign_roles(groups, salt="one") != assign_roles(groups, salt="two")


@pytest.mark.parametrize(
    "shares",
    [{}, {Role.TRAIN_REAL: 0.5}, {Role.TRAIN_REAL: 1.2, Role.CALIBRATION: -0.2}, {Role.TRAIN_SYNTHETIC: 1.0}],
)
def test_impossible_shares_are_refused(shares: dict[Role, float]) -> None:
    with pytest.raises(ValueError, match="role"):
        assign_roles([Group("g", 1)], shares)


def test_a_hash_or_group_in_two_roles_is_refused() -> None:
    check_roles([("a", "g", "train-real"), ("b", "g", "train-real")])
    with pytest.raises(IntegrityError, match="group g"):
        check_roles([("a", "g", "train-real"), ("b", "g", "calibration")])
    with pytest.raises(IntegrityError, match="document a"):
        check_roles([("a", "g", "train-real"), ("a", "h", "calibration")])
