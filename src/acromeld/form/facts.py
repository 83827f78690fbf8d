# SPDX-License-Identifier: Apache-2.0
"""What a document says about being changed: signatures, usage rights, XFA, tags, encryption.

Reading never raises: a structure that makes no sense is taken as absent, because this runs on every file
before anybody knows whether it is a good one.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.objects import (
    array_at,
    as_dict,
    catalog,
    dict_at,
    dicts_at,
    flag_at,
    inherited,
    int_at,
)
from acromeld.pdf.widgets import annotation_dicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pikepdf import Dictionary, Pdf

_SIGNATURES_EXIST, _APPEND_ONLY = 1, 2
_MAX_NODES = 200_000
_MAX_CONFIG = 4 * 1024**2
_DYNAMIC = re.compile(rb"<(?:\w+:)?dynamicRender[^>]*>\s*required\s*<")

_RESTRICTIONS = {
    "print_lowres": "printing",
    "print_highres": "high-quality printing",
    "modify_other": "changing",
    "modify_annotation": "commenting",
    "modify_form": "filling in",
    "modify_assembly": "rearranging pages",
    "extract": "copying",
    "accessibility": "access for screen readers",
}


class Xfa(StrEnum):
    """Whether an XFA form is in the file, and whether the pages are more than a placeholder for it."""

    NONE = "none"
    STATIC = "static"
    DYNAMIC = "dynamic"


@dataclass(frozen=True)
class FormFacts:
    """What decides whether, and how, a file may be written.

    Attributes:
        fields: Terminal fields in the AcroForm tree.
        signed: Somebody signed the document, or certified it (/Perms /DocMDP); any change breaks that.
        usage_rights: Reader extensions (/Perms /UR or /UR3), which a change makes invalid with a warning.
        xfa: Kind of XFA form.
        tagged: The file has a structure tree.
        encrypted: The file is encrypted.
        restrictions: What the encryption forbids, in words; empty when it forbids nothing.
    """

    fields: int = 0
    signed: bool = False
    usage_rights: bool = False
    xfa: Xfa = Xfa.NONE
    tagged: bool = False
    encrypted: bool = False
    restrictions: tuple[str, ...] = ()


def form_facts(pdf: Pdf) -> FormFacts:
    """Read the facts off an open document."""
    root = catalog(pdf)
    perms = dict_at(root, "/Perms") or pikepdf.Dictionary()
    terminals = list(terminal_fields(dict_at(root, "/AcroForm")))
    return FormFacts(
        fields=len(terminals),
        signed="/DocMDP" in perms or any(map(_is_signed, terminals)) or _signed_outside_tree(pdf, root),
        usage_rights="/UR" in perms or "/UR3" in perms,
        xfa=_xfa(root, len(terminals)),
        tagged=dict_at(root, "/StructTreeRoot") is not None,
        encrypted=pdf.is_encrypted,
        restrictions=_restrictions(pdf) if pdf.is_encrypted else (),
    )


def terminal_fields(acroform: Dictionary | None) -> Iterator[Dictionary]:
    """The fields that hold values: nodes of the tree whose kids, if any, are only widgets.

    A kid without /T is a widget of its parent, not a field (ISO 32000-2, 12.7.4.2). Shared and looping nodes
    are visited once.
    """
    stack = list(reversed(dicts_at(acroform, "/Fields")))
    seen: set[tuple[int, int]] = set()
    for _ in range(_MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        if node.is_indirect and node.objgen in seen:
            continue
        seen.add(node.objgen)
        kids = [kid for kid in dicts_at(node, "/Kids") if "/T" in kid]
        if kids:
            stack.extend(reversed(kids))
        else:
            yield node


def _is_signed(node: Dictionary) -> bool:
    return inherited(node, "/FT") == "/Sig" and as_dict(inherited(node, "/V")) is not None


def _signed_outside_tree(pdf: Pdf, root: Dictionary) -> bool:
    """Some producers forget to list the signed widget in /Fields; the flags tell when to look for it."""
    if not int_at(dict_at(root, "/AcroForm"), "/SigFlags") & (_SIGNATURES_EXIST | _APPEND_ONLY):
        return False
    try:
        return any(_is_signed(widget) for page in pdf.pages for widget in annotation_dicts(page))
    except (pikepdf.PdfError, RuntimeError, ValueError):
        return False


def _xfa(root: Dictionary, fields: int) -> Xfa:
    """Dynamic means that the pages only say "please wait": nothing on them to make fillable."""
    acroform = dict_at(root, "/AcroForm")
    if acroform is None or "/XFA" not in acroform:
        return Xfa.NONE
    dynamic = flag_at(root, "/NeedsRendering") or fields == 0 or _DYNAMIC.search(_xfa_config(acroform))
    return Xfa.DYNAMIC if dynamic else Xfa.STATIC


def _xfa_config(acroform: Dictionary) -> bytes:
    """The config packet, or the whole XDP when the packets are not listed apart."""
    packets = array_at(acroform, "/XFA")
    if packets is None:
        return _bounded_bytes(acroform.get("/XFA"))
    names = list(packets)[::2]
    streams = list(packets)[1::2]
    found = (stream for name, stream in zip(names, streams, strict=False) if str(name) == "config")
    return _bounded_bytes(next(found, None))


def _bounded_bytes(stream: object) -> bytes:
    """Stream contents, but never more than a few megabytes: the packet may be a decompression bomb."""
    if not isinstance(stream, pikepdf.Stream):
        return b""
    try:
        raw = stream.read_raw_bytes()
        if "/Filter" not in stream:
            return raw[:_MAX_CONFIG]
        return zlib.decompressobj().decompress(raw, _MAX_CONFIG)
    except (pikepdf.PdfError, zlib.error, RuntimeError):
        return b""


def _restrictions(pdf: Pdf) -> tuple[str, ...]:
    allowed = pdf.allow
    return tuple(words for flag, words in _RESTRICTIONS.items() if not getattr(allowed, flag, True))
