# SPDX-License-Identifier: Apache-2.0
"""Mutated documents and mutated fields files through the whole product, in workers like those of a batch.

    python -m tools.fuzz pdf    STATE.json [--cases 20000]
    python -m tools.fuzz fields STATE.json [--cases 20000]
    python -m tools.fuzz show pdf 1234 OUT.pdf       the input of one case

Case N is made from the number N alone, so that every finding can be made again. The state file says how far
the run got and what it found; run again, it goes on from there. Findings are: a worker that died or hung, an
error that is not one of ours, an output that does not open. Exits 1 if there were any. A first attempt that
fails is followed by the second one of the product, page by page, and both are recorded.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import queue
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pikepdf
from tools.fuzz_mutations import field_bases, mutate_fields, mutate_pdf, pdf_bases

from acromeld.batch.confine import claim_streams, confine
from acromeld.batch.job import PDF, Job, Options, Outcome, Parts, failure
from acromeld.batch.supervisor import Heard, Worker
from acromeld.batch.work import process, where
from acromeld.batch.worker import serve, warm_up
from acromeld.detect.registry import load_detector
from acromeld.errors import AcromeldError, ExitCode
from acromeld.fields import parse_document
from acromeld.form.output import write_atomically
from acromeld.pdf.source import Source, load_source
from acromeld.pdf.wire import receive
from acromeld.recovery import apply

OPTIONS = Options(file_seconds=60.0, stall_seconds=30.0, memory_mb=2048, force=True)
COMMAND = (sys.executable, "-m", "tools.fuzz", "worker")
ROOT = Path(__file__).resolve().parent.parent


def made(kind: str, case: int) -> bytes:
    """The input of a case."""
    rng = random.Random(f"{kind}-{case}")
    return mutate_pdf(rng, BASES["pdf"]) if kind == "pdf" else mutate_fields(rng, BASES["fields"])[1]


def run_pdf(case: int, detector, *, isolated: bool, beat) -> tuple[Outcome, Parts]:
    source = Source(made("pdf", case), f"case-{case}.pdf")
    outcome, parts = process(source, detector, OPTIONS, isolated=isolated, progress=beat)
    return (checked(outcome, parts[PDF], outcome.pages) if outcome.done else outcome), {}


def run_fields(case: int, *, isolated: bool) -> tuple[Outcome, Parts]:
    rng = random.Random(f"fields-{case}")
    data, text = mutate_fields(rng, BASES["fields"])
    try:
        source = load_source(data, name="form.pdf")
        form = apply(source, parse_document(text), force=rng.random() < 0.5, isolated=isolated)
    except AcromeldError as error:
        return failure(str(error), error.exit_code), {}
    except Exception as error:
        return failure(f"unexpected {where(error)}: {str(error)[:200]}"), {}
    return checked(Outcome(code=0, written=form.written), form.data, None), {}


def checked(outcome: Outcome, data: bytes, pages: int | None) -> Outcome:
    """The outcome, unless the file that was made does not open."""
    try:
        with pikepdf.open(io.BytesIO(data)) as pdf:
            if pages is not None and len(pdf.pages) != pages:
                return failure(f"unexpected output of {len(pdf.pages)} pages for {pages}")
    except Exception as error:
        return failure(f"unexpected output that does not open: {type(error).__name__}")
    return outcome


def worker_main(kind: str) -> None:
    """What `acromeld.batch.worker` does, for cases instead of documents."""
    requests, replies = claim_streams()
    receive(requests)
    detector = load_detector(OPTIONS.detector)
    warm_up(detector, OPTIONS)
    assert BASES[kind]
    confine(OPTIONS.memory_mb * 1024**2)

    def answer(job, _source, beat) -> tuple[Outcome, Parts]:
        kind, case = job["name"].split(":")
        if kind == "pdf":
            return run_pdf(int(case), detector, isolated=job["isolated"], beat=beat)
        return run_fields(int(case), isolated=job["isolated"])

    serve(requests, replies, OPTIONS, answer)


class Harness:
    """One worker at a time, replaced when it dies."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.ears: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        self.worker: Worker | None = None

    def attempt(self, name: str, *, isolated: bool) -> Outcome:
        """The outcome of one case; a death or a hang is an outcome, too."""
        worker = self.worker = self.worker or self._ready()
        worker.give(Job(0, name, "", "", isolated), b"")
        while True:
            try:
                heard = self.ears.get(timeout=1.0)
            except queue.Empty:
                if reason := worker.overdue(time.monotonic()):
                    worker.kill(reason)
                continue
            if heard.worker is not worker:
                continue
            if heard.gone:
                self.close()
                return failure(f"dead: {worker.cause_of_death()}", ExitCode.LIMIT)
            if heard.outcome is not None:
                worker.job = None
                return heard.outcome
            worker.beat = time.monotonic()

    def _ready(self) -> Worker:
        worker = Worker(OPTIONS, self.ears, (*COMMAND, self.kind))
        while not worker.ready:
            heard = self.ears.get()
            if heard.worker is worker and heard.gone:
                raise SystemExit("The worker does not start.")
        return worker

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None


