# SPDX-License-Identifier: Apache-2.0
"""Real and synthetic forms as data: the sealed index, provenance groups, roles, the generator.

Start at `acromeld.corpus.build.build_index`; everything that trains or evaluates reads pages through
`acromeld.corpus.index.open_index`, which refuses an index that is not sealed or was changed since.
"""
