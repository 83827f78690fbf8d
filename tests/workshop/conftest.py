# SPDX-License-Identifier: Apache-2.0
"""A whole workshop on a tiny synthetic corpus, made once by the commands themselves; tests get copies."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from acromeld.cli import run
from acromeld.provenance.implementation import package_implementation

REFERENCE = "0.2"
"""Low enough for the rules to pass on made-up forms."""


@dataclass(frozen=True)
class Workshop:
    """The folders of one life, from corpus to gate."""

    root: Path

    def __getattr__(self, name: str) -> Path:
        return self.root / name

    @property
    def index(self) -> Path:
        return self.root / "corpus.sqlite"

    @property
    def pdf(self) -> Path:
        return self.root / "made" / "pdf"

    @property
    def evaluation(self) -> Path:
        return self.root / "rules.json"

    def gate(
        self, *more: str, out: str = "gate_out", corpus: Path | None = None, reference: str = REFERENCE
    ) -> list[str]:
        return [
            *("gate", "--candidate", str(self.candidate), "--index", str(self.index)),
            *("--corpus", str(corpus or self.external), "--reference", reference),
            *("--out", str(self.root / out), *more),
        ]


def do(*arguments: object) -> None:
    """Run a command that must succeed."""
    assert run([str(argument) for argument in arguments]) == 0, arguments


def predict(shop: Workshop, role: str, out: Path, *more: object) -> None:
    do("predict", shop.index, "--role", role, "--pdf", shop.pdf, "--detector", "rules", "-o", out, *more)


def build(root: Path) -> Workshop:
    shop = Workshop(root)
    do("synth", shop.made, "--seed", 5, "--documents", 14, "--fonts", "builtin")
    do("corpus", "build", shop.pdf, "--manifest", shop.made / "manifest.jsonl", "--out", shop.index)
    do("corpus", "seal", shop.index)
    predict(shop, "calibration", shop.calibration)
    predict(shop, "internal-test", shop.test)
    truth = ("--index", shop.index, "--pdf", shop.pdf)
    do("calibrate", shop.calibration, *truth, "-o", shop.root / "point.json")
    do(
        "freeze",
        shop.candidate,
        "--index",
        shop.index,
        "--calibration",
        shop.root / "point.json",
        "--detector",
        "rules",
    )
    scored = ("evaluate", shop.test, *truth, "--role", "internal-test", "--candidate", shop.candidate)
    do(*scored, "--internal-report", "--resamples", 200)
    do(*scored, "--resamples", 200, "-o", shop.evaluation)
    do("synth", shop.outside, "--seed", 6, "--documents", 3, "--fonts", "builtin")
    (shop.outside / "pdf").rename(shop.external)
    do("gate", "quarantine", shop.external)
    return shop


@pytest.fixture(scope="session", autouse=True)
def one_implementation() -> Iterator[None]:
    """The code is hashed once: a source file saved while the tests run is not what they are about."""
    found = package_implementation()
    with pytest.MonkeyPatch.context() as patch:
        for module in ("cli.freeze", "provenance.registration", "evaluate.inference"):
            patch.setattr(f"acromeld.{module}.package_implementation", lambda: found)
        yield


@pytest.fixture(scope="session")
def model_workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Up to the open gate; nobody writes here."""
    return build(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="session")
def gated_workshop(model_workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """After the gate; nobody writes here."""
    root = shutil.copytree(model_workshop.root, tmp_path_factory.mktemp("gated") / "workshop")
    do(*Workshop(root).gate())
    return Workshop(root)


@pytest.fixture
def workshop(model_workshop: Workshop, tmp_path: Path) -> Workshop:
    return Workshop(shutil.copytree(model_workshop.root, tmp_path / "workshop"))


@pytest.fixture
def gated(gated_workshop: Workshop, tmp_path: Path) -> Workshop:
    return Workshop(shutil.copytree(gated_workshop.root, tmp_path / "workshop"))


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command that must fail with a code and one sentence; returns the sentence."""

    def check(code: int, *arguments: object) -> str:
        capsys.readouterr()
        assert run([str(argument) for argument in arguments]) == code
        told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("acromeld:")]
        assert len(told) == 1
        assert told[0].endswith(".")
        return told[0]

    return check


def flip(path: Path) -> None:
    """Change one byte in the middle of a file, whatever its permissions."""
    path.chmod(0o644)
    data = bytearray(path.read_bytes()) or bytearray(b"x")
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
