# SPDX-License-Identifier: Apache-2.0
"""Pages per second of our detectors against CommonForms, both cores for both, in one run.

    python tools/bench_detectors.py FOLDER [--pages 40] [--detector ffgbt] [--peer s:plain1216]

Ours counts everything from file to fields: opening, rendering, primitives, features, trees, decoding, through
the disposable reader. The peer counts rendering, network and its own suppression. Documents take turns,
so that both see the same machine; the ratio is what matters.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from pathlib import Path

import pypdfium2
from rich.console import Console
from rich.table import Table

from acromeld.detect.registry import load_detector
from acromeld.pdf.isolation import IsolatedReader
from acromeld.peers.commonforms import open_peer, predict_with
from acromeld.recovery import detect_pages


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--detector", action="append")
    parser.add_argument("--peer", action="append")
    given = parser.parse_args()
    files = chosen(given.folder, given.pages)
    detectors = {name: load_detector(name) for name in given.detector or ["ffgbt"]}
    peers = {}
    for name in given.peer or ["s:plain1216"]:
        model, profile = name.split(":")
        peers[f"commonforms-{name}"] = open_peer(model, profile, threads=os.cpu_count())
    seconds = dict.fromkeys([*detectors, *peers], 0.0)
    pages = 0
    with IsolatedReader() as reader:
        for file in files:
            pages += len(pypdfium2.PdfDocument(file))
            for name, detector in detectors.items():
                seconds[name] += timed(lambda: detect_pages(reader.open(file), detector))  # noqa: B023
            for name, peer in peers.items():
                seconds[name] += timed(lambda: list(predict_with(peer, [file])))  # noqa: B023
    show(seconds, pages, list(peers))


def chosen(folder: Path, pages: int) -> list[Path]:
    """Files drawn at random until they have so many pages; the same ones every time."""
    files, total = [], 0
    found = sorted(folder.rglob("*.pdf"))
    for file in random.Random(12345).sample(found, len(found)):
        count = len(pypdfium2.PdfDocument(file))
        if count <= 6:
            files.append(file)
            total += count
        if total >= pages:
            break
    return files


def timed(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def show(seconds: dict[str, float], pages: int, peers: list[str]) -> None:
    table = Table("who", "pages/s", *(f"times {peer}" for peer in peers), box=None)
    for name, spent in seconds.items():
        table.add_row(name, f"{pages / spent:.2f}", *(f"{seconds[peer] / spent:.1f}" for peer in peers))
    Console().print(f"{pages} pages, load average {os.getloadavg()[0]:.1f}", table)


if __name__ == "__main__":
    main()
