# SPDX-License-Identifier: Apache-2.0
"""The CommonForms reference (FFDNet-L and FFDNet-S), for comparison on the user's own machine.

`ensure` makes the peer's environment once; `predict` then gives raw prediction lines. The networks are the
work of others under terms that allow no more than that: see ``docs/peers.md``.
"""

from acromeld.peers.commonforms.environment import Artifacts, ensure
from acromeld.peers.commonforms.profiles import MODELS, PROFILES
from acromeld.peers.commonforms.run import PageDone, Peer, open_peer, predict, predict_with
from acromeld.peers.commonforms.steps import PeerUnavailable

__all__ = [
    "MODELS",
    "PROFILES",
    "Artifacts",
    "PageDone",
    "Peer",
    "PeerUnavailable",
    "ensure",
    "open_peer",
    "predict",
    "predict_with",
]
