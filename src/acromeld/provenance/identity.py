# SPDX-License-Identifier: Apache-2.0
"""Run identity: the five digests that make a training run this run and no other."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from acromeld.errors import IntegrityError
from acromeld.provenance.digests import sha256_object

SCHEMA: Literal["acromeld.run-identity/1"] = "acromeld.run-identity/1"

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class RunIdentity(BaseModel):
    """Paper, "Content-addressed provenance": data, contract, starting point, configuration and code.

    Attributes:
        index: Content digest of the sealed index.
        model: Digest of the model contract.
        pretrained: Digest of the checkpoint training started from, none when it started from scratch.
        configuration: Digest of the resolved configuration.
        implementation: Digest of the package (`acromeld.provenance.implementation`).
        project: Digest of the source tree, none for an installed package.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_: Annotated[Literal["acromeld.run-identity/1"], Field(alias="schema")] = SCHEMA
    index: Digest
    model: Digest
    pretrained: Digest | None = None
    configuration: Digest
    implementation: Digest
    project: Digest | None = None

    def record(self) -> dict[str, str | None]:
        """The identity as it is written to ``run-identity.json``."""
        return self.model_dump(mode="json", by_alias=True)

    @property
    def digest(self) -> str:
        """One digest for all of them, for checkpoints and metric lines."""
        return sha256_object(self.record())


def parse_identity(record: object, where: str) -> RunIdentity:
    """The identity in a record; `IntegrityError` names the place when it is not one."""
    try:
        return RunIdentity.model_validate(record)
    except ValidationError as error:
        raise IntegrityError(f"{where} is not a run identity: {error.errors()[0]['msg']}.") from None
