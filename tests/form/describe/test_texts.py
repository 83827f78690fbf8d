# SPDX-License-Identifier: Apache-2.0
"""Printed text as people would say it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.form.describe.texts import (
    MAX_LENGTH,
    clean,
    has_words,
    normalised,
    right_to_left,
    token_f1,
    tokens,
)


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("Date of birth:", "Date of birth"),
        ("Total . . . . . . . .", "Total"),
        ("Name ________", "Name"),
        ("☐ Yes", "Yes"),
        ("12. First name", "12. First name"),
        ("(if any", "if any"),
        ("Signature *", "Signature"),
        ("• Other:", "Other"),
        ("Telephone (   )", "Telephone"),
        ("....", ""),
        ("ﬁrst", "first"),
    ],
)
def test_what_is_printed_and_what_is_said(printed, said):
    assert clean(printed) == said


def test_a_paragraph_is_cut_at_a_word():
    said = clean("word " * 200)
    assert len(said) <= MAX_LENGTH + 1
    assert said.endswith("word…")


@given(st.text(max_size=300))
def test_cleaning_twice_changes_nothing_more(text):
    assert "\n" not in clean(text)
    assert clean(text) == clean(text).strip()


def test_tokens_of_scripts_without_spaces_are_characters():
    assert tokens("生年月日") == ["生", "年", "月", "日"]
    assert tokens("Date of_Birth") == ["date", "of", "birth"]


def test_token_f1_counts_repetitions():
    assert token_f1(["a", "b"], ["a", "b"]) == 1.0
    assert token_f1(["a", "a"], ["a"]) == pytest.approx(2 / 3)
    assert token_f1([], ["a"]) == 0.0


def test_normalisation_forgets_case_and_punctuation():
    assert normalised("1. First-Name:") == normalised("1 first name")


def test_initials_are_words_and_numbers_are_not():
    assert all(map(has_words, ("No", "M.I.", "D. O. B.", "名", "1a. S.S.N.")))
    assert not any(map(has_words, ("", "12.", "a.", "1.2.", "A 1.", "(5)")))


def test_direction_of_writing():
    assert right_to_left("תאריך לידה 12")
    assert not right_to_left("Name 12")
