# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from pydantic import ValidationError

from acromeld.detect.acromeld.opinions import JUDGEMENTS
from acromeld.detect.ffgbt.weights import shipped
from acromeld.model.contract import COMPACT, CONTRACTS, PAPER, ModelContract
from acromeld.model.cost import forward_gflops
from acromeld.model.describe import describe
from acromeld.structure.descriptor import SIZE as DESCRIPTOR

PAPER_TABLE = {
    "Visual backbone": 22_463_664,
    "Other visual modules": 10_383_275,
    "Structure encoder": 1_789_184,
    "Graph layers": 4_221_984,
    "Query/seed embeddings": 235_649,
    "Graph output heads": 281_668,
}


def test_paper_counts_every_parameter_and_buffer_as_the_paper_does() -> None:
    description = describe(PAPER)
    assert dict(description.components) == PAPER_TABLE
    assert description.total == 39_375_424
    assert description.buffers == 23_852


def test_table_shows_components_total_and_digest() -> None:
    text = describe(PAPER).table()
    assert "39,375,424" in text
    assert PAPER.digest() in text
    assert "Structure encoder          1,789,184    4.5%" in text


def test_paper_sizes_are_the_registered_ones() -> None:
    assert (PAPER.hidden, PAPER.heads, PAPER.structure_depth, PAPER.graph_depth) == (256, 8, 2, 4)
    assert (PAPER.feedforward, PAPER.neighbours, PAPER.link_width) == (1024, 32, 32)
    assert (PAPER.visual_queries, PAPER.structure_queries, PAPER.free_queries) == (384, 384, 128)
    assert PAPER.queries == 896
    assert PAPER.token_kinds == 6


def test_compact_stays_within_its_budget() -> None:
    assert describe(COMPACT).total <= 12_000_000
    assert describe(COMPACT).total * 4 <= 25_000_000
    tokens = COMPACT.max_tokens + COMPACT.max_evidence
    canvases = COMPACT.canvases
    for canvas in (canvases.portrait, canvases.landscape, canvases.square):
        assert forward_gflops(COMPACT, canvas, tokens) <= 12.0
    assert COMPACT.queries > 2 * 313, "twice the fields of the fullest page of the corpus"


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_contract_survives_json_and_keeps_its_digest(contract: ModelContract) -> None:
    again = ModelContract.model_validate_json(contract.canonical())
    assert again == contract
    assert again.digest() == contract.digest()


def test_digest_follows_every_change() -> None:
    changed = PAPER.model_copy(update={"neighbours": 31})
    assert changed.digest() != PAPER.digest()


@pytest.mark.parametrize(
    "change",
    [{"hidden": 250}, {"derived_kinds": True}, {"max_evidence": 4}, {"channels": 1}, {"unknown": 1}],
)
def test_inconsistent_contracts_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ModelContract.model_validate(PAPER.model_dump() | change)


def test_canvas_by_shape_of_the_page() -> None:
    canvases = PAPER.canvases
    assert canvases.for_page(595, 842) == (2048, 1440)
    assert canvases.for_page(842, 595) == (1440, 2048)
    assert canvases.for_page(600, 610) == (1664, 1664)


def test_compact_descriptors_have_room_for_all_that_ffgbt_knows():
    assert DESCRIPTOR + JUDGEMENTS + len(shipped().features) == COMPACT.descriptor
