# SPDX-License-Identifier: Apache-2.0
"""Training of the second look at places to sign (`acromeld.detect.acromeld.signing`)."""
