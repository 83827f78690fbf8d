# SPDX-License-Identifier: Apache-2.0
"""PDFium that forgets, in a process where nothing else of it is alive."""

import subprocess
import sys
from pathlib import Path

FORM = Path(__file__).parents[2] / "examples" / "application.pdf"

TWICE = """
import sys
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from acromeld.pdf.pdfium import start_afresh

def words():
    with open_document(sys.argv[1]) as document:
        return document.read_page(0, PageNeeds(raster_long_side=200)).primitives.words

first = words()
start_afresh()
again = words()
assert len(first) > 20
assert first.text == again.text
assert (first.box == again.box).all()
"""


def test_reading_goes_on_after_a_fresh_start():
    done = subprocess.run([sys.executable, "-c", TWICE, str(FORM)], check=False)
    assert done.returncode == 0
