# SPDX-License-Identifier: Apache-2.0
"""A small tagged form, made by hand: a heading, a labelled line, a list of options, a table."""

import io

import pikepdf
from pikepdf import Array, Dictionary, Name, String

TEXTS = (
    # MCID, type, x, baseline from the bottom, words
    (0, "H1", 60, 730, "Membership form"),
    (1, "Label", 60, 688, "Full name"),
    (2, "Lbl", 60, 640, "a"),
    (3, "LBody", 80, 640, "Yes"),
    (4, "Lbl", 160, 640, "b"),
    (5, "LBody", 180, 640, "No"),
    (6, "TH", 60, 590, "Street"),
    (7, "TD", 60, 560, "Number"),
)
NAME_BOX = (120.0, 92.0, 300.0, 108.0)
YES_BOX, NO_BOX = (104.0, 142.0, 116.0, 154.0), (200.0, 142.0, 212.0, 154.0)
STREET_BOX, NUMBER_BOX = (120.0, 190.0, 300.0, 206.0), (120.0, 220.0, 300.0, 236.0)
FAR_BOX = (120.0, 700.0, 300.0, 716.0)


def tagged_form(*, namespace: bool = False, kids: bool = False) -> bytes:
    """The document. ``namespace`` puts it into that of PDF 2.0, ``kids`` gives the number tree leaves."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(612, 792))
    page.obj["/Resources"] = Dictionary(Font=Dictionary(F=_font(pdf)))
    page.obj["/Contents"] = pdf.make_stream(_content())
    page.obj["/StructParents"] = 0
    root = pdf.make_indirect(
        Dictionary(Type=Name.StructTreeRoot, RoleMap=Dictionary(Label=Name.P), ParentTreeNextKey=1)
    )
    pdf.Root["/StructTreeRoot"] = root
    pdf.Root["/MarkInfo"] = Dictionary(Marked=True)
    pdf.Root["/Lang"] = String("en-GB")
    if namespace:
        root["/Namespaces"] = Array([pdf.make_indirect(Dictionary(NS=String("http://iso.org/pdf2/ssn")))])
    found = _elements(pdf, root, page)
    nums = Array([0, Array(found)])
    root["/ParentTree"] = pdf.make_indirect(
        Dictionary(Kids=Array([pdf.make_indirect(Dictionary(Nums=nums, Limits=Array([0, 0])))]))
        if kids
        else Dictionary(Nums=nums)
    )
    buffer = io.BytesIO()
    pdf.save(buffer, deterministic_id=True, min_version="2.0" if namespace else "1.7")
    return buffer.getvalue()


def _font(pdf: pikepdf.Pdf) -> pikepdf.Object:
    return pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica))


def _content() -> bytes:
    parts = [
        f"/{kind} <</MCID {mcid}>> BDC BT /F 10 Tf {x} {y} Td ({words}) Tj ET EMC"
        for mcid, kind, x, y, words in TEXTS
    ]
    return "\n".join(["/Artifact BMC 120 684 m 300 684 l S EMC", *parts]).encode()


def _elements(pdf: pikepdf.Pdf, root: pikepdf.Object, page: pikepdf.Page) -> list[pikepdf.Object]:
    """Hang up the tree; gives the owner of each MCID."""

    def element(kind: str, parent: pikepdf.Object, mcid: int | None = None) -> pikepdf.Object:
        made = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name(f"/{kind}"), P=parent, Pg=page.obj))
        if mcid is not None:
            made["/K"] = mcid
        if "/Namespaces" in root and kind != "Label":
            made["/NS"] = root.Namespaces[0]
        parent["/K"] = Array([*parent.get("/K", Array()), made]) if "/K" in parent else Array([made])
        return made

    document = element("Document", root)
    heading, label = element("H1", document, 0), element("Label", document, 1)
    items = []
    listing = element("L", document)
    for mcid in (2, 4):
        item = element("LI", listing)
        items += [element("Lbl", item, mcid), element("LBody", item, mcid + 1)]
    table = element("Table", document)
    cells = [element(kind, element("TR", table), mcid) for kind, mcid in (("TH", 6), ("TD", 7))]
    return [heading, label, *items, *cells]
