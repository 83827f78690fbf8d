# SPDX-License-Identifier: Apache-2.0
"""Mutations for `tools/fuzz.py`: of bytes, of tokens, of PDF objects and of JSON values.

Starting points are the sample form, synthetic forms with native widgets, and the small documents of the
tests, each also with its streams unpacked, so that mutations reach content operators and dictionaries.
"""

from __future__ import annotations

import io
import json
import random
import re
import warnings
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, String
from tests.form.samples import flat
from tests.pdf import hostile
from tests.pdf.drawn import Form, drawn

from acromeld.corpus.synth.document import generate
from acromeld.recovery import detect

ROOT = Path(__file__).resolve().parent.parent

NUMBERS = [b"0", b"-1", b"1", b"65535", b"65536", b"2147483647", b"-2147483648", b"4294967296", b"1e38",
           b"0.0000001", b"99999999999999999999", b"-.", b"NaN", b"3.4028235e38"]  # fmt: skip
TOKENS = [
    b"<<",
    b">>",
    b"[",
    b"]",
    b"(",
    b")",
    b"<",
    b">",
    b"/",
    b"%",
    b"stream\n",
    b"endstream",
    b"endobj",
    b"obj",
    b" R ",
    b"null",
    b"true",
    b"q ",
    b"Q ",
    b"cm ",
    b"Do ",
    b"BT ",
    b"ET ",
    b"Tj ",
    b"re ",
    b"W n ",
    b"BI ",
    b"ID ",
    b"EI ",
    b"sh ",
    b"xref",
    b"trailer",
    b"startxref",
    b"\x00",
    b"\xff",
]
NAMES = [
    b"/" + name
    for name in b"""
Kids Parent Count Type Pages Page Contents Resources Font XObject MediaBox CropBox Rotate UserUnit Annots
AcroForm Fields FT Btn Tx Sig Rect AP N DA DR Filter FlateDecode LZWDecode ASCII85Decode DCTDecode
JBIG2Decode Length Root Prev Size Encrypt ID XFA Perms StructTreeRoot MarkInfo Subtype Widget T Ff MaxLen
Opt V Matrix BBox Names Dests Lang Metadata Predictor Columns Colors
""".split()
]


def pdf_bases() -> list[bytes]:
    """Whole documents, most of them small; each once as it is and once unpacked."""
    nested = drawn("/X Do 20 20 m 90 20 l S", forms={"X": Form("/Y Do", forms={"Y": Form("1 1 50 9 re S")})})
    small = [
        flat(pages=1),
        flat(pages=2),
        nested,
        hostile.numbered("a", 1),
        hostile.endless_form(),
        hostile.signed(),
        hostile.dynamic_xfa(),
        hostile.missing_page(),
        hostile.protected_by_an_empty_password(),
        drawn("BT /F1 9 Tf 10 200 Td (Name ______) Tj ET /Im Do 5 5 90 12 re S", Rotate=90),
    ]
    forms = [generate(7, number, fonts="builtin").data for number in range(4)]
    sample = (ROOT / "examples" / "application.pdf").read_bytes()
    whole = small * 2 + [sample, *forms]
    return whole + [_unpacked(data) for data in whole]


