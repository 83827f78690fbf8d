# SPDX-License-Identifier: Apache-2.0
"""What the fields of a form are called and how they behave, read off the page around them.

`acromeld.form.describe.page` fills in what the detector leaves open, page by page: spoken labels, options,
kinds of text, marks. `acromeld.form.describe.document` then does what needs all pages: unique names and the
language. Values that are there already, from a detector or from a person, are never replaced.
"""
