# SPDX-License-Identifier: Apache-2.0
"""From fields to a good form. The only room that writes PDFs.

Start at `acromeld.form.writer.apply_fields` for the fillable document, at `acromeld.form.output` for getting
it safely onto disk, and at `acromeld.form.from_widgets` for the way back from a form to its fields.
"""
