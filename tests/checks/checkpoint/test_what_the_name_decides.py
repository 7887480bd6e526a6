"""How much a content matters is decided by the file's name; what is unsafe is never shown as code that loads it."""

from dataclasses import replace
from importlib import import_module

import pytest

from paddle_doctor.core.finding import Certainty, Finding, Severity
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.checkpoint import Branch, Break, Call, Checkpoint, Damage, Format
from paddle_doctor.subjects.environment import Environment, Interpreter

CHECKS = load_checks(["checkpoint"], plugins=False).checks
PATIENTS = import_module("paddle_doctor.checks.checkpoint.patients")
FOREIGN = (Call(text="posix.system('id')", opcode="REDUCE", offset=2),)


def found(code: str, checkpoint: Checkpoint, **others: object) -> list[Finding]:
    return [each for each in CHECKS[code].opinions({"checkpoint": checkpoint, **others}) if isinstance(each, Finding)]


def nested(path: str) -> Checkpoint:
    branch = Branch(key="model", tensors=1, optimizer=False)
    tensors = PATIENTS.tensors("model.fc.weight")
    return replace(PATIENTS.state_dict(path=path), format=Format.NESTED, tensors=tensors, branches=(branch,))


def test_a_nested_checkpoint_that_is_named_weights_will_be_loaded_as_weights():
    (named_weights,) = found("PD206", nested("last.pdparams"))
    assert (named_weights.severity, named_weights.certainty) == (Severity.WARNING, Certainty.POSSIBLE)
    (another_name,) = found("PD206", nested("last.ckpt"))
    assert (another_name.severity, another_name.certainty) == (Severity.INFO, Certainty.CERTAIN)


def test_code_that_loads_is_shown_only_for_what_is_safe_to_load():
    (safe,) = found("PD206", nested("last.pdparams"))
    assert safe.fix is not None
    assert safe.fix.code == "model.set_state_dict(paddle.load('last.pdparams')['model'])"
    (unsafe,) = found("PD206", replace(nested("last.pdparams"), suspicious=FOREIGN))
    assert unsafe.fix is not None
    assert unsafe.fix.code is None


def test_extra_bytes_are_an_error_where_loading_refuses_them():
    (ignored,) = found("PD209", replace(PATIENTS.state_dict("fc.weight"), trailing=4))
    assert ignored.severity is Severity.WARNING
    (refused,) = found("PD209", Checkpoint(path="m.pdiparams", size=9, format=Format.INFERENCE_PARAMS, trailing=4))
    assert refused.severity is Severity.ERROR


@pytest.mark.parametrize(
    "more", [{"suspicious": FOREIGN}, {"damage": Damage(kind=Break.TRUNCATED, offset=3)}, {"format": Format.OPTIMIZER}]
)
def test_what_else_is_wrong_with_a_file_is_not_told_twice_as_an_empty_state_dict(more):
    assert found("PD211", PATIENTS.state_dict())
    assert not found("PD211", replace(PATIENTS.state_dict(), **more))


@pytest.mark.parametrize(("version", "too_old"), [("1.25.2", True), ("1.26.0", False), ("2.1.0", False), ("?", False)])
def test_numpy_reads_the_names_of_numpy_2_from_1_26_on(version, too_old):
    python = Interpreter(executable="python3", python_version="3.10.14", packages={"numpy": version})
    environment = Environment(platform="linux", interpreter=python)
    assert bool(found("PD208", PATIENTS.state_dict("fc.weight"), environment=environment)) is too_old
