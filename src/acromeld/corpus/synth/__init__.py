# SPDX-License-Identifier: Apache-2.0
"""Synthetic forms with native widgets: diverse, deterministic, and free of anybody's rights.

`generate` makes one document, `generate_corpus` a folder of them with a manifest.
"""

from acromeld.corpus.synth.batch import generate_corpus
from acromeld.corpus.synth.document import PagePlan, SynthDocument, generate

__all__ = ["PagePlan", "SynthDocument", "generate", "generate_corpus"]
