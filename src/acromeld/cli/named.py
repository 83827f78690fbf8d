# SPDX-License-Identifier: Apache-2.0
"""Plans and contracts by name or from a JSON file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from acromeld.errors import BadFields, InputNotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

Value = TypeVar("Value")
Model = TypeVar("Model", bound=BaseModel)


def choice(name: str, known: Mapping[str, Value]) -> Value:
    """The value of a name, or a sentence that lists the names there are."""
    if name not in known:
        raise InputNotFound(f"There is no {name!r}; known are {', '.join(known)}.")
    return known[name]


def named_or_file(name: str, known: Mapping[str, Model], kind: type[Model]) -> Model:
    """A plan or contract by its name, or read from a JSON file."""
    if name in known:
        return known[name]
    path = Path(name)
    if not path.is_file():
        raise InputNotFound(f"There is no {name!r}; known are {', '.join(known)}, or name a JSON file.")
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise BadFields(f"{path} cannot be used: {where}: {first['msg']}.") from None


def parse_epochs(text: str | None) -> dict[str, int]:
    """``visual=6,graph=8`` as a mapping."""
    try:
        pairs = [part.split("=") for part in (text or "").split(",") if part]
        return {name.strip(): int(number) for name, number in pairs}
    except ValueError:
        raise BadFields(f"{text!r} is not a list such as visual=6,graph=8.") from None
