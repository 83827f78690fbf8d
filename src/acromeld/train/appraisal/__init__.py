# SPDX-License-Identifier: Apache-2.0
"""Training of the second look at every place (`acromeld.detect.acromeld.appraisal`)."""
