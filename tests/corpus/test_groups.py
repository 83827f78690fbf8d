# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acromeld.corpus.groups import (
    Link,
    group_documents,
    layout_links,
    layout_similarity,
    near_duplicates,
    text_links,
)
from acromeld.corpus.scan import DocumentScan, PageScan, text_sketch
from acromeld.corpus.sketch import hash_items, minhash, shingles, similar_pairs, similarity
from tests.corpus.tiny_forms import Widget, layout, prose


def page(widgets: list[Widget]) -> PageScan:
    return PageScan(612, 792, 0, True, tuple(widgets))


def document(name: str, text: str = "", *pages: list[Widget]) -> DocumentScan:
    return DocumentScan(f"{name}.pdf", name, 1, tuple(map(page, pages)), sketch=text_sketch(text))


def shifted(widgets: list[Widget], by: float) -> list[Widget]:
    return [(kind, (x0 + by, y0 + by, x1 + by, y1 + by)) for kind, (x0, y0, x1, y1) in widgets]


def test_sketches_estimate_jaccard_similarity() -> None:
    items = [str(number).encode() for number in range(3000)]
    a, b = hash_items(items[:2000]), hash_items(items[1000:])
    assert similarity(minhash(a, 1024), minhash(b, 1024)) == pytest.approx(1 / 3, abs=0.05)


def test_similar_pairs_are_found_and_big_buckets_stay_connected() -> None:
    sketches = {f"{n:03d}": np.arange(8, dtype=np.uint64) for n in range(100)}
    pairs = similar_pairs(sketches, 4, most=10)
    assert len(pairs) == 99
    assert len(group_documents({k: k for k in sketches}, [Link(*p, "text", 1.0) for p in pairs]).merged) == 2
    joined = group_documents({k: k for k in sketches}, [Link(*p, "text", 1.0) for p in pairs])
    assert set(joined.group.values()) == {"000"}


def test_shingles_ignore_case_punctuation_and_writing_lines() -> None:
    one = shingles("Name of the Applicant: ______ (please print)")
    assert one == shingles("name OF the applicant ___________________ please, print")
    assert shingles("too few words here") == set()


def test_a_reissue_with_a_few_words_changed_is_linked_and_another_text_is_not() -> None:
    words = prose(1, 400).split()
    reissue = " ".join([*words[:200], "revised", *words[203:]])
    scans = [document("a", " ".join(words)), document("b", reissue), document("c", prose(2, 400))]
    assert [(link.first, link.second) for link in text_links(scans)] == [("a", "b")]


def test_shared_boilerplate_does_not_link() -> None:
    notice = prose(3, 200)
    scans = [document("a", prose(4, 300) + " " + notice), document("b", prose(5, 300) + " " + notice)]
    assert text_links(scans) == []


def test_trivially_small_texts_do_not_link() -> None:
    assert (
        text_links([document("a", "sign here please thank you"), document("b", "sign here please thank you")])
        == []
    )


@pytest.mark.parametrize("by", [0.0, 0.6, 1.0])
def test_the_same_layout_moved_a_little_is_linked(by: float) -> None:
    widgets = [w for w in layout(7, 14) if w[1][3] - w[1][1] > 11]
    scans = [document("a", prose(1), widgets), document("b", prose(2), layout(8), shifted(widgets, by))]
    assert len(widgets) >= 8
    assert [(link.first, link.second, link.how) for link in layout_links(scans)] == [("a", "b", "layout")]


def test_a_bilingual_twin_is_found_by_its_layout_alone() -> None:
    scans = [document("en", prose(1, 300), layout(9)), document("cy", prose(2, 300), layout(9))]
    assert {link.how for link in near_duplicates(scans)} == {"layout"}


def test_few_widgets_or_other_kinds_do_not_link() -> None:
    few = layout(10, 7)
    other = [("signature", box) for _, box in layout(11)]
    assert layout_links([document("a", "", few), document("b", "", few)]) == []
    assert layout_links([document("a", "", layout(11)), document("b", "", other)]) == []


def test_layout_similarity_counts_matches_over_all() -> None:
    widgets = layout(12, 10)
    assert layout_similarity(page(widgets), page(widgets)) == 1.0
    assert layout_similarity(page(widgets), page(widgets[:8])) == pytest.approx(0.8)


NAMES = st.sampled_from("abcdefghij")


@settings(max_examples=150, deadline=None)
@given(
    groups=st.dictionaries(NAMES, st.sampled_from(["g1", "g2", "g3", "g4", "g5", "g6"]), min_size=1),
    pairs=st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["text", "layout"])), max_size=12),
    seed=st.integers(0, 99),
)
def test_groups_are_the_connected_components(
    groups: dict[str, str], pairs: list[tuple[str, str, str]], seed: int
) -> None:
    links = [Link(a, b, how, 0.9) for a, b, how in pairs if a in groups and b in groups]
    result = group_documents(groups, links)
    mixed = links[:]
    random.Random(seed).shuffle(mixed)
    assert group_documents(groups, mixed) == result
    for link in links:
        assert result.group[link.first] == result.group[link.second]
    for name, old in groups.items():
        assert all(result.group[other] == result.group[name] for other in groups if groups[other] == old)
        assert result.group[name] <= old
    removed = len(set(groups.values())) - len(set(result.group.values()))
    assert sum(result.merged.values()) == removed
