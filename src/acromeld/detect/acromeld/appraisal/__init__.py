# SPDX-License-Identifier: Apache-2.0
"""A second look at every place the network speaks of: is there a field of the author?

The network judges queries, and what it says of one place stands in the answers of several: what was proposed
from the picture, what from structure, what FFGBT thought, and what became of places that look the same.
`places` finds which query speaks for each place, `columns` measures it in that company, `appraiser` puts
boosted trees' probability in the place of the network's, `weights` is the file they have learned into. They
are learned on training pages that FFGBT had not seen (`acromeld train appraisal`).
"""
