# SPDX-License-Identifier: Apache-2.0
"""A second look at places to sign: is this one a signature field?

Of two equal lines above "Signature of applicant" one author makes a signature field, another a text field, a
third leaves it to the pen (docs/label-audit.md). The place itself hardly tells them apart. The words of the
page do, to a degree, and most of all those at its top and bottom: forms of one office are alike in their
words and in their habits. `places` describes the candidates at wording that asks for a signature, `judge`
decides about them, `weights` is the file it has learned into.
"""
