# SPDX-License-Identifier: Apache-2.0
"""The same batch on a local Ray: the same bytes, also when an actor is killed in the middle."""

import os
import signal

import pytest

from acromeld.batch.ray_engine import RayEngine
from acromeld.batch.run import Settings, run_batch
from tests.batch.batches import ROOT, RULES, Quiet, batch, fill, tree
from tests.pdf import hostile

ray = pytest.importorskip("ray", reason="Ray is an extra that make test-ray installs and tests, also in CI")


@pytest.fixture(scope="module")
def cluster():
    """Two CPUs for all tests; actors find the tests' modules by path."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0", "PYTHONPATH": path}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()
    del os.environ["PYTHONPATH"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Ten forms of different lengths and a bad file, and what the pool makes of them."""
    folder = tmp_path_factory.mktemp("ray")
    files = {f"{number}.pdf": hostile.numbered(f"{number}", 1 + number % 3) for number in range(10)}
    fill(folder / "in", files | {"bad.pdf": b"no"})
    batch(folder / "in", folder / "pool")
    return folder / "in", tree(folder / "pool")


@pytest.mark.parametrize("data", ["shared", "store"])
def test_ray_writes_what_the_pool_writes(cluster, expected, tmp_path, data):
    source, files = expected
    with RayEngine(RULES, out=tmp_path / "out", workers=2, data=data) as engine:
        run_batch(source, tmp_path / "out", RULES, Settings(), engine, Quiet())
    assert tree(tmp_path / "out") == files


class KillsOne:
    """Ends the process of one actor after the first outcome, when both have documents waiting."""

    def __init__(self, engine: RayEngine) -> None:
        self.engine = engine
        self.killed = 0

    def run(self, jobs):
        victim = ray.get(self.engine.actors[0].pid.remote())
        for finished in self.engine.run(jobs):
            if not self.killed:
                os.kill(victim, signal.SIGKILL)
                self.killed = victim
            yield finished


def test_a_killed_actor_costs_nothing_but_time(cluster, expected, tmp_path):
    source, files = expected
    with RayEngine(RULES, out=tmp_path / "out", workers=2) as engine:
        deadly = KillsOne(engine)
        run_batch(source, tmp_path / "out", RULES, Settings(), deadly, Quiet())
        assert ray.get(engine.actors[0].pid.remote()) != deadly.killed
    assert tree(tmp_path / "out") == files


def test_a_batch_of_the_pool_is_finished_by_ray(cluster, expected, tmp_path):
    """One journal, whoever does the work."""
    source, files = expected
    fill(tmp_path / "in", {path.name: path.read_bytes() for path in list(source.iterdir())[:4]})
    batch(tmp_path / "in", tmp_path / "out")
    fill(tmp_path / "in", {path.name: path.read_bytes() for path in source.iterdir()})
    watcher = Quiet()
    with RayEngine(RULES, out=tmp_path / "out", workers=2) as engine:
        run_batch(tmp_path / "in", tmp_path / "out", RULES, Settings(), engine, watcher)
    assert len(watcher.left) == len(list(source.iterdir())) - 4
    assert tree(tmp_path / "out") == files
