# SPDX-License-Identifier: Apache-2.0
"""The offline audit of dependencies passes here, and can fail."""

import ast

import pytest
from tools.audit import LOCKS, ROOT, foreign, import_problems, judged, licence_problems, lock_problems, pinned

HASH = "--hash=sha256:" + "0" * 64


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_package_is_pinned_with_a_hash(lock):
    assert pinned(lock)
    assert lock_problems(lock.name, lock.read_text("utf-8")) == []


def test_what_the_runtime_brings_along_is_freely_licensed():
    assert licence_problems(pinned(ROOT / "requirements" / "runtime.lock")) == []


def test_the_runtime_imports_only_what_is_pinned_for_it():
    packages = pinned(ROOT / "requirements" / "runtime.lock")
    assert import_problems(ROOT / "src" / "acromeld", packages) == []
    assert import_problems(ROOT / "src" / "acromeld", packages - {"pikepdf"})


@pytest.mark.parametrize(
    "line", ["a>=1 " + HASH, "a", "a==1", "a==1 --hash=sha256:00", "a @ https://example.org/a.whl"]
)
def test_loose_requirements_are_found(line):
    assert lock_problems("x.lock", line)
    assert lock_problems("x.lock", f"a==1.0 ; python_version < '4' \\\n    {HASH}\n") == []


@pytest.mark.parametrize(
    "told",
    ["AGPL-3.0-only", "GNU Affero General Public License v3", "GPL-2.0", "", "Proprietary", "SSPL-1.0"],
)
def test_licences_that_do_not_fit_are_found(told):
    assert judged("a", told)


@pytest.mark.parametrize(
    "told", ["MIT", "BSD-3-Clause", "Apache-2.0 AND MIT", "MPL-2.0", "GPL-2.0 OR MIT", "MIT-CMU"]
)
def test_licences_that_fit_pass(told):
    assert judged("a", told) == []


def test_imports_within_functions_are_seen():
    assert foreign(ast.parse("def f():\n    import fitz.utils\n    from os import path")) == {"fitz"}
