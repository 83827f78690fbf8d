# SPDX-License-Identifier: Apache-2.0
"""veraPDF on written forms: the form-field rules of PDF/UA-1 and PDF/UA-2 pass, whatever else is wrong."""

from pathlib import Path

from acromeld.fields import Alignment, Field, Mark, TextFormat
from acromeld.form.writer import apply_fields
from tests.form.samples import CHOICE, FIELDS, TEXT, fields_for, flat, paged, source
from tests.form.tagged import tagged_form
from tests.form.test_tags import TAGGED_FIELDS, written

RICH = (
    Field(kind=TEXT, box=(120, 300, 300, 318), tooltip="Born", format=TextFormat.DATE),
    Field(kind=TEXT, box=(120, 330, 300, 348), tooltip="Fee", align=Alignment.RIGHT, comb=6),
    Field(kind=CHOICE, box=(120, 360, 132, 372), tooltip="Wishes", option="Parken", mark=Mark.CROSS),
    *(
        Field(kind=CHOICE, box=(x, 390, x + 12, 402), tooltip="Mitglied?", option=option, group="m")
        for x, option in ((120, "ja"), (180, "nein"), (240, "weiß nicht"))
    ),
)


def test_form_field_rules_pass_on_untagged_and_tagged_forms(verapdf):
    plain, turned = source(flat(link=False)), source(paged(rotation=270, crop=(20, 30, 600, 770)))
    documents = {
        "untagged": written(flat(link=False), (*FIELDS, *RICH), language="de").data,
        "turned": written(turned.data, (*FIELDS, *RICH), language="de").data,
        "tagged": written(tagged_form(), TAGGED_FIELDS).data,
        "namespace": written(tagged_form(namespace=True), TAGGED_FIELDS).data,
        "twice": written(written(tagged_form(), TAGGED_FIELDS[:2]).data, TAGGED_FIELDS[2:]).data,
        "speechless": apply_fields(plain, fields_for(plain)).data,
    }
    verdicts = {(Path(item.file).stem, item.profile): item for item in verapdf(documents)}
    assert len(verdicts) == 2 * len(documents)
    failures = {key: verdict.form_failures for key, verdict in verdicts.items() if verdict.form_failures}
    # Nobody said what language the last one is in, and nobody guesses.
    assert failures.pop(("speechless", "ua2")) == {"8.4.4-1": 1}
    assert failures.pop(("speechless", "ua1"), {}) == {}
    assert failures == {}
    # The judge is awake: the text of a flat page is not tagged, and that is not hidden.
    assert verdicts["untagged", "ua1"].failed.keys() >= {"6.2-1", "7.1-3"}
    assert not verdicts["tagged", "ua1"].failed.keys() & {"6.2-1", "7.1-3"}
