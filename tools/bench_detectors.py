# SPDX-License-Identifier: Apache-2.0
"""Pages per second of our detectors against CommonForms, all cores for everybody, in one run.

    python tools/bench_detectors.py FOLDER [--pages 120] [--detector acromeld] [--peer l:packaged]

Everybody goes from file to boxes. Ours counts opening, rendering, primitives, features, network, decoding.
It is run as ``acromeld batch`` runs it, a process of one thread per core, and as ``acromeld detect --raw``
runs it, one file after the other; then the former once more with labels, names and groups, which no peer
makes. The peer counts rendering, network and its own suppression, with as many threads as there are cores.
Rounds alternate, so that all see the same machine; the ratio is what matters.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pypdfium2
from rich.console import Console
from rich.table import Table

from acromeld.detect.registry import DEFAULT, load_detector
from acromeld.errors import AcromeldError
from acromeld.pdf.isolation import IsolatedReader
from acromeld.peers.commonforms import open_peer, predict_with
from acromeld.recovery import detect_pages

CORES = os.cpu_count() or 1
PEERS = ("l:packaged", "s:packaged", "s:plain1216")
ROUNDS = 3

_worker = {}


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=120)
    parser.add_argument("--detector", action="append")
    parser.add_argument("--peer", action="append")
    given = parser.parse_args()
    names = given.detector or [DEFAULT, "ffgbt"]
    files, pages = chosen(given.folder, given.pages)
    peers = open_peers(given.peer or PEERS)
    workers = {name: start_workers(name) for name in names}
    single = {name: load_detector(name) for name in names}
    seconds: dict[str, float] = {}
    with IsolatedReader() as reader:
        for number in range(ROUNDS):
            some = files[number::ROUNDS]
            for name in names:
                pool, detector = workers[name], single[name]
                add(seconds, f"{name}, {CORES} processes", lambda: drain(pool, boxes, some))  # noqa: B023
                add(seconds, f"{name}, one process", lambda: alone(reader, detector, some))  # noqa: B023
                add(seconds, f"{name}, {CORES} processes, labels", lambda: drain(pool, fields, some))  # noqa: B023
            for name, peer in peers.items():
                add(seconds, name, lambda: list(predict_with(peer, some)))  # noqa: B023
    show(seconds, pages, list(peers))


def open_peers(names) -> dict:
    """Those that are set up; the others are named."""
    peers = {}
    for name in names:
        model, profile = name.split(":")
        try:
            peer = open_peer(model, profile, threads=CORES)
            peer.network  # noqa: B018  (opened before the clock starts, as ours is)
            peers[f"commonforms-{name}"] = peer
        except AcromeldError as error:
            Console(stderr=True).print(f"Without commonforms-{name}: {error}")
    return peers


def start_workers(name: str) -> ProcessPoolExecutor:
    """As many processes as cores, each with the detector loaded before the clock starts."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(CORES, mp_context=context, initializer=begin, initargs=(name,))
    list(pool.map(ready, range(4 * CORES)))
    return pool


def begin(name: str) -> None:
    _worker["detector"] = load_detector(name, threads=1)
    _worker["reader"] = IsolatedReader().__enter__()


def ready(_: int) -> None:
    time.sleep(0.05)


def boxes(file: Path) -> None:
    detect_pages(_worker["reader"].open(file), _worker["detector"], raw=True)


def fields(file: Path) -> None:
    detect_pages(_worker["reader"].open(file), _worker["detector"])


def drain(pool: ProcessPoolExecutor, work, files: list[Path]) -> None:
    list(pool.map(work, files))


def alone(reader: IsolatedReader, detector, files: list[Path]) -> None:
    for file in files:
        detect_pages(reader.open(file), detector, raw=True)


def chosen(folder: Path, pages: int) -> tuple[list[Path], int]:
    """Files of at most six pages drawn at random until they have so many; the same ones every time."""
    files, total = [], 0
    found = sorted(folder.rglob("*.pdf"))
    for file in random.Random(12345).sample(found, len(found)):
        count = len(pypdfium2.PdfDocument(file))
        if count <= 6:
            files.append(file)
            total += count
        if total >= pages:
            break
    return files, total


def add(seconds: dict[str, float], name: str, work) -> None:
    started = time.perf_counter()
    work()
    seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - started


def show(seconds: dict[str, float], pages: int, peers: list[str]) -> None:
    table = Table("who", "pages/s", *(f"times {peer}" for peer in peers), box=None)
    for name, spent in seconds.items():
        table.add_row(name, f"{pages / spent:.2f}", *(f"{seconds[peer] / spent:.1f}" for peer in peers))
    Console(width=120).print(f"{pages} pages, {CORES} cores, load average {os.getloadavg()[0]:.1f}", table)


if __name__ == "__main__":
    main()
