# SPDX-License-Identifier: Apache-2.0
"""How good a form is, judged by what the authors of real forms wrote into theirs."""
