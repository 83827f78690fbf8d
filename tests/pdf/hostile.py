# SPDX-License-Identifier: Apache-2.0
"""Files nobody wishes to meet, made on the spot."""

import io
import struct
import zlib

import pikepdf
from pikepdf import Array, Dictionary, Encryption, Name, Stream, String

from tests.pdf.drawn import Form, drawn, saved


def numbered(prefix: str, pages: int = 4) -> bytes:
    """Pages that say which they are, each with a rule to write on."""
    return drawn(*(f"BT /F1 10 Tf 20 200 Td ({prefix}{n}) Tj ET 60 198 m 160 198 l S" for n in range(pages)))


def without_pages() -> bytes:
    return saved(pikepdf.new())


def endless_page_tree() -> bytes:
    """A page tree whose only child is its own root."""
    pdf = pikepdf.open(io.BytesIO(numbered("a", 1)))
    tree = pdf.Root.Pages
    tree.Kids = Array([tree])
    return as_written(pdf)


def page_tree_with_a_loop() -> bytes:
    """One honest page, and a branch that leads back to the root."""
    pdf = pikepdf.open(io.BytesIO(numbered("a", 1)))
    tree = pdf.Root.Pages
    branch = pdf.make_indirect(Dictionary(Type=Name.Pages, Parent=tree, Count=1, Kids=Array([tree])))
    tree.Kids.append(branch)
    tree.Count = 2
    return as_written(pdf)


def as_written(pdf: pikepdf.Pdf) -> bytes:
    """Every object as it stands: saving would look at the page tree first."""
    out = [b"%PDF-1.7\n"]
    offsets = []
    for number, item in enumerate(pdf.objects, 1):
        offsets.append(sum(map(len, out)))
        body = item.unparse(resolved=True)
        if isinstance(item, Stream):
            body = (
                Dictionary(dict(item.items())).unparse()
                + b"\nstream\n"
                + item.read_raw_bytes()
                + b"\nendstream"
            )
        out.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = sum(map(len, out))
    out.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1))
    out += [b"%010d 00000 n \n" % offset for offset in offsets]
    root = pdf.Root.objgen[0]
    out.append(
        b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(offsets) + 1, root, start)
    )
    return b"".join(out)


def stray_number_in_the_page_tree() -> bytes:
    """Two honest pages and a number among them, which qpdf repairs and warns of."""
    pdf = pikepdf.open(io.BytesIO(numbered("a", 2)))
    pdf.Root.Pages.Kids.insert(1, 5)
    return as_written(pdf)


def missing_page() -> bytes:
    """The first of two pages is a reference to nothing."""
    pdf = pikepdf.open(io.BytesIO(numbered("a", 2)))
    first = b"%d 0 R" % pdf.pages[0].objgen[0]
    return as_written(pdf).replace(b"/Kids [ " + first, b"/Kids [ 99 0 R")


def endless_form() -> bytes:
    """A Form XObject that draws itself, and one that two others draw in turn."""
    pdf = pikepdf.open(io.BytesIO(drawn("10 10 50 20 re S /X Do", forms={"X": Form("5 5 20 20 re S /X Do")})))
    form = pdf.pages[0].obj.Resources.XObject["/X"]
    form.Resources.XObject["/X"] = form
    return saved(pdf)


def spaces(megabytes: int) -> bytes:
    """White space beyond measure, squeezed."""
    squeeze = zlib.compressobj(9)
    space = b" " * 2**20
    return b"".join(squeeze.compress(space) for _ in range(megabytes)) + squeeze.flush()


def content_bomb(megabytes: int) -> bytes:
    """Three pages; the second one inflates to many megabytes."""
    pdf = pikepdf.open(io.BytesIO(numbered("a", 3)))
    pdf.pages[1].obj.Contents = Stream(pdf, spaces(megabytes), Filter=Name.FlateDecode)
    return saved(pdf)


def object_stream_bomb(megabytes: int) -> bytes:
    """A file whose catalogue and pages lie in an object stream that inflates to many megabytes."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]>>",
    ]
    starts = [sum(len(item) + 1 for item in objects[:n]) for n in range(len(objects))]
    head = b" ".join(b"%d %d" % (n, start) for n, start in enumerate(starts, 1)) + b" "
    squeeze = zlib.compressobj(9)
    packed = squeeze.compress(head + b" ".join(objects) + b" ")
    packed += b"".join(squeeze.compress(b" " * 2**20) for _ in range(megabytes)) + squeeze.flush()
    stream = b"4 0 obj\n<</Type/ObjStm/N 3/First %d/Filter/FlateDecode/Length %d>>stream\n" % (
        len(head),
        len(packed),
    )
    out = b"%PDF-1.7\n" + stream + packed + b"\nendstream\nendobj\n"
    rows = [(0, 0, 65535), (2, 4, 0), (2, 4, 1), (2, 4, 2), (1, 9, 0), (1, len(out), 0)]
    table = b"".join(struct.pack(">BIH", *row) for row in rows)
    start = len(out)
    out += b"5 0 obj\n<</Type/XRef/Size 6/W[1 4 2]/Root 1 0 R/Length %d>>stream\n%s" % (len(table), table)
    return out + b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % start


def many_paths(count: int = 50_000) -> bytes:
    """One page with more rectangles than anyone draws."""
    return drawn("\n".join(f"{n % 190} {n // 190 % 290} 1 1 re f" for n in range(count)))


def locked(password: str = "secret", pages: int = 2) -> bytes:
    return saved(
        pikepdf.open(io.BytesIO(numbered("s", pages))),
        static_id=False,
        encryption=Encryption(owner="owner", user=password),
    )


def protected_by_an_empty_password() -> bytes:
    return saved(
        pikepdf.open(io.BytesIO(numbered("s", 1))),
        static_id=False,
        encryption=Encryption(owner="owner", user=""),
    )


def _with_widget(pdf: pikepdf.Pdf, **entries: object) -> None:
    widget = Dictionary(
        Type=Name.Annot, Subtype=Name.Widget, Rect=Array([20, 20, 90, 40]), T=String("a"), F=4
    )
    for key, value in entries.items():
        widget[f"/{key}"] = value
    made = pdf.make_indirect(widget)
    pdf.pages[0].obj["/Annots"] = Array([made])
    pdf.Root["/AcroForm"] = Dictionary(Fields=Array([made]))


def signed() -> bytes:
    pdf = pikepdf.open(io.BytesIO(numbered("a", 1)))
    value = Dictionary(Type=Name.Sig, Filter=Name("/Adobe.PPKLite"), Contents=String("00"))
    _with_widget(pdf, FT=Name.Sig, V=value)
    pdf.Root.AcroForm["/SigFlags"] = 3
    return saved(pdf)


def dynamic_xfa() -> bytes:
    pdf = pikepdf.open(io.BytesIO(numbered("a", 1)))
    _with_widget(pdf, FT=Name.Tx)
    config = b"<config><present><pdf><dynamicRender>required</dynamicRender></pdf></present></config>"
    pdf.Root.AcroForm["/XFA"] = Array([String("config"), pdf.make_stream(config)])
    return saved(pdf)
