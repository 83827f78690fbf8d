# SPDX-License-Identifier: Apache-2.0
"""The description says what the service does: checked by hand, and by Schemathesis against a real server."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schemathesis.checks import CHECKS, load_all_checks

from acromeld.serve.openapi import openapi
from acromeld.serve.problems import Problem
from acromeld.serve.settings import Settings
from tests.form.samples import flat
from tests.serve.running import running

DESCRIPTION = openapi(Settings())


@pytest.fixture(scope="module")
def described():
    """A server whose description Schemathesis can walk through."""
    with running() as up:
        yield up


def validator(name):
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", **DESCRIPTION})


def test_every_schema_is_one():
    for schema in DESCRIPTION["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_reference_leads_somewhere():
    def references(value):
        if isinstance(value, dict):
            yield from ([value["$ref"]] if "$ref" in value else [])
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                yield from references(item)

    names = {reference.removeprefix("#/components/schemas/") for reference in references(DESCRIPTION)}
    assert names
    assert names <= DESCRIPTION["components"]["schemas"].keys()


def test_every_address_is_described(described):
    routes = {route.path: route.methods - {"HEAD"} for route in described.service.app.routes}
    shown = {path: {method.upper() for method in item} for path, item in DESCRIPTION["paths"].items()}
    assert shown == routes


def test_every_problem_is_described_somewhere():
    told = {
        word.removesuffix(":")
        for item in DESCRIPTION["paths"].values()
        for operation in item.values()
        for answer in operation["responses"].values()
        for word in answer["description"].split()
    }
    undescribed = {problem.code for problem in Problem} - told
    # Not of an operation, but of addresses and methods that are none, and of servers with a token.
    assert undescribed == {"not_found", "method", "unauthorized"}


def test_a_token_is_described_where_there_is_one():
    assert "security" not in DESCRIPTION
    guarded = openapi(Settings(token="a-secret-of-some-length"))
    assert guarded["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}
    assert "401" in guarded["paths"]["/v1/detect"]["post"]["responses"]
    assert guarded["paths"]["/healthz"]["get"]["security"] == []


def test_answers_are_as_described(described):
    form = flat()
    fields = described.post("/v1/detect", form, detector="rules")
    validator("DocumentFields").validate(fields.json())
    lines = described.post("/v1/detect", form, detector="rules", accept="application/x-ndjson")
    validator("PageLine").validate(json.loads(lines.text))
    for path, extra in (("/v1/recover", {"detector": "rules"}), ("/v1/apply", {"fields": fields.content})):
        answer = described.post(path, form, accept="application/json", **extra)
        validator("Outcome").validate(answer.json())
    validator("Problem").validate(described.post("/v1/recover", b"hello").json())
    assert described.client.get("/openapi.json").json() == openapi(described.service.settings)


FORM = flat()
schemathesis.openapi.media_type("application/pdf", st.just(FORM) | st.binary(max_size=200))
load_all_checks()
# No schema can say what a PDF is, so most documents that fit the description are rightly refused.
CHECKED = [check for check in CHECKS.get_all() if check.__name__ != "positive_data_acceptance"]
API = schemathesis.openapi.from_dict(DESCRIPTION)


@API.parametrize()
@settings(max_examples=12, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
def test_schemathesis_finds_nothing(case, described):
    case.call_and_validate(base_url=described.url, checks=CHECKED)
