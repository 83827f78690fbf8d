# SPDX-License-Identifier: Apache-2.0
"""Signed, certified, rights-enabled, XFA and encrypted files."""

import io

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Encryption, Name, Permissions, String

from acromeld.errors import PasswordNeeded, Refused
from acromeld.form.facts import FormFacts, Xfa, form_facts
from acromeld.form.writer import apply_fields
from tests.form.samples import (
    FIELDS,
    add_widget,
    edited,
    fields_for,
    flat,
    opened,
    source,
    widget_named,
    widgets,
)

ELSEWHERE = (400, 100, 500, 120)
CONFIG = b"<config><present><pdf><dynamicRender>required</dynamicRender></pdf></present></config>"


def signed(pdf: pikepdf.Pdf) -> None:
    value = Dictionary(Type=Name.Sig, Filter=Name("/Adobe.PPKLite"), Contents=String("00"))
    add_widget(pdf, ELSEWHERE, "sig", FT=Name.Sig, V=value)
    pdf.Root.AcroForm["/SigFlags"] = 3


def signed_outside_the_tree(pdf: pikepdf.Pdf) -> None:
    signed(pdf)
    pdf.Root.AcroForm["/Fields"] = Array()


def certified(pdf: pikepdf.Pdf) -> None:
    pdf.Root["/Perms"] = Dictionary(DocMDP=Dictionary(Type=Name.Sig))


def rights_enabled(pdf: pikepdf.Pdf) -> None:
    pdf.Root["/Perms"] = Dictionary(UR3=Dictionary(Type=Name.Sig))


def unsigned_field(pdf: pikepdf.Pdf) -> None:
    add_widget(pdf, ELSEWHERE, "sig", FT=Name.Sig)
    pdf.Root.AcroForm["/SigFlags"] = 1


def xfa(pdf: pikepdf.Pdf, config: bytes = b"<config/>") -> None:
    add_widget(pdf, ELSEWHERE)
    packets = [String("template"), pdf.make_stream(b"<template/>"), String("config"), pdf.make_stream(config)]
    pdf.Root.AcroForm["/XFA"] = Array(packets)


def xfa_required(pdf: pikepdf.Pdf) -> None:
    xfa(pdf, CONFIG)


def xfa_one_stream(pdf: pikepdf.Pdf) -> None:
    add_widget(pdf, ELSEWHERE)
    pdf.Root.AcroForm["/XFA"] = pdf.make_stream(b"<xdp>" + CONFIG + b"</xdp>")


def xfa_needs_rendering(pdf: pikepdf.Pdf) -> None:
    xfa(pdf)
    pdf.Root["/NeedsRendering"] = True


def xfa_without_fields(pdf: pikepdf.Pdf) -> None:
    xfa(pdf)
    pdf.Root.AcroForm["/Fields"] = Array()


def facts(*edits) -> FormFacts:
    with opened(edited(flat(), *edits)) as pdf:
        return form_facts(pdf)


@pytest.mark.parametrize("edit", [signed, signed_outside_the_tree, certified])
def test_signed_files_are_refused_unless_forced(edit):
    document = source(edited(flat(), edit))
    with pytest.raises(Refused, match="signed"):
        apply_fields(document, fields_for(document))
    result = apply_fields(document, fields_for(document), force=True)
    assert result.written == len(FIELDS)
    assert result.notes == ("The signature of the original is not valid in the output.",)
    with opened(result.data) as pdf:
        assert "/Perms" not in pdf.Root
        assert pdf.Root.AcroForm.SigFlags == 1


def test_usage_rights_are_refused_unless_forced():
    document = source(edited(flat(), rights_enabled))
    with pytest.raises(Refused, match="usage rights"):
        apply_fields(document, fields_for(document))
    result = apply_fields(document, fields_for(document), force=True)
    with opened(result.data) as pdf:
        assert "/Perms" not in pdf.Root
    assert "usage rights" in result.notes[0]


def test_a_signature_field_nobody_signed_is_no_obstacle():
    document = source(edited(flat(), unsigned_field))
    assert apply_fields(document, fields_for(document)).notes == ()


@pytest.mark.parametrize("edit", [xfa_required, xfa_one_stream, xfa_needs_rendering, xfa_without_fields])
def test_dynamic_xfa_is_refused_even_when_forced(edit):
    document = source(edited(flat(), edit))
    for force in (False, True):
        with pytest.raises(Refused, match="dynamic XFA"):
            apply_fields(document, fields_for(document), force=force)


def test_static_xfa_packet_is_removed_and_said():
    document = source(edited(flat(), xfa))
    result = apply_fields(document, fields_for(document))
    with opened(result.data) as pdf:
        assert "/XFA" not in pdf.Root.AcroForm
        assert widget_named(pdf, "old")
    assert "XFA packet" in result.notes[0]


def encrypted(user: str) -> bytes:
    buffer = io.BytesIO()
    allow = Permissions(extract=False, modify_form=False)
    with opened(flat()) as pdf:
        pdf.save(buffer, encryption=Encryption(owner="owner", user=user, allow=allow))
    return buffer.getvalue()


def test_owner_password_is_lifted_and_said(qpdf_check):
    document = source(encrypted(""))
    result = apply_fields(document, fields_for(document))
    assert result.notes == (
        "The output is not encrypted; the original restricts filling in, rearranging pages, copying.",
    )
    with opened(result.data) as pdf:
        assert not pdf.is_encrypted
        assert len(widgets(pdf)) == len(FIELDS)
    assert qpdf_check(result.data) == ""
    assert apply_fields(document, fields_for(document)).data == result.data


def test_user_password_opens_and_the_lost_protection_is_said():
    document = source(encrypted("secret"), password="secret")
    result = apply_fields(document, fields_for(document))
    assert "not protected" in result.notes[0]
    with opened(result.data) as pdf:
        assert not pdf.is_encrypted


def test_wrong_password():
    document = source(encrypted("secret"), password="wrong")
    with pytest.raises(PasswordNeeded):
        apply_fields(document, fields_for(source(flat())), force=True)


def test_facts_of_a_plain_file():
    assert facts() == FormFacts()


def test_facts_of_a_form():
    found = facts(xfa, rights_enabled, lambda pdf: pdf.Root.__setitem__("/StructTreeRoot", Dictionary()))
    assert found == FormFacts(fields=1, usage_rights=True, xfa=Xfa.STATIC, tagged=True)


@pytest.mark.parametrize("value", [7, String("x"), Array([1, 2]), Name.Odd, Dictionary(Fields=3, XFA=4)])
@pytest.mark.parametrize("key", ["/AcroForm", "/Perms", "/StructTreeRoot", "/NeedsRendering"])
def test_broken_structures_are_never_raised(key, value):
    found = facts(lambda pdf: pdf.Root.__setitem__(key, value))
    assert not found.signed


def test_a_looping_field_tree_ends():
    def loop(pdf: pikepdf.Pdf) -> None:
        node = add_widget(pdf, ELSEWHERE, "loop")
        node["/Kids"] = Array([node])
        node["/Parent"] = node

    assert facts(loop) == FormFacts()
    document = source(edited(flat(), loop))
    assert apply_fields(document, fields_for(document)).written == 4
