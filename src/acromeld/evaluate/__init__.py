# SPDX-License-Identifier: Apache-2.0
"""Yardsticks: how well a detector's fields agree with the native widgets of the same PDFs.

Workshop room. Prediction lines of any system come in (`predictions`, `candidate_lines`), native widgets are
the truth (`targets`), `adapters` and `coco` compare them, `bootstrap` and `strata` describe the result,
`calibration` chooses an operating point, and `report_data` puts it all into one JSON-ready record.
"""
