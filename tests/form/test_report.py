# SPDX-License-Identifier: Apache-2.0
"""The accessibility report: what holds, what does not, and no claim beyond that."""

import json
from pathlib import Path

import pikepdf
import pytest

from acromeld.cli import run
from acromeld.form.report import Status, accessibility_report
from acromeld.form.report_text import as_html, as_text, report_bytes
from tests.form.samples import FIELDS, add_widget, edited, flat, source
from tests.form.tagged import tagged_form
from tests.form.test_tags import TAGGED_FIELDS, written


def reported(data):
    report = accessibility_report(source(data))
    return report, {finding.rule: finding for finding in (*report.fields, *report.pages)}


def failed(data):
    report, _ = reported(data)
    return {finding.ua1 or finding.ua2 for finding in (*report.fields, *report.pages) if finding.failed}


def test_untagged_forms_keep_the_field_rules_and_lack_tags():
    report, _ = reported(written(flat(), FIELDS, language="en").data)
    assert {finding.status for finding in report.fields} == {Status.PASSED}
    assert failed(written(flat(), FIELDS, language="en").data) == {"6.2-1", "7.1-3", "7.18.5-1", "7.21.4.1-1"}


def test_tagged_forms_lack_only_their_fonts():
    assert failed(written(tagged_form(), TAGGED_FIELDS).data) == {"7.21.4.1-1"}


def test_an_unknown_language_is_said():
    _, findings = reported(written(flat(), FIELDS).data)
    assert findings["The document names its language"].status is Status.FAILED
    assert findings["The language of names is known"].status is Status.PASSED


def test_fields_of_the_author_that_break_rules_are_named():
    data = edited(tagged_form(), lambda pdf: add_widget(pdf, (400, 100, 500, 120), "Old field"))
    _, findings = reported(written(data, TAGGED_FIELDS[:1]).data)
    name = findings["Every field has a name to be read aloud"]
    assert (name.failed, name.checked, name.examples) == (1, 2, ("Old field (page 1)",))
    assert findings["Every widget lies in a Form element"].failed == 1
    assert findings["Every widget is drawn in each of its states"].failed == 1


def test_a_flat_file_has_nothing_to_check():
    _, findings = reported(flat())
    assert findings["Every field has a name to be read aloud"].status is Status.NOTHING
    assert findings["The metadata has a title"].status is Status.FAILED


@pytest.mark.parametrize(
    ("name", "start"), [("r.json", b"{"), ("r.html", b"<!DOCTYPE html>"), ("r.txt", b"Accessibility of")]
)
def test_the_ending_decides_the_format(name, start):
    report, _ = reported(written(flat(), FIELDS).data)
    assert report_bytes(report, Path(name)).startswith(start)


def test_no_claim_of_conformance():
    report, _ = reported(written(tagged_form(), TAGGED_FIELDS).data)
    for text in (as_text(report), as_html(report), json.dumps(report.record())):
        assert "not conformance" in text
        assert "compliant" not in text
        assert "conforms" not in text


def test_names_from_the_file_are_text_in_html():
    data = edited(flat(), lambda pdf: add_widget(pdf, (400, 100, 500, 120), "<script>x</script>"))
    report, _ = reported(written(data, FIELDS).data)
    assert "<script>" not in as_html(report)
    assert "&lt;script&gt;" in as_html(report)


def test_json_says_what_text_says():
    report, _ = reported(written(flat(), FIELDS).data)
    record = json.loads(report_bytes(report, Path("r.json")))
    assert record["schema"] == "acromeld.accessibility/1"
    assert [item["rule"] for item in record["fields"]] == [finding.rule for finding in report.fields]
    assert all(item["rule"] in as_text(report) for item in record["fields"] + record["pages"])


def test_a_broken_tree_is_reported_not_raised():
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.Root["/StructTreeRoot"] = pikepdf.Dictionary(
            ParentTree=pikepdf.Dictionary(Nums=pikepdf.Array([1]))
        )
        add_widget(pdf, (400, 100, 500, 120), StructParent=1)

    _, findings = reported(edited(flat(), edit))
    assert findings["Every widget lies in a Form element"].failed == 1


@pytest.mark.parametrize("ending", ["json", "html", "txt"])
def test_apply_and_recover_write_it_on_demand(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    Path("form.pdf").write_bytes(flat())
    commands = [
        ["recover", "form.pdf", "-o", "a.pdf", "--fields", "f.json", "--detector", "rules"],
        ["apply", "form.pdf", "f.json", "-o", "b.pdf"],
    ]
    for number, command in enumerate(commands):
        target = Path(f"{number}.{ending}")
        assert run([*command, "--report", str(target)]) == 0
        assert b"Form element" in target.read_bytes()
        assert run([*command, "--report", str(target)]) != 0
    assert Path(f"0.{ending}").read_text().replace("a.pdf", "b.pdf") == Path(f"1.{ending}").read_text()


def test_forms_that_share_their_resources_are_looked_at_once():
    def edit(pdf: pikepdf.Pdf) -> None:
        resources = pdf.make_indirect(pikepdf.Dictionary(XObject=pikepdf.Dictionary()))
        for number in range(30):
            drawn = pdf.make_stream(b"", Subtype=pikepdf.Name.Form, Resources=resources)
            resources.XObject[f"/X{number}"] = drawn
        pdf.pages[0].obj["/Resources"] = resources

    # 30 forms, each with all 30 inside: as many paths as stars if each were followed.
    report, _ = reported(edited(flat(), edit))
    assert report.pages
