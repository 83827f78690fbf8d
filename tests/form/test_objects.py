# SPDX-License-Identifier: Apache-2.0
"""Accessors of the form room on objects that are not what they should be."""

from pikepdf import Dictionary, String

from acromeld.form.objects import text_at


def test_a_string_that_is_no_text_is_read_as_far_as_it_goes():
    assert text_at(Dictionary(T=String(b"\xef\xbb\xbfab\xff")), "/T") == "ab\ufffd"
    assert text_at(Dictionary(T=3), "/T") == ""
