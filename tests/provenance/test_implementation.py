# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import acromeld
from acromeld.errors import IntegrityError
from acromeld.provenance.identity import RunIdentity, parse_identity
from acromeld.provenance.implementation import package_implementation, project_implementation


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "pyproject.toml": "a",
        "uv.lock": "b",
        "Makefile": "c",
        "runs/train.sh": "d",
        "src/pkg/core.py": "e",
        "src/pkg/config.yaml": "f",
        "README.md": "not code",
        "tests/test_a.py": "not counted",
        ".venv/lib/x.py": "not ours",
        "src/pkg/__pycache__/core.py": "not source",
    }
    for name, text in files.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_text(text)
    return tmp_path / "p"


def test_project_covers_code_shell_settings_and_locks(project: Path) -> None:
    found = project_implementation(project)
    assert found is not None
    assert list(found.files) == [
        "Makefile", "pyproject.toml", "runs/train.sh", "src/pkg/config.yaml", "src/pkg/core.py", "uv.lock",
    ]  # fmt: skip


def test_one_changed_character_changes_the_digest_and_is_named(project: Path, tmp_path: Path) -> None:
    before = project_implementation(project)
    shutil.copytree(project, tmp_path / "elsewhere")
    assert before is not None
    assert project_implementation(tmp_path / "elsewhere") == before
    (project / "README.md").write_text("another sentence")
    assert project_implementation(project) == before
    (project / "runs" / "train.sh").write_text("D")
    after = project_implementation(project)
    assert after is not None
    assert after.digest != before.digest
    assert after.differences(before) == ["runs/train.sh"]


def test_a_copied_package_has_the_digest_of_the_running_one(tmp_path: Path) -> None:
    shutil.copytree(Path(acromeld.__file__).parent, tmp_path / "acromeld")
    here = package_implementation()
    assert package_implementation(tmp_path / "acromeld").digest == here.digest
    assert "acromeld/provenance/gate.py" in here.files


def test_identity_has_one_digest_and_refuses_anything_but_digests() -> None:
    identity = RunIdentity(index="a" * 64, model="b" * 64, configuration="c" * 64, implementation="d" * 64)
    assert parse_identity(identity.record(), "here") == identity
    assert identity.model_copy(update={"pretrained": "e" * 64}).digest != identity.digest
    for wrong in ({}, identity.record() | {"index": "short"}, identity.record() | {"extra": 1}):
        with pytest.raises(IntegrityError, match="here is not a run identity"):
            parse_identity(wrong, "here")
