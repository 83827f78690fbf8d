# SPDX-License-Identifier: Apache-2.0
"""Names of a document: unique, stable, valid, in every script; and its language."""

import re

from hypothesis import given
from hypothesis import strategies as st

from acromeld.fields import Field
from acromeld.form.describe.document import describe_document
from acromeld.form.describe.language import language_of
from acromeld.form.describe.names import slug, wanted_name
from tests.form.describe.pages import CHOICE, TEXT, words_at
from tests.form.samples import fields_for, flat, source

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")


def named(*fields):
    return [field.name for field in describe_document(fields_for(source(flat()), fields)).pages[0].fields]


def field(tooltip, **more):
    return Field(kind=TEXT, box=(100, 100, 200, 115), tooltip=tooltip, **more)


def test_labels_become_identifiers():
    assert slug("Date of birth (MM/DD/YYYY)") == "date_of_birth_mm_dd_yyyy"
    assert slug("Straße und Hausnummer") == "strasse_und_hausnummer"
    assert slug("12. Prénom") == "item_12_prenom"
    assert slug("日付") == ""


def test_the_same_label_twice_gives_two_names():
    assert named(field("Name"), field("Name"), field("Name")) == ["name", "name_2", "name_3"]


def test_a_made_name_never_takes_a_given_one():
    assert named(field("Name"), field("Other", name="name")) == ["name_2", "name"]


def test_given_names_stay_even_when_they_collide():
    assert named(field("A", name="same"), field("B", name="same")) == ["same", "same"]


def test_other_scripts_get_names_that_do_not_depend_on_their_place():
    alone = named(field("الاسم"))
    after = named(field("Surname"), field("الاسم"))
    assert after[1] == alone[0]
    assert IDENTIFIER.fullmatch(alone[0])
    assert named(field("الاسم"), field("الاسم"))[1] == f"{alone[0]}_2"
    assert named(field("姓名")) != alone


def test_options_tell_the_buttons_of_a_question_apart():
    box = (10, 10, 20, 20)
    yes, no = (Field(kind=CHOICE, box=box, tooltip="Married?", option=option) for option in ("Yes", "No"))
    assert named(yes, no) == ["married_yes", "married_no"]


def test_without_a_label_kind_page_and_number_make_the_name():
    assert named(field(None), field(None)) == ["text_1_1", "text_1_2"]


@given(st.text(max_size=120))
def test_every_label_gives_a_valid_name(label):
    name = wanted_name(field(label or None), label, 1, 1)
    assert IDENTIFIER.fullmatch(name)
    assert len(name) <= 60


def test_the_language_is_said_when_it_is_clear():
    german = words_at(
        [("Antrag auf Erteilung einer Genehmigung Geburtsdatum Anschrift der Antragstellerin", 0, 0)]
    )
    more = words_at([("bitte füllen Sie das Formular vollständig aus und unterschreiben Sie es hier", 0, 0)])
    assert language_of([german, more]) == "de"


def test_the_language_of_a_few_words_is_not_guessed():
    assert language_of([words_at([("Name Total", 0, 0)])]) is None
    assert language_of([]) is None


def test_a_given_language_stays():
    document = fields_for(source(flat())).model_copy(update={"language": "fy"})
    assert describe_document(document).language == "fy"
