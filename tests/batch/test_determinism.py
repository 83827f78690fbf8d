# SPDX-License-Identifier: Apache-2.0
"""The same originals and weights give the same bytes, however many workers and whatever the hash seed."""

import os
import subprocess
import sys

import pytest

from acromeld.batch.job import Options
from tests.batch.batches import ROOT, batch, fill, tree
from tests.form.samples import flat
from tests.pdf import hostile

SAMPLE = ROOT / "examples" / "application.pdf"
PROGRAM = [sys.executable, "-c", "from acromeld.cli import main; main()", "batch"]


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """The outputs of one worker, with the shipped detector."""
    folder = tmp_path_factory.mktemp("one")
    files = {"a.pdf": flat(pages=2), "b.pdf": hostile.numbered("b", 2), "s/sample.pdf": SAMPLE.read_bytes()}
    fill(folder / "in", files | {"bad.pdf": b"no"})
    batch(folder / "in", folder / "out", Options())
    return folder / "in", tree(folder / "out")


def test_three_workers_write_what_one_does(one, tmp_path):
    source, files = one
    batch(source, tmp_path / "out", Options(), workers=3)
    assert tree(tmp_path / "out") == files


@pytest.mark.parametrize("seed", ["1", "4242"])
def test_the_hash_seed_does_not_show(one, tmp_path, seed):
    source, files = one
    environment = os.environ | {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [*PROGRAM, source, tmp_path / "out", "--workers", "1"],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 11, done.stderr
    assert tree(tmp_path / "out") == files
