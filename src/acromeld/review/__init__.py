# SPDX-License-Identifier: Apache-2.0
"""The review page: a local web application in which a person checks and corrects the fields found.

``acromeld review`` starts it. `acromeld.review.api` is its HTTP face, `acromeld.review.form` one form under
review, `acromeld.review.memory` what is remembered between sessions; the page itself is built from ``web/``
into ``static/``.
"""
