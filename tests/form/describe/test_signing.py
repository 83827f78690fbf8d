# SPDX-License-Identifier: Apache-2.0
"""Places to sign: known by their captions, in several languages, and made into what is wished."""

import pytest

from acromeld.fields import OperatingPoint
from acromeld.form.describe.document import describe_document
from acromeld.form.describe.page import describe_page
from acromeld.form.describe.signing import Signatures, Signing, says_sign_here
from tests.form.describe.pages import SIGNATURE, TEXT, choice, fields_of, lines_at, page_of, text, words_at
from tests.form.samples import fields_for, flat, source

LINE = (300.0, 680.0, 540.0, 698.0)
RULES = lines_at([(60, 120, 300, 120), (60, 700, 250, 700), (300, 700, 540, 700)])
WORDS = words_at([("Family name", 60, 132), ("Date", 60, 712), ("Signature of the applicant", 300, 712)])
NAME, DATE, SIGN = text(60, 105, 300, 118), text(60, 682, 250, 698), text(*LINE)


def described(*fields, unsure=(), wish=Signatures.AUTO):
    signing = Signing(wish, tuple(unsure), enough=0.7)
    return describe_page(page_of(WORDS, RULES), fields_of(*fields), signing=signing).page.fields


def kinds(fields):
    return [field.kind for field in fields]


@pytest.mark.parametrize(
    "label",
    [
        "Signature",
        "Signature(s) of Applicant(s)",
        "27. SIGNATURE OF CLAIMANT (Do Not Print) (Sign in ink)",
        "Petitioner's or Authorized Signatory's Signature",
        "Signed:",
        "SIGN HERE",
        "Unterschrift des Antragstellers",
        "Podpis",
        "Подпись заявителя",
        "توقيع مقدم الطلب",
        "חתימה",
        "申请人签名",
        "חתימת המבקש",
        "서명",
    ],
)
def test_captions_of_places_to_sign(label):
    assert says_sign_here(label)


@pytest.mark.parametrize(
    "label",
    [
        "",
        "Date signed",
        "28. DATE OF SIGNATURE (MM/DD/YYYY)",
        "Print name as in signature",
        "Section V: Signature",
        "All signatures must be notarized",
        "By putting my name into this signature I say that all of it is true",
        "The person who helped you to fill in this page, and whose signature is below",
        "Design assignment",
        "Data da assinatura",
        "Päiväys ja allekirjoitus",
        "Naam en handtekening",
        "Unterschriftsberechtigter",
        "署名日",
        "서명일",
    ],
)
def test_what_stands_near_signatures_and_asks_for_something_else(label):
    assert not says_sign_here(label)


def test_firma_signs_in_spanish_and_trades_in_german():
    assert says_sign_here("Firma del solicitante", "es")
    assert not says_sign_here("Firma, Ort", "de")
    assert not says_sign_here("Firma", None)


def test_a_place_the_detector_was_unsure_of_is_brought_in_by_its_caption():
    weak = SIGN.model_copy(update={"score": 0.3, "id": "p1-s1"})
    found = described(NAME, DATE, unsure=[weak])
    assert kinds(found) == [TEXT, TEXT, SIGNATURE]
    assert (found[2].box, found[2].tooltip) == (LINE, "Signature of the applicant")
    assert found[2].score == 0.7, "just let in"
    assert kinds(described(unsure=[weak])) == [SIGNATURE], "also where nothing else was found"


def test_unsure_places_without_such_a_caption_stay_out():
    weak = NAME.model_copy(update={"score": 0.4})
    assert described(DATE, unsure=[weak]) == described(DATE)
    assert described(unsure=[weak]) == ()


def test_a_place_has_one_field():
    inner = text(310, 684, 500, 698)
    assert kinds(described(SIGN, unsure=[inner])) == [TEXT], "the detector's own stays as it is"
    apart = text(300, 655, 540, 672)
    assert len(described(unsure=[SIGN, apart])) == 1, "one caption brings in one"


