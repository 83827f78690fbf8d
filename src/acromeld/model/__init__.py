# SPDX-License-Identifier: Apache-2.0
"""The AcroMELD model in PyTorch: one set of modules, sized by a contract (`paper` or `compact`)."""