def _unpacked(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as pdf, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pdf.save(
            buffer,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
            encryption=False,
            static_id=True,
        )
    return buffer.getvalue()


def mutate_pdf(rng: random.Random, bases: list[bytes]) -> bytes:
    """One document, changed once or several times."""
    data = rng.choice(bases)
    if rng.random() < 0.45:
        data = _mutate_objects(rng, data)
    if rng.random() < 0.65:
        other = rng.choice(bases)
        for _ in range(rng.choice([1, 1, 2, 3, 5, 12])):
            data = _mutate_bytes(rng, data, other, NAMES)
    return data


def _mutate_bytes(rng: random.Random, data: bytes, other: bytes, names: list[bytes]) -> bytes:
    if not data:
        return other
    at = rng.randrange(len(data))
    span = rng.choice([1, 2, 4, 16, 64, 512])
    kind = rng.randrange(10)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + rng.randbytes(span) + data[at + span :]
    if kind == 2:
        return data[:at] + data[at + span :]
    if kind == 3:
        return data[:at] + data[at : at + span] * rng.choice([2, 3, 50]) + data[at + span :]
    if kind == 4:
        return data[:at] if rng.random() < 0.3 else data
    if kind == 5:
        there = rng.randrange(len(other))
        return data[:at] + other[there : there + span * 8] + data[at:]
    if kind == 6:
        return _replaced(rng, data, rb"-?\d+\.?\d*", rng.choice(NUMBERS))
    if kind == 7:
        return _replaced(rng, data, rb"/[A-Za-z0-9]+", rng.choice(names))
    if kind == 8:
        return _replaced(rng, data, rb"\d+ 0 R", b"%d 0 R" % rng.randrange(40))
    depth = rng.choice([1, 1, 1, 200, 5000])
    return data[:at] + rng.choice(TOKENS) * depth + data[at:]


def _replaced(rng: random.Random, data: bytes, pattern: bytes, new: bytes) -> bytes:
    places = [match.span() for match in re.finditer(pattern, data)]
    if not places:
        return data
    start, end = rng.choice(places)
    return data[:start] + new + data[end:]


def _mutate_objects(rng: random.Random, data: bytes) -> bytes:
    """Change values of objects and save, so that the file itself stays sound."""
    buffer = io.BytesIO()
    try:
        with pikepdf.open(io.BytesIO(data)) as pdf, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            objects = [item for item in pdf.objects if isinstance(item, Dictionary | Array | pikepdf.Stream)]
            for _ in range(rng.choice([1, 1, 2, 4, 10])):
                _change(rng, pdf, rng.choice(objects), objects)
            pdf.save(buffer, static_id=True, encryption=False)
    except Exception:
        # The mutation made it unreadable for the mutator itself; the bytes alone are changed then.
        return data
    return buffer.getvalue()


def _change(rng: random.Random, pdf: pikepdf.Pdf, item, objects: list) -> None:
    value = _value(rng, pdf, objects)
    if isinstance(item, Array):
        if len(item) and rng.random() < 0.7:
            item[rng.randrange(len(item))] = value
        else:
            item.extend([value] * rng.choice([1, 3, 300]))
        return
    keys = sorted(item.keys())
    key = rng.choice(keys) if keys and rng.random() < 0.7 else rng.choice(NAMES).decode()
    if rng.random() < 0.15 and key in item:
        del item[key]
    elif rng.random() < 0.3 and isinstance(item.get(key), Dictionary | Array):
        _change(rng, pdf, item[key], objects)
    else:
        item[key] = value


def _value(rng: random.Random, pdf: pikepdf.Pdf, objects: list):
    """Something that may stand where another thing is expected."""
    kind = rng.randrange(11)
    if kind == 0:
        return rng.choice([0, 1, -1, 2**31 - 1, -(2**31), 2**40, 90, 135, 65536])
    if kind == 1:
        return rng.choice([0.0, -0.5, 1e-9, 123456789.5, -98765.25])
    if kind == 2:
        return rng.choice([True, False, None])
    if kind == 3:
        return String(rng.choice(["", "a", "\x00", "\ufeffé申", "x" * 70_000, "\ud83d"[:0] + "🙂"]))
    if kind == 4:
        return Name(rng.choice(NAMES).decode())
    if kind == 5:
        return Array([rng.choice([0, -1, 1e7, 200, 0.5]) for _ in range(rng.choice([0, 1, 3, 4, 4, 4, 6]))])
    if kind == 6:
        return Dictionary({rng.choice(NAMES).decode(): 1})
    if kind == 7:
        return pdf.make_stream(rng.choice([b"", b"q " * 3000, b"0 0 m 1e9 1e9 l S", rng.randbytes(200)]))
    if kind == 8:
        nested = Array([])
        for _ in range(rng.choice([2, 50, 400])):
            nested = Array([nested])
        return nested
    if kind == 9:
        return pdf.Root
    return rng.choice(objects)


def field_bases() -> list[tuple[bytes, bytes]]:
    """Documents with the fields found in them, as JSON."""
    documents = [flat(pages=2), hostile.numbered("a", 3), generate(7, 1, fonts="builtin").data]
    made = []
    for data in documents:
        found = detect(data, detector="rules", isolated=False)
        made.append((data, found.to_json().encode()))
        made.append((data, "\n".join(found.to_lines()).encode()))
    return made


WORDS = [
    "",
    "a",
    "\x00",
    "a.b.c",
    "../../etc/passwd",
    "/T",
    "x" * 5000,
    "é申🙂",
    "\u202e",
    "\ud800",
    "Yes",
    "Off",
    ")",
    "\\",
]
EXTREMES = [0, -1, 1, 2**31, 2**63, 10**400, -0.0, 1e-300, 1e300, 0.5, 1e9, 72, float("inf"), float("nan")]
KEYS = [
    "kind",
    "box",
    "score",
    "id",
    "quality",
    "origin",
    "name",
    "tooltip",
    "group",
    "option",
    "order",
    "multiline",
    "comb",
    "font_size",
    "format",
    "align",
    "mark",
    "page",
    "fields",
    "pages",
    "index",
    "width",
    "height",
    "schema",
    "document",
    "sha256",
    "detector",
    "operating_point",
    "language",
    "notes",
]
PLAUSIBLE = {
    "kind": ["text", "choice", "signature"],
    "format": ["date", "number"],
    "align": ["left", "centre", "right"],
    "mark": ["tick", "cross", "circle"],
    "group": ["g", "g", "h", ""],
    "option": ["Yes", "No", "Off", ""],
    "comb": [1, 2, 9, 1000, 10**6],
    "order": [0, 1, 5, -3, 10**9],
    "multiline": [True, False],
    "font_size": [0.01, 8, 300, 1e6],
    "language": ["en", "de-DE", "x", ""],
}


def mutate_fields(rng: random.Random, bases: list[tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
    """A document and a fields file for it, changed once or several times."""
    document, text = rng.choice(bases)
    if rng.random() < 0.75:
        text = _mutate_json(rng, text)
    if rng.random() < 0.35:
        for _ in range(rng.choice([1, 2, 5])):
            text = _mutate_bytes(
                rng, text, rng.choice(bases)[1], [b'"name"', b'"box"', b"null", b"[]", b"{}"]
            )
    return document, text


def _mutate_json(rng: random.Random, text: bytes) -> bytes:
    whole = len(text.splitlines()) == 1 or text.startswith(b"{\n")
    rows = [json.loads(text)] if whole else [json.loads(row) for row in text.splitlines()]
    for _ in range(rng.choice([1, 1, 2, 5, 30])):
        _change_json(rng, rng.choice(rows))
    joined = "\n".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) for row in rows)
    return joined.encode("utf-8", "surrogatepass")


def _change_json(rng: random.Random, node: object) -> None:
    """Walk to some place and change what is there."""
    while isinstance(node, dict | list) and node:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key = rng.choice(list(keys))
        inner = node[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.85:
            node = inner
            continue
        _change_entry(rng, node, key)
        return


def _change_entry(rng: random.Random, node: dict | list, key) -> None:
    kind = rng.randrange(8)
    if kind == 0:
        del node[key]
    elif kind == 1 and isinstance(node, list):
        node.extend([node[key]] * rng.choice([1, 2, 200]))
    elif kind <= 4 and isinstance(node, dict):
        name = rng.choice(list(PLAUSIBLE))
        node[name] = rng.choice(PLAUSIBLE[name])
    elif kind == 5 and isinstance(node, dict):
        node[rng.choice(KEYS)] = _json_value(rng)
    elif isinstance(node[key], float | int):
        # A number of 400 digits can't be scaled; it is extreme enough to be exchanged for another.
        scaled = rng.random() >= 0.5 and abs(node[key]) < 1e300
        node[key] = node[key] * rng.choice([-1, 0.001, 1.5, 1000]) if scaled else rng.choice(EXTREMES)
    else:
        node[key] = _json_value(rng)


def _json_value(rng: random.Random):
    return rng.choice([None, True, [], {}, rng.choice(WORDS), rng.choice(EXTREMES), [[[[]]]], [0, 0, 10, 10]])