def test_every_wish():
    signed = SIGN.model_copy(update={"kind": SIGNATURE, "score": 0.8})
    for place, unsure in ((SIGN, ()), (signed, ()), (None, (SIGN,))):
        fields = [NAME, DATE] + ([place] if place else [])
        assert kinds(described(*fields, unsure=unsure, wish=Signatures.FIELD)) == [TEXT, TEXT, SIGNATURE]
        assert kinds(described(*fields, unsure=unsure, wish=Signatures.TEXT)) == [TEXT, TEXT, TEXT]
        assert kinds(described(*fields, unsure=unsure, wish=Signatures.PEN)) == [TEXT, TEXT]
    assert described(SIGN, wish=Signatures.PEN) == ()


def test_boxes_to_tick_are_not_signed():
    words = words_at([("Signature is enclosed", 80, 100)])
    signing = Signing(Signatures.FIELD)
    page = describe_page(page_of(words), fields_of(choice(62, 91, 72, 101)), signing=signing).page
    assert kinds(page.fields) == ["choice"]


def test_a_page_says_which_fields_are_asked_for_a_signature():
    named = [field.model_copy(update={"id": name}) for field, name in ((NAME, "a"), (SIGN, "b"))]
    assert describe_page(page_of(WORDS, RULES), fields_of(*named)).to_sign == {"b"}
    far = SIGN.model_copy(update={"id": "b", "box": (300, 500, 540, 518)})
    assert not describe_page(page_of(WORDS, RULES), fields_of(far)).to_sign, "so far away it may be mistaken"


def test_captions_at_the_end_of_underscores_are_read():
    words = words_at([("_" * 40 + "Signature", 60, 712)])
    signing = Signing(Signatures.FIELD)
    page = describe_page(page_of(words), fields_of(text(60, 700, 258, 712)), signing=signing).page
    assert kinds(page.fields) == [SIGNATURE]


def test_a_document_is_signed_in_one_way():
    typed = SIGN.model_copy(update={"id": "typed", "multiline": False, "font_size": 9.0, "score": 0.5})
    signed = typed.model_copy(update={"id": "signed", "kind": SIGNATURE, "box": (60, 400, 250, 420)})

    def of(*fields):
        point = OperatingPoint(signature=0.7)
        document = fields_for(source(flat()), fields).model_copy(update={"operating_point": point})
        return describe_document(document, to_sign={"typed", "signed"}).pages[0].fields

    assert kinds(of(NAME, typed)) == [TEXT, TEXT]
    first, second, third = of(NAME, typed, signed)
    assert (first.kind, second.kind, third.kind) == (TEXT, SIGNATURE, SIGNATURE)
    assert (second.score, second.multiline, second.font_size) == (0.7, None, None)


def faint(field, score=0.2):
    return field.model_copy(update={"score": score})


DATED = words_at([("Family name", 60, 132), ("Date:", 34, 696), ("Signature of the applicant", 300, 712)])


def dated(*unsure, wish=Signatures.AUTO):
    signing = Signing(wish, unsure, enough=0.7)
    return describe_page(page_of(DATED, RULES), fields_of(NAME), signing=signing).page.fields


def test_the_date_beside_a_signature_comes_in_with_it():
    found = dated(faint(SIGN), faint(DATE))
    assert kinds(found) == [TEXT, TEXT, SIGNATURE]
    assert found[1].score == 0.7, "just let in"


@pytest.mark.parametrize("wish", [Signatures.PEN, Signatures.TEXT])
def test_a_date_comes_in_only_beside_a_signature_field(wish):
    assert len(dated(faint(SIGN), faint(DATE), wish=wish)) == (1 if wish is Signatures.PEN else 2)


def test_a_faint_date_elsewhere_stays_out():
    above = faint(text(60, 640, 250, 656))
    assert kinds(dated(faint(SIGN), above)) == [TEXT, SIGNATURE]
    assert kinds(dated(faint(DATE))) == [TEXT], "nobody signs here"
