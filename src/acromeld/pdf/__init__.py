# SPDX-License-Identifier: Apache-2.0
"""Reading PDFs: open, limits, page frame, raster, primitives, native widgets.

The only room that opens PDF files for reading. Start at `acromeld.pdf.document.open_document` for the
direct path and at `acromeld.pdf.isolation.IsolatedReader` for one that survives crashes and hangs.
"""
