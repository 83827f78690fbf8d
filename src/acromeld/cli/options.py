# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter, validators

PageEvidence = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=8))]
"""See `acromeld.detect.acromeld.contract.RuntimeContract`."""
