# SPDX-License-Identifier: Apache-2.0
"""Trains the finder of radio groups (`acromeld.form.describe.groups`) on what authors grouped."""
