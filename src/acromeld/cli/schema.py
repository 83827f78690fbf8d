# SPDX-License-Identifier: Apache-2.0
"""``acromeld schema``: the JSON Schema of fields.json."""

from __future__ import annotations

from acromeld.cli.console import print_json
from acromeld.fields import json_schema


def schema() -> int:
    """Print the JSON Schema of the fields file, for editors and other programs."""
    print_json(json_schema())
    return 0
