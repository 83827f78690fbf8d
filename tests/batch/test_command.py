# SPDX-License-Identifier: Apache-2.0
"""``acromeld batch`` as people and programs call it."""

import json
import os
import signal
import subprocess
import sys

from acromeld.errors import ExitCode
from tests.batch.batches import fill, tree
from tests.cli.conftest import acromeld  # noqa: F401
from tests.form.samples import flat
from tests.pdf import hostile


def test_all_done_is_0_and_some_failed_is_11(acromeld, tmp_path):  # noqa: F811
    fill(tmp_path / "in", {"a.pdf": flat()})
    done = acromeld("batch", "in", "out", "--detector", "rules", "--workers", 1)
    assert done.code == ExitCode.OK
    assert done.err == ""
    assert done.out.startswith("out: 1 of 1 files done, 0 failed; 1 in this run.")
    fill(tmp_path / "in", {"b.pdf": b"hello"})
    done = acromeld("batch", "in", "out", "--detector", "rules", "--workers", 1)
    assert done.code == ExitCode.PARTIAL
    assert done.err == "acromeld: b.pdf is not a PDF, or is damaged beyond repair.\n"
    done = acromeld("batch", "in", "out", "--detector", "rules", "--json")
    assert done.code == ExitCode.PARTIAL
    told = json.loads(done.out)
    assert (told["files"], told["done"], told["failed"], told["now"]["files"]) == (2, 1, 1, 0)


def test_mistakes_are_one_sentence(acromeld, tmp_path):  # noqa: F811
    fill(tmp_path / "in", {"a.pdf": flat()})
    assert acromeld("batch", "no", "out").one_sentence() == "no does not exist."
    assert "among the originals" in acromeld("batch", "in", "in").one_sentence()
    assert acromeld("batch", "in", "out", "--detector", "magic").code == ExitCode.NOT_FOUND
    assert acromeld("batch", "in", "out", "--workers", "0").code == ExitCode.USAGE
    assert not (tmp_path / "out").exists()


def test_ctrl_c_ends_with_a_sentence_and_the_next_run_goes_on(tmp_path):
    fill(tmp_path / "in", {f"{number}.pdf": hostile.numbered(f"{number}", 2) for number in range(6)})
    script = (
        "import os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from acromeld.batch.run import Journal\n"
        "real = Journal.finish\n"
        "def finish(self, *a, **k):\n"
        "    real(self, *a, **k)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "Journal.finish = finish\n"
        "from acromeld.cli import main\n"
        "main(['batch', 'in', 'out', '--detector', 'rules', '--workers', '1'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, b"acromeld: stopped.\n")
    program = [sys.executable, "-c", "from acromeld.cli import main; main()"]
    arguments = ["batch", "in", "out", "--detector", "rules", "--workers", "1", "--json"]
    done = subprocess.run(
        [*program, *arguments], cwd=tmp_path, capture_output=True, check=True, env=os.environ
    )
    told = json.loads(done.stdout)
    assert (told["done"], told["now"]["files"]) == (6, 5)
    assert len([name for name in tree(tmp_path / "out") if name.endswith(".pdf")]) == 6
