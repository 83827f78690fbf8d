# SPDX-License-Identifier: Apache-2.0
"""What lies beside a form is never taken for a part of the program, whatever its name."""

import ast
import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import acromeld
from acromeld.pdf.isolation import IsolatedReader
from acromeld.pdf.page import PageNeeds
from acromeld.serve.settings import Settings
from acromeld.serve.worker import Worker
from tests.batch.batches import batch, fill
from tests.form.samples import flat

STRANGERS = ("types", "resource", "struct", "acromeld")


@pytest.fixture(autouse=True)
def ran(tmp_path, monkeypatch):
    """A current folder with modules that say that they were run, and then break whoever runs them."""
    for name in STRANGERS:
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\nraise SystemExit(1)\n"
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path / "ran"


def test_the_reader_does_not_run_it(ran):
    with IsolatedReader() as reader:
        (page,) = reader.open(flat()).pages(PageNeeds())
    assert not page.skipped
    assert not ran.exists()


def test_a_worker_of_a_batch_does_not_run_it(ran, tmp_path):
    fill(tmp_path / "in", {"form.pdf": flat()})
    done = batch(tmp_path / "in", tmp_path / "out")
    assert not ran.exists()
    assert done.states() == {"form.pdf": "done"}


def test_a_worker_of_the_service_does_not_run_it(ran):
    async def start_and_stop() -> None:
        worker = await Worker.start(Settings())
        worker.kill()
        await worker.ended()

    # In a thread of its own: other tests of the process may have left a loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, start_and_stop()).result()
    assert not ran.exists()


def test_every_module_is_started_without_the_current_folder():
    """Also those of rooms that need more than a test has, like the environments of peers."""
    starts = [
        words
        for path in Path(acromeld.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.List | ast.Tuple)
        for words in [[item.value if isinstance(item, ast.Constant) else None for item in node.elts]]
        if "-m" in words
    ]
    assert len(starts) >= 3
    assert all(words[words.index("-m") - 1] == "-P" for words in starts)
