# SPDX-License-Identifier: Apache-2.0
"""The raster branch: ECDet-L as in the paper, or a small dense detector behind the same interface."""
