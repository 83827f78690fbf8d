# SPDX-License-Identifier: Apache-2.0
"""Training of the label and kind scorers from what authors of real forms wrote."""
