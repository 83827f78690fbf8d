# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

import acromeld.peers.commonforms
from acromeld.errors import IntegrityError
from acromeld.peers.commonforms import environment, isolated, open_peer
from acromeld.peers.commonforms.network import open_network
from acromeld.peers.commonforms.steps import PeerUnavailable, command, once, write_text


def test_without_set_up_the_user_is_told_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(PeerUnavailable, match="acromeld peers commonforms setup"):
        open_peer("s", "plain1216", folder=tmp_path)


def test_a_finished_environment_is_read_from_its_record(tmp_path: Path) -> None:
    record = {"weights": {"s": "aa", "l": "bb"}, "onnx": {"s": "cc", "l": "dd"}}
    (tmp_path / environment.RECORD).write_text(json.dumps(record))
    made = environment.load(tmp_path)
    assert made.network("s") == tmp_path / "onnx" / "FFDNet-S.onnx"
    assert made.checkpoint("l") == tmp_path / "weights" / "FFDNet-L.pt"
    assert open_peer("l", "packaged", folder=tmp_path).ref.weights == "bb"


def test_a_changed_network_is_not_run(tmp_path: Path) -> None:
    made = environment.Artifacts(tmp_path, {"s": "aa"}, {"s": "cc"})
    made.network("s").parent.mkdir()
    made.network("s").write_bytes(b"something else")
    with pytest.raises(IntegrityError, match="changed since it was exported"):
        open_network(made, "s")


def test_a_step_is_done_once_and_again_when_its_recipe_changes(tmp_path: Path) -> None:
    done: list[str] = []
    for recipe in ("a", "a", "b"):
        once(tmp_path, "step", recipe, lambda recipe=recipe: done.append(recipe))
    assert done == ["a", "b"]


def test_a_step_that_failed_is_done_again(tmp_path: Path) -> None:
    def fail() -> None:
        raise PeerUnavailable("no.")

    with pytest.raises(PeerUnavailable):
        once(tmp_path, "step", "a", fail)
    assert once(tmp_path, "step", "a", lambda: None)


def test_a_failing_command_is_one_sentence() -> None:
    with pytest.raises(PeerUnavailable) as failure:
        command([sys.executable, "-c", "raise SystemExit('first\\nthe last line')"], "The work")
    assert str(failure.value) == "The work failed: the last line."


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_text(target, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(target, "\ud800")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("program", [isolated.EXPORT, isolated.REFERENCE, *isolated.STUB_FILES.values()])
def test_programs_for_the_other_environment_are_python(program: str) -> None:
    if not program.startswith("Metadata-Version"):
        ast.parse(program)


def test_nothing_of_ours_imports_the_toolkit() -> None:
    forbidden = {"ultralytics", "commonforms", "torch", "torchvision", "cv2"}
    for file in Path(acromeld.peers.commonforms.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not forbidden & {name.split(".")[0] for name in names}, file.name
