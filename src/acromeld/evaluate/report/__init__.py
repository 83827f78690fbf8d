# SPDX-License-Identifier: Apache-2.0
"""Reports: tables and figures from sealed records, and from nothing else.

`contents` reads records and recomputes their digests, `tables` and `figures` show them, `rendering` turns
them into Markdown, HTML and CSV, `writing` puts a whole report into a folder at once.
"""
