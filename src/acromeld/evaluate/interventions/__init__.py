# SPDX-License-Identifier: Apache-2.0
"""Interventions on a trained AcroMELD model: one part taken away at a time, on the same pages.

`catalogue` says which there are, `prediction` carries them out (it needs torch), `tally` scores them page by
page, and `table` shows what each costs. An intervention tells how much a trained model leans on a part. What
the part is worth to a model that learned without it is another question, for retrained ablations.
"""
