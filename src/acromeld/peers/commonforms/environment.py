# SPDX-License-Identifier: Apache-2.0
"""The peer's own environment: made once, on the user's machine, away from our package.

It holds the AGPL toolkit only to turn the two published checkpoints into ONNX files, and to check our runner
against it. Nothing in here is imported by us, copied into this repository or passed on.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import zipfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from acromeld.errors import IntegrityError
from acromeld.peers.commonforms.isolated import EXPORT, STUB_FILES
from acromeld.peers.commonforms.profiles import MODELS, WHEEL, ModelName, published
from acromeld.peers.commonforms.steps import PeerUnavailable, command, locked, once, write_text

if TYPE_CHECKING:
    from acromeld.peers.commonforms.steps import Say

TORCH = ("torch==2.13.0",)
TOOLKIT = ("ultralytics==8.3.204", "ultralytics-thop==2.2.3")
TOOLKIT_NEEDS = (
    "numpy==2.4.6",
    "opencv-python-headless==5.0.0.93",
    "pillow==13.0.0",
    "pyyaml==6.0.3",
    "onnx==1.23.2",
)
"""What the toolkit imports when it loads, runs and exports a network; its own list would pull torchvision."""

RECORD = "record.json"
SETUP_HINT = "acromeld peers commonforms setup"


@dataclass(frozen=True)
class Artifacts:
    """Where the environment is and what it made.

    Attributes:
        folder: The environment's folder.
        weights: Digest of each checkpoint, the identity of the peer in prediction lines.
        onnx: Digest of each exported network.
    """

    folder: Path
    weights: dict[str, str]
    onnx: dict[str, str]

    def checkpoint(self, model: ModelName) -> Path:
        """The published ``.pt`` file."""
        return self.folder / "weights" / published(model).file

    def network(self, model: ModelName) -> Path:
        """The exported network."""
        return (self.folder / "onnx" / published(model).file).with_suffix(".onnx")


def default_folder() -> Path:
    """Where the environment lives unless told otherwise."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "acromeld" / "commonforms"


def interpreter(folder: Path) -> Path:
    """The environment's Python."""
    return folder / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def isolation(folder: Path) -> dict[str, str]:
    """Variables that keep the toolkit's settings in the folder and stop it from fetching anything."""
    settings = folder / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    return {"YOLO_CONFIG_DIR": str(settings), "YOLO_OFFLINE": "true", "YOLO_AUTOINSTALL": "false"}


def load(folder: Path | None = None) -> Artifacts:
    """The finished environment; `PeerUnavailable` tells how to make it."""
    folder = folder or default_folder()
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return Artifacts(folder, dict(record["weights"]), dict(record["onnx"]))
    except (OSError, ValueError, KeyError, TypeError):
        raise PeerUnavailable(
            f"The CommonForms reference is not set up in {folder}; run {SETUP_HINT}."
        ) from None


def ensure(folder: Path | None = None, *, python: str = sys.executable, say: Say | None = None) -> Artifacts:
    """Make or finish the environment; what is done already is not done again.

    Args:
        folder: Where to make it, by default a folder in the user's cache.
        python: The interpreter the environment is made with.
        say: Told each step as it begins.
    """
    folder = (folder or default_folder()).absolute()
    tell = say or (lambda _: None)
    with locked(folder):
        _environment(folder, python, tell)
        _weights(folder, tell)
        for model in MODELS:
            _export(folder, model, tell)
        return _record(folder)


def _environment(folder: Path, python: str, tell: Say) -> None:
    def create() -> None:
        tell("Creating the environment")
        command([python, "-P", "-m", "venv", "--clear", folder / "env"], "Creating the environment")

    if not interpreter(folder).exists():
        (folder / "venv.done").unlink(missing_ok=True)
    made = once(folder, "venv", "venv", create)
    for name, packages, options in (
        ("torch", TORCH, ()),
        ("needs", TOOLKIT_NEEDS, ()),
        ("toolkit", TOOLKIT, ("--no-deps",)),
    ):
        if made:  # a new environment is empty, whatever an older one had
            (folder / f"{name}.done").unlink(missing_ok=True)
        once(folder, name, repr(packages), partial(_install, folder, packages, options, tell))
    _stub(folder)


def _install(folder: Path, packages: tuple[str, ...], options: tuple[str, ...], tell: Say) -> None:
    what = f"Installing {', '.join(packages)}"
    tell(what)
    command([interpreter(folder), "-P", "-m", "pip", "install", *options, *packages], what)


def _stub(folder: Path) -> None:
    """Write the torchvision stand-in into the environment."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(command([interpreter(folder), "-I", "-c", code], "Asking the environment").strip())
    for name, text in STUB_FILES.items():
        write_text(packages / name, text)


def _weights(folder: Path, tell: Say) -> None:
    """The two checkpoints out of the published wheel, checked against their known digests."""
    target = folder / "weights"
    if all((target / entry.file).exists() for entry in MODELS.values()):
        return
    tell(f"Fetching {WHEEL}")
    pip = (interpreter(folder), "-P", "-m", "pip")
    command([*pip, "download", "--no-deps", "--dest", folder / "wheel", WHEEL], f"Fetching {WHEEL}")
    wheel = next((folder / "wheel").glob("commonforms-*.whl"), None)
    if wheel is None:
        raise PeerUnavailable(f"Fetching {WHEEL} failed: it is not published as a wheel here.")
    target.mkdir(exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for entry in MODELS.values():
            data = archive.read(f"commonforms/models/{entry.file}")
            _check(hashlib.sha256(data).hexdigest(), entry.sha256, entry.file)
            part = target / f"{entry.file}.part"
            part.write_bytes(data)
            os.replace(part, target / entry.file)


def _export(folder: Path, model: ModelName, tell: Say) -> None:
    source = folder / "weights" / published(model).file
    target = (folder / "onnx" / source.name).with_suffix(".onnx")

    def work() -> None:
        what = f"Exporting {source.name}"
        tell(what)
        program, part = folder / "export.py", target.with_suffix(".part")
        target.parent.mkdir(exist_ok=True)
        write_text(program, EXPORT)
        command([interpreter(folder), "-I", program, source, part], what, isolation(folder))
        os.replace(part, target)

    if not target.exists():
        (folder / f"export-{model}.done").unlink(missing_ok=True)
    once(folder, f"export-{model}", EXPORT + repr((TORCH, TOOLKIT)) + published(model).sha256, work)


def _record(folder: Path) -> Artifacts:
    """Digest every file that matters and write the record that says the environment is complete."""
    found = Artifacts(folder, {}, {})
    for model, entry in MODELS.items():
        found.weights[model] = digest(found.checkpoint(model))
        _check(found.weights[model], entry.sha256, entry.file)
        found.onnx[model] = digest(found.network(model))
    freeze = command([interpreter(folder), "-P", "-m", "pip", "freeze"], "Listing the environment")
    record = {"wheel": WHEEL, "weights": found.weights, "onnx": found.onnx, "packages": freeze.splitlines()}
    write_text(folder / RECORD, json.dumps(record, indent=1) + "\n")
    return found


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check(found: str, expected: str, name: str) -> None:
    if found != expected:
        raise IntegrityError(f"{name} is not the published file: its digest is {found}.")
