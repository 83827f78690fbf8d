# SPDX-License-Identifier: Apache-2.0
"""Claims of conformance that the output could not keep."""

import pikepdf
import pytest

from acromeld.form.writer import apply_fields
from tests.form.samples import edited, fields_for, flat, opened, source

CLAIMS = {"PDF/A": "http://www.aiim.org/pdfa/ns/id/", "PDF/UA": "http://www.aiim.org/pdfua/ns/id/"}
XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:c="{space}" xmlns:dc="http://purl.org/dc/elements/1.1/">
<c:part>1</c:part><dc:format>application/pdf</dc:format></rdf:Description></rdf:RDF></x:xmpmeta>"""


def claiming(space):
    def edit(pdf: pikepdf.Pdf) -> None:
        text = XMP.format(space=space).encode()
        pdf.Root["/Metadata"] = pdf.make_stream(text, Type=pikepdf.Name.Metadata, Subtype=pikepdf.Name.XML)

    return edited(flat(), edit)


@pytest.mark.parametrize("standard", CLAIMS)
def test_a_claim_is_removed_and_said_and_the_rest_stays(standard):
    document = source(claiming(CLAIMS[standard]))
    result = apply_fields(document, fields_for(document))
    assert result.notes == (
        f"The original says that it conforms to {standard}; the output does not, so this was removed.",
    )
    with opened(result.data) as pdf:
        metadata = pdf.open_metadata()
        assert not any(name.startswith(f"{{{CLAIMS[standard]}}}") for name in metadata)
        assert metadata["dc:format"] == "application/pdf"


def test_metadata_without_a_claim_are_not_written_again():
    document = source(claiming("http://example.org/else/"))
    assert apply_fields(document, fields_for(document)).notes == ()
