# SPDX-License-Identifier: Apache-2.0
"""AcroMELD: finds the missing fields of a flat PDF and gives it back as a fillable form.

    import acromeld
    form = acromeld.recover("application.pdf")
    open("application.fillable.pdf", "wb").write(form.form.data)

The functions are loaded when first used, so that ``import acromeld`` costs next to nothing.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acromeld.errors import AcromeldError
    from acromeld.fields import DocumentFields, Field, FieldKind, PageFields, parse_document
    from acromeld.form.output import write_atomically
    from acromeld.recovery import apply, detect, recover

__version__ = "0.1.0"

# Since 1.29, onnxruntime reports to its maker and keeps a device identifier on disk unless this is set before
# it is loaded. Nothing leaves the machine here, so it is set before anything of ours can load it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_HOME = {
    "AcromeldError": "acromeld.errors",
    "DocumentFields": "acromeld.fields",
    "Field": "acromeld.fields",
    "FieldKind": "acromeld.fields",
    "PageFields": "acromeld.fields",
    "apply": "acromeld.recovery",
    "detect": "acromeld.recovery",
    "parse_document": "acromeld.fields",
    "recover": "acromeld.recovery",
    "write_atomically": "acromeld.form.output",
}

__all__ = [
    "AcromeldError",
    "DocumentFields",
    "Field",
    "FieldKind",
    "PageFields",
    "__version__",
    "apply",
    "detect",
    "parse_document",
    "recover",
    "write_atomically",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'acromeld' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


class _DetectRoom(ModuleType):
    """The room `acromeld.detect`, which can be called like the function whose name it shares."""

    def __call__(self, *arguments: Any, **options: Any) -> DocumentFields:
        return import_module("acromeld.recovery").detect(*arguments, **options)  # type: ignore[no-any-return]


class _Package(ModuleType):
    """This package. Importing a room binds its name here, over the function of that name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "detect" and isinstance(value, ModuleType):
            value.__class__ = _DetectRoom
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
