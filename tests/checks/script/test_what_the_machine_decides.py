"""What the job's interpreter decides about a script: its Paddle's build, its modules, its own Python."""

import pytest

from paddle_doctor.core.finding import Certainty, Finding, Severity
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.environment import Environment, Interpreter
from paddle_doctor.subjects.script import read_script

CHECKS = load_checks(["script"], plugins=False).checks


def found(code: str, source: str, **interpreter: object) -> list[Finding]:
    fields = {"executable": "python", "python_version": "3.11.7", **interpreter}
    environment = Environment(platform="linux", interpreter=Interpreter(**fields))  # type: ignore[arg-type]
    subjects = {"script": read_script(source, "eval.py"), "environment": environment}
    return [each for each in CHECKS[code].opinions(subjects) if isinstance(each, Finding)]


@pytest.mark.parametrize(
    ("imports", "fires"), [("import paddle", True), ("import paddle\nimport torch", False), ("import torch", False)]
)
def test_cuda_of_an_unknown_object_is_paddles_only_where_torch_is_not(imports, fires):
    source = f"{imports}\nfor x in load():\n    x.cuda()\n"
    assert bool(found("PD102", source, paddle_build="cpu", paddle_version="3.3.1")) is fires


def test_a_condition_on_something_else_makes_it_likely_only():
    (finding,) = found(
        "PD102", "import paddle\nif fast:\n    paddle.set_device('gpu')\n", paddle_build="cpu", paddle_version="3.3.1"
    )
    assert (finding.severity, finding.certainty) == (Severity.WARNING, Certainty.LIKELY)


@pytest.mark.parametrize(("missing", "certainty"), [(("cv2",), "certain"), (("cv2", "paddle"), "likely")])
def test_an_interpreter_without_paddle_may_be_the_wrong_one(missing, certainty):
    (finding,) = found("PD103", "import cv2\n", missing_modules=missing)
    assert finding.certainty is Certainty(certainty)


def test_a_grammar_that_the_doctor_does_not_know_is_no_error():
    mine = read_script("x = = 1\n", "eval.py").fault
    assert mine is not None
    (newer,) = found("PD100", "x = = 1\n", python_version="3.99.0")
    assert (newer.severity, newer.certainty) == (Severity.WARNING, Certainty.POSSIBLE)
    (same,) = found("PD100", "x = = 1\n", python_version=f"{mine.grammar}.1")
    assert (same.severity, same.certainty) == (Severity.ERROR, Certainty.CERTAIN)


@pytest.mark.parametrize("value", ["0", " 0 "])
def test_rank_0_is_what_a_single_process_is_anyhow(value):
    assert not found("PD105", f"import os\nos.environ['PADDLE_TRAINER_ID'] = {value!r}\n")