def verdict(outcome: Outcome) -> str:
    """Done, refused with one of our own sentences, or a finding."""
    if outcome.done:
        return "done"
    # By code: the sentences of our own errors may hold any word of the input or of a parser.
    if outcome.reason.startswith("dead") or outcome.code == ExitCode.FAILURE:
        return "finding"
    return f"refused, {ExitCode(outcome.code).name.lower()}"


def run(kind: str, state_file: Path, cases: int) -> int:
    state = json.loads(state_file.read_text()) if state_file.exists() else new_state(kind)
    harness = Harness(kind)
    before = set(os.listdir("."))
    for case in range(state["next"], cases):
        began = time.monotonic()
        outcome = harness.attempt(f"{kind}:{case}", isolated=False)
        said = verdict(outcome)
        if said == "finding" or outcome.again:
            harness.close()
            second = harness.attempt(f"{kind}:{case}", isolated=True)
            harness.close()
            state["findings"].append(
                {"case": case, "first": outcome.reason, "second": second.reason or "done"}
            )
            state["second"][verdict(second)] = state["second"].get(verdict(second), 0) + 1
        state["ends"][said] = state["ends"].get(said, 0) + 1
        state["seconds"] += time.monotonic() - began
        state["slowest"] = max(state["slowest"], [round(time.monotonic() - began, 2), case])
        state["next"] = case + 1
        if case % 100 == 99 or case == cases - 1:
            if harness.worker is not None and case % 2000 == 1999:
                harness.close()
            state["strays"] = sorted(set(os.listdir(".")) - before)
            write_atomically(json.dumps(state, indent=1).encode(), state_file, overwrite=True)
    harness.close()
    report(state)
    return 1 if state["ends"].get("finding") or state["strays"] else 0


def new_state(kind: str) -> dict:
    return {
        "kind": kind,
        "next": 0,
        "seconds": 0.0,
        "slowest": [0.0, -1],
        "ends": {},
        "second": {},
        "strays": [],
        "findings": [],
    }


def report(state: dict) -> None:
    rate = state["next"] / max(state["seconds"], 1e-9)
    print(f"{state['kind']}: {state['next']} cases, {rate:.1f} a second, slowest {state['slowest'][0]} s")
    for end, count in sorted(state["ends"].items()):
        print(f"  {count:6} {end}")
    for reason, count in Counter(
        found["first"].split(": ", 1)[-1] for found in state["findings"]
    ).most_common(30):
        print(f"  finding x{count}: {reason}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=["pdf", "fields", "show", "worker"])
    parser.add_argument("state", type=str)
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--cases", type=int, default=20_000)
    given = parser.parse_args()
    if given.kind == "worker":
        worker_main(given.state)
    elif given.kind == "show":
        Path(given.rest[1]).write_bytes(made(given.state, int(given.rest[0])))
    else:
        state_file = Path(given.state).resolve()
        # The workers start in an empty folder, in which nothing may appear.
        os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            sys.exit(run(given.kind, state_file, given.cases))


class _Bases(dict):
    """Starting points, made when first asked for and alike in every process."""

    def __missing__(self, kind: str):
        self[kind] = pdf_bases() if kind == "pdf" else field_bases()
        return self[kind]


BASES = _Bases()

if __name__ == "__main__":
    main()
