"""The JSON that other programs read: as the shipped schema says, and safe to print."""

import json
from importlib import resources

import pytest
from jsonschema import Draft202012Validator

from paddle_doctor.core.finding import Report
from paddle_doctor.report.inert import HARMFUL
from paddle_doctor.report.json import render

SCHEMA = json.loads(resources.files("paddle_doctor.report").joinpath("report.schema.json").read_text(encoding="utf-8"))


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("timings", [False, True])
def test_a_report_is_as_the_schema_says(full_report, language, timings):
    for report in (full_report, Report(command="env")):
        Draft202012Validator(SCHEMA).validate(json.loads(render(report, language, timings=timings)))


def test_the_schema_refuses_what_does_not_belong(full_report):
    data = json.loads(render(full_report, "en"))
    data["findings"][0]["surprise"] = 1
    assert not Draft202012Validator(SCHEMA).is_valid(data)


def test_the_outer_shape_is_the_one_that_is_promised(full_report):
    data = json.loads(render(full_report, "zh"))
    assert list(data) == ["schema_version", "tool", "command", "verdict", "findings", "subject", "checks"]
    assert data["verdict"]["cause"] == "user-code-exception"
    assert data["verdict"]["evidence"][0]["line"] == 19
    assert data["findings"][0]["location"]["cell"] == 2
    assert data["findings"][0]["fix"]["edits"][0]["replacement"] == "x"
    assert data["checks"]["run"] == 4
    assert data["findings"][1]["message"] == "端口 6170 已被占用。"


def test_what_the_patient_wrote_is_kept_and_inert(full_report):
    text = render(full_report, "en")
    assert not HARMFUL.search(text)
    assert json.loads(text)["subject"]["hostile"] == "\x1b[2J[bold]boo[/bold] \u202eevil"
