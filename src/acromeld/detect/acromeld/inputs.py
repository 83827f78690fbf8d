# SPDX-License-Identifier: Apache-2.0
"""Everything the model sees of a page, as arrays: the one way in for training, evaluation and use."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from acromeld.detect.acromeld.canvas import Placement, draw
from acromeld.detect.acromeld.opinions import widened, with_opinions
from acromeld.structure.availability import usable_primitives
from acromeld.structure.evidence import derive_evidence
from acromeld.structure.evidence_tokens import with_evidence
from acromeld.structure.inferred import infer_primitives
from acromeld.structure.kinds import TokenKind
from acromeld.structure.tokens import Tokens, page_tokens, unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.detect.acromeld.canvas import Pixels
    from acromeld.detect.acromeld.contract import RuntimeContract
    from acromeld.detect.ffgbt.detector import Study
    from acromeld.pdf.page import Page, Primitives


class Expert(Protocol):
    """Whose opinion the derived tokens carry: FFGBT, in training one that never saw the page."""

    def study(self, page: Page, primitives: Primitives, *, inferred: bool) -> Study | None:
        """What it knows about the page's candidates."""


class Structure(Enum):
    """Which structure of a page to show: in use the best there is, in training also less."""

    USABLE = "usable"
    INFERRED = "inferred"
    NONE = "none"


@dataclass(frozen=True)
class PageInputs:
    """One page as the model reads it.

    Attributes:
        image: ``(C, H, W)`` uint8, 255 is white; bytes because caches keep thousands of them.
        tokens: Structure tokens, boxes normalised to the *page*.
        token_box: ``(n, 4)`` float32, the same boxes as shares of the *canvas*.
        place: The way to the canvas and back.
    """

    image: Pixels
    tokens: Tokens
    token_box: npt.NDArray[np.float32]
    place: Placement


@dataclass(frozen=True)
class TokenArrays:
    """Structure tokens of B pages, padded to the longest; the model's inputs after the image, in order.

    Attributes:
        kind: ``(B, T)`` int64, `TokenKind` or derived kinds.
        box: ``(B, T, 4)`` float32 ``xyxy``, shares of the *canvas*.
        descriptor: ``(B, T, 32)`` float32.
        text: ``(B, T, 48)`` uint8, zero after the end.
        available: ``(B, T)`` bool, false for the sentinel of a page without structure.
        mask: ``(B, T)`` bool, true for tokens, false for padding; every page has at least its page token.
    """

    kind: npt.NDArray[np.int64]
    box: npt.NDArray[np.float32]
    descriptor: npt.NDArray[np.float32]
    text: npt.NDArray[np.uint8]
    available: npt.NDArray[np.bool_]
    mask: npt.NDArray[np.bool_]

    def named(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by name, in order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def read_inputs(
    page: Page,
    contract: RuntimeContract,
    structure: Structure = Structure.USABLE,
    expert: Expert | None = None,
) -> PageInputs:
    """The inputs of a page that was read with ``contract.needs``; contracts with opinions need an expert."""
    place = Placement.of_page(page.width, page.height, contract.canvases)
    image = draw(page.raster, place, contract.channels)
    tokens = read_tokens(page, contract, structure, expert)
    return PageInputs(image, tokens, token_boxes(tokens, place), place)


def read_tokens(
    page: Page,
    contract: RuntimeContract,
    structure: Structure = Structure.USABLE,
    expert: Expert | None = None,
) -> Tokens:
    """Tokens of a page: its own primitives or inferred ones, and derived tokens if the contract has any."""
    primitives, inferred = _primitives(page, structure)
    tokens, size = unavailable(), (page.width, page.height)
    if primitives is not None:
        tokens = page_tokens(primitives, *size, inferred=inferred, limit=contract.max_tokens)
        if contract.opinions:
            assert expert is not None, "a contract with opinions needs an expert"
            known = expert.study(page, primitives, inferred=inferred)
            tokens = with_opinions(
                tokens, known, size, contract.max_evidence, spread=contract.spread_opinions
            )
        elif contract.max_evidence:
            tokens = with_evidence(tokens, derive_evidence(primitives, *size), *size, contract.max_evidence)
    return replace(tokens, descriptor=widened(tokens.descriptor, contract.descriptor))


def _primitives(page: Page, structure: Structure) -> tuple[Primitives | None, bool]:
    if structure is Structure.USABLE:
        return usable_primitives(page)
    if structure is Structure.INFERRED and page.raster is not None:
        return infer_primitives(page.raster), True
    return None, False


def token_boxes(tokens: Tokens, place: Placement) -> npt.NDArray[np.float32]:
    """Boxes of tokens, ``(n, 4)``, as shares of the canvas."""
    return place.to_canvas(tokens.box.astype(np.float64) * (place.page * 2))


def pad_tokens(pages: Sequence[Tokens], boxes: Sequence[npt.NDArray[np.float32]]) -> TokenArrays:
    """Tokens of each page with their canvas boxes (see `token_boxes`), padded into one batch."""
    shape = (len(pages), max(len(tokens) for tokens in pages))
    out = TokenArrays(
        kind=np.full(shape, TokenKind.PAGE, dtype=np.int64),
        box=np.zeros((*shape, 4), dtype=np.float32),
        descriptor=np.zeros((*shape, pages[0].descriptor.shape[1]), dtype=np.float32),
        text=np.zeros((*shape, pages[0].text.shape[1]), dtype=np.uint8),
        available=np.zeros(shape, dtype=np.bool_),
        mask=np.zeros(shape, dtype=np.bool_),
    )
    for row, (tokens, moved) in enumerate(zip(pages, boxes, strict=True)):
        n = len(tokens)
        out.kind[row, :n], out.box[row, :n] = tokens.kind, moved
        out.descriptor[row, :n], out.text[row, :n] = tokens.descriptor, tokens.text
        out.available[row, :n], out.mask[row, :n] = tokens.available, True
    return out


def as_float(image: Pixels) -> npt.NDArray[np.float32]:
    """Pixels as the model reads them: 0 black to 1 white, same shape."""
    scaled: npt.NDArray[np.float32] = image * np.float32(1 / 255)
    return scaled


def feed(inputs: PageInputs) -> dict[str, npt.NDArray[Any]]:
    """The arrays of one page under the names the exported graph gives its inputs, batch of one."""
    tokens = pad_tokens([inputs.tokens], [inputs.token_box]).named()
    del tokens["mask"]  # nothing is padded
    return {"image": as_float(inputs.image)[None], **tokens}
