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
    from collections.abc import Callable

    from acromeld.errors import AcromeldError
    from acromeld.fields import DocumentFields, Field, FieldKind, PageFields, parse_document
    from acromeld.form.describe.ocr import Ocr
    from acromeld.form.describe.signing import Signatures
    from acromeld.form.existing import Existing
    from acromeld.form.output import write_atomically
    from acromeld.recovery import apply, detect, recover

__version__ = "0.1.0"

# Since 1.29, onnxruntime reports to its maker and keeps a device identifier on disk unless this is set before
# it is loaded. Nothing leaves the machine here, so it is set before anything of ours can load it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_HOME = {
    "AcromeldError": "acromeld.errors",
    "DocumentFields": "acromeld.fields",
    "Existing": "acromeld.form.existing",
    "Field": "acromeld.fields",
    "FieldKind": "acromeld.fields",
    "Ocr": "acromeld.form.describe.ocr",
    "PageFields": "acromeld.fields",
    "Signatures": "acromeld.form.describe.signing",
    "apply": "acromeld.recovery",
    "detect": "acromeld.detect",
    "parse_document": "acromeld.fields",
    "recover": "acromeld.recovery",
    "write_atomically": "acromeld.form.output",
}

__all__ = [
    "AcromeldError",
    "DocumentFields",
    "Existing",
    "Field",
    "FieldKind",
    "Ocr",
    "PageFields",
    "Signatures",
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
    home = import_module(_HOME[name])
    return home if isinstance(home, _DetectRoom) else getattr(home, name)


class _DetectRoom(ModuleType):
    """The room `acromeld.detect`, which can be called like the function whose name it shares.

    To whoever asks it has the signature and the words of the function, and other processes get it as it is.
    """

    def __call__(self, *arguments: Any, **options: Any) -> DocumentFields:
        return self.__wrapped__(*arguments, **options)

    @property
    def __wrapped__(self) -> Callable[..., DocumentFields]:
        return import_module("acromeld.recovery").detect  # type: ignore[no-any-return]

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.__wrapped__.__doc__

    def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
        return import_module, (self.__name__,)


class _Package(ModuleType):
    """This package. Importing a room binds its name here, over the function of that name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "detect" and isinstance(value, ModuleType):
            value.__class__ = _DetectRoom
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
