# SPDX-License-Identifier: Apache-2.0
"""Which files we change, and what we take out of them first.

Adding fields rewrites the file, which breaks whatever vouches for its exact bytes. That is the owner's
decision, so such files are refused unless forced; and what was taken away is always said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.errors import Refused
from acromeld.form.claims import drop_claims
from acromeld.form.facts import Xfa, form_facts
from acromeld.form.objects import catalog, dict_at, int_at
from acromeld.pdf.source import open_pikepdf

if TYPE_CHECKING:
    from pikepdf import Pdf

    from acromeld.form.facts import FormFacts
    from acromeld.pdf.source import Source

_APPEND_ONLY = 2
_TAIL = 4096
"""Bytes at the end in which every whole PDF names its cross-reference table (ISO 32000-2, 7.5.5)."""


def check_writable(source: Source, *, force: bool) -> None:
    """Refuse at once what would be refused after detection, so that nobody waits for a no."""
    with open_pikepdf(source) as pdf:
        _refuse(form_facts(pdf), source, force=force)


def admit(pdf: Pdf, facts: FormFacts, source: Source, *, force: bool) -> list[str]:
    """Refuse what would be damaged; make the rest ready for writing. Gives notes on what was lost."""
    _refuse(facts, source, force=force)
    notes = [*_drop_guarantees(pdf, facts), *drop_claims(pdf), *_drop_xfa(pdf, facts)]
    if facts.encrypted:
        notes.append(_protection_note(facts, source))
    return notes


def _refuse(facts: FormFacts, source: Source, *, force: bool) -> None:
    name = source.name
    if not force and b"startxref" not in source.data[-_TAIL:]:
        raise Refused(
            f"{name} is cut off: its end is missing, and with it part of its content; "
            "--force writes what is left."
        )
    if facts.xfa is Xfa.DYNAMIC:
        raise Refused(
            f"{name} is a dynamic XFA form, whose pages exist only in Adobe software; print it to PDF first."
        )
    if facts.signed and not force:
        raise Refused(
            f"{name} is signed, and adding fields would make the signature invalid; --force does it anyway."
        )
    if facts.usage_rights and not force:
        raise Refused(
            f"{name} has Adobe Reader usage rights, which adding fields would make invalid; "
            "--force removes them and goes on."
        )


def _drop_guarantees(pdf: Pdf, facts: FormFacts) -> list[str]:
    """Take out what would now be a false promise, and what would stop people from filling the form.

    A broken /DocMDP certification or usage-rights entry makes Acrobat lock the whole document. The signature
    itself stays in its field: viewers show it as invalid, which is the truth.
    """
    if not (facts.signed or facts.usage_rights):
        return []
    root = catalog(pdf)
    if "/Perms" in root:
        del root["/Perms"]
    acroform = dict_at(root, "/AcroForm")
    if acroform is not None and "/SigFlags" in acroform:
        acroform["/SigFlags"] = int_at(acroform, "/SigFlags") & ~_APPEND_ONLY
    notes = ["The signature of the original is not valid in the output."] if facts.signed else []
    if facts.usage_rights:
        notes.append("The Adobe Reader usage rights of the original were removed.")
    return notes


def _drop_xfa(pdf: Pdf, facts: FormFacts) -> list[str]:
    """A viewer that prefers the XFA packet would not show the new fields."""
    acroform = dict_at(catalog(pdf), "/AcroForm")
    if facts.xfa is Xfa.NONE or acroform is None:
        return []
    del acroform["/XFA"]
    return ["The XFA packet of the original was removed; its AcroForm fields were kept."]


def _protection_note(facts: FormFacts, source: Source) -> str:
    if source.password:
        return "The output is not protected; the original opens only with a password."
    if not facts.restrictions:
        return "The original is encrypted without restrictions; the output is not encrypted."
    return f"The output is not encrypted; the original restricts {', '.join(facts.restrictions)}."
