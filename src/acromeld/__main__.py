# SPDX-License-Identifier: Apache-2.0
"""``python -m acromeld``."""

from acromeld.cli import main

main()
