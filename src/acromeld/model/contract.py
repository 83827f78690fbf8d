# SPDX-License-Identifier: Apache-2.0
"""Model contracts: everything that fixes the shape of the network, typed, frozen and digestible.

`paper` is the registered contract of the paper, `compact` the same method at a size that two cores can train
and run. A checkpoint carries its contract, so a contract also reads back from JSON; unknown keys are refused.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator

from acromeld.detect.acromeld.contract import Canvases, EvidenceScores, PageEvidence, RuntimeContract
from acromeld.detect.acromeld.opinions import JUDGEMENTS
from acromeld.detect.ffgbt.candidates import CandidateKind
from acromeld.provenance.digests import canonical_json, sha256_object
from acromeld.structure.descriptor import SIZE as DESCRIPTOR
from acromeld.structure.evidence import EvidenceKind
from acromeld.structure.kinds import TokenKind


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class EcdetContract(_Frozen):
    """ECDet-L: its sizes are those of the published checkpoint and cannot be chosen."""

    branch: Literal["ecdet_l"] = "ecdet_l"
    denoising: PositiveInt = 100


class DenseContract(_Frozen):
    """The small dense detector.

    Attributes:
        widths: Channels at strides 2, 4, 8, 16 and 32.
        blocks: Residual blocks at strides 4, 8, 16 and 32.
        neck: Channels of the pyramid at strides 8 and 16.
    """

    branch: Literal["dense"] = "dense"
    widths: tuple[PositiveInt, PositiveInt, PositiveInt, PositiveInt, PositiveInt]
    blocks: tuple[PositiveInt, PositiveInt, PositiveInt, PositiveInt]
    neck: PositiveInt


class ModelContract(_Frozen):
    """Sizes of one AcroMELD model; the defaults are the paper's.

    Attributes:
        channels: Image channels, 3 for RGB in 0..1 or 1 for grey.
        max_tokens: Page token and primitives of a page.
        max_evidence: Derived tokens of a page on top of that; only with ``derived_kinds``.
        derived_kinds: Whether derived evidence joins the paper's six kinds as further token kinds.
        opinions: Whether derived tokens are FFGBT's candidates and carry what it thinks of them.
        spread_opinions: Which candidates those are, see `RuntimeContract`.
        page_evidence: How much a page's best scores count for all its scores, see `RuntimeContract`; nothing
            is trained differently by it, nor by the next three.
        evidence_scores: How many of its best scores.
        signing: Whether there is a second look at places to sign.
        appraisal: Whether there is one at every place; only with ``opinions``.
        head_start: Whether answers are corrections of those opinions.
        least_hope: Logits from which on a visual and a structure query enter the graph when the detector
            reads a page; none for all of them, as in the paper and in training.
        edge_width: Hidden width of the edge-bias MLP.
        fieldness_width: Hidden width of the fieldness MLP.
        word_buckets: Rows of a hashed word embedding beside the paper's mean of bytes; 0 for none.
        glimpse_width: Channels of the raster branch's map that each graph layer looks at; 0 for none.
    """

    name: str
    visual: Annotated[EcdetContract | DenseContract, Field(discriminator="branch")]
    canvases: Canvases
    channels: Literal[1, 3] = 3
    classes: PositiveInt = 3
    hidden: PositiveInt = 256
    heads: PositiveInt = 8
    structure_depth: PositiveInt = 2
    graph_depth: PositiveInt = 4
    feedforward: PositiveInt = 1024
    visual_queries: PositiveInt = 384
    structure_queries: PositiveInt = 384
    free_queries: PositiveInt = 128
    neighbours: PositiveInt = 32
    link_width: PositiveInt = 32
    edge_width: PositiveInt = 128
    fieldness_width: PositiveInt = 128
    descriptor: PositiveInt = 32
    text_bytes: PositiveInt = 48
    max_tokens: PositiveInt = 512
    max_evidence: int = 0
    derived_kinds: bool = False
    opinions: bool = False
    spread_opinions: bool = Field(default=False, exclude_if=lambda spread: not spread)
    page_evidence: PageEvidence = 0.0
    evidence_scores: EvidenceScores = 1
    signing: bool = Field(default=False, exclude_if=lambda signing: not signing)
    appraisal: bool = Field(default=False, exclude_if=lambda appraisal: not appraisal)
    head_start: bool = False
    least_hope: tuple[float, float] | None = Field(default=None, exclude_if=lambda least: least is None)
    word_buckets: int = 0
    glimpse_width: int = 0
    dropout: float = 0.1

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.hidden % self.heads:
            raise ValueError("The hidden width must be a multiple of the number of heads.")
        if bool(self.max_evidence) != self.derived_kinds:
            raise ValueError("Derived evidence needs both derived_kinds and a positive max_evidence.")
        if self.opinions and not self.derived_kinds:
            raise ValueError("Opinions are about derived evidence.")
        if self.appraisal and not self.opinions:
            raise ValueError("An appraisal hears opinions.")
        if self.head_start and not self.opinions:
            raise ValueError("A head start is made of opinions.")
        if self.least_hope is not None and self.free_queries < self.neighbours:
            raise ValueError("Free queries, which are always asked, must suffice as neighbours.")
        if isinstance(self.visual, EcdetContract) and (self.hidden, self.channels) != (256, 3):
            raise ValueError("ECDet-L has 256 channels and reads RGB.")
        sizes = (self.canvases.portrait, self.canvases.landscape, self.canvases.square)
        if any(side % 32 for size in sizes for side in size):
            raise ValueError("Canvas sides must be multiples of 32.")
        return self

    @property
    def queries(self) -> int:
        """Capacity of the exclusive set, and the most targets a training page may have."""
        return self.visual_queries + self.structure_queries + self.free_queries

    @property
    def token_kinds(self) -> int:
        """Rows of the kind embedding; kind ``len(TokenKind) + e`` is derived evidence of kind ``e``."""
        derived = len(CandidateKind) if self.opinions else len(EvidenceKind)
        return len(TokenKind) + (derived if self.derived_kinds else 0)

    @property
    def runtime(self) -> RuntimeContract:
        """What reading pages and naming answers needs of it, without torch."""
        return RuntimeContract.model_validate(self.model_dump())

    def canonical(self) -> str:
        """The one JSON text of this contract."""
        return canonical_json(self.model_dump(mode="json"))

    def digest(self) -> str:
        """SHA-256 of the canonical JSON."""
        return sha256_object(self.model_dump(mode="json"))


PAPER = ModelContract(
    name="paper",
    visual=EcdetContract(),
    canvases=Canvases(portrait=(2048, 1440), landscape=(1440, 2048), square=(1664, 1664)),
)

COMPACT = ModelContract(
    name="compact",
    visual=DenseContract(widths=(16, 32, 64, 128, 192), blocks=(1, 2, 2, 2), neck=80),
    canvases=Canvases(portrait=(1024, 736), landscape=(736, 1024), square=(864, 864)),
    channels=1,
    hidden=128,
    graph_depth=3,
    feedforward=384,
    edge_width=32,
    fieldness_width=64,
    # The fullest page of the corpus has 313 fields.
    visual_queries=256,
    structure_queries=320,
    free_queries=64,
    max_tokens=256,
    max_evidence=320,
    derived_kinds=True,
    opinions=True,
    spread_opinions=True,
    page_evidence=2.5,
    evidence_scores=3,
    head_start=True,
    descriptor=DESCRIPTOR + JUDGEMENTS + 164,
    word_buckets=4096,
    glimpse_width=80,
)

CONTRACTS: dict[str, ModelContract] = {contract.name: contract for contract in (PAPER, COMPACT)}
