# SPDX-License-Identifier: Apache-2.0
"""FFGBT: candidates from PDF structure, scored by gradient-boosted trees, moved into place by a snap network.

The paper's decision reference, rebuilt. `candidates` proposes, `features` describes, `acromeld.trees` scores,
`snap` refines, `detector` puts them together; `acromeld.train.ffgbt` makes the weights.
"""
