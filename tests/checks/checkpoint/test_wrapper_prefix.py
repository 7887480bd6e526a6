"""What the page's examples do not show: the wording's numbers, the doubtful cases, and the code of the fix."""

from dataclasses import replace
from importlib import import_module

import pytest

from paddle_doctor.core.finding import Certainty, Severity
from paddle_doctor.subjects.checkpoint import Branch, Break, Call, Damage, Format

PATIENTS = import_module("paddle_doctor.checks.checkpoint.patients")
CHECK = import_module("paddle_doctor.checks.checkpoint.wrapper_prefix").wrapper_prefix
state_dict, tensors = PATIENTS.state_dict, PATIENTS.tensors


def findings(checkpoint):
    return CHECK.opinions({"checkpoint": checkpoint})


def repaired(checkpoint, saved):
    """Run the fix's code over a stand-in for paddle; what it saves, by path."""
    (finding,) = findings(checkpoint)
    written = {}

    class Paddle:
        load = staticmethod(lambda _path: saved)
        save = staticmethod(lambda value, path: written.update({path: value}))

    lines = finding.fix.code.replace("import paddle\n", "")
    exec(lines, {"paddle": Paddle})
    return written


def test_the_fix_strips_the_prefix_in_front():
    written = repaired(state_dict("_layers.fc.weight"), {"_layers.fc.weight": 1, "epoch": 3})

    assert written == {"model.clean.pdparams": {"fc.weight": 1, "epoch": 3}}


def test_the_fix_strips_the_prefix_in_the_middle():
    keys = ("net._layers.fc.weight", "head.weight")

    assert repaired(state_dict(*keys), dict.fromkeys(keys, 1)) == {
        "model.clean.pdparams": {"net.fc.weight": 1, "head.weight": 1}
    }


def test_the_fix_strips_module_in_front_only():
    keys = ("module.fc.module.weight", "module.fc.bias")

    assert repaired(state_dict(*keys), dict.fromkeys(keys, 1)) == {
        "model.clean.pdparams": {"fc.module.weight": 1, "fc.bias": 1}
    }


def test_the_fix_leaves_the_other_entries_of_a_nested_file_alone():
    checkpoint = replace(
        state_dict(path="it's.pdparams"),
        format=Format.NESTED,
        tensors=tensors("model._layers.fc.weight", "opt.fc_moment1_0"),
        branches=(Branch(key="model", tensors=1, optimizer=False), Branch(key="opt", tensors=1, optimizer=True)),
    )

    written = repaired(checkpoint, {"model": {"_layers.fc.weight": 1}, "opt": {"x": 2}, "epoch": 3})

    assert written == {"it's.clean.pdparams": {"model": {"fc.weight": 1}, "opt": {"x": 2}, "epoch": 3}}


def test_keys_that_would_collide_are_not_stripped():
    (finding,) = findings(state_dict("fc.weight", "net.fc.weight", "net._layers.fc.weight"))

    assert finding.fix.code is None


@pytest.mark.parametrize(
    "more",
    [
        {"suspicious": (Call(text="os.system('x')", opcode="REDUCE", offset=3),)},
        {"damage": Damage(kind=Break.TRUNCATED, offset=3)},
    ],
)
def test_no_code_that_loads_what_must_not_or_cannot_be_loaded(more):
    (finding,) = findings(replace(state_dict("_layers.fc.weight"), **more))

    assert finding.fix.code is None


def test_a_numbered_list_called_layers_may_be_the_models_own():
    (finding,) = findings(state_dict("encoder._layers.0.weight", "encoder._layers.1.weight", "head.weight"))

    assert finding.severity is Severity.WARNING
    assert finding.certainty is Certainty.POSSIBLE


def test_the_message_counts():
    (finding,) = findings(state_dict("net._layers.fc.weight", "a.weight", "b.weight"))

    assert finding.message.en.startswith("1 key of 3 in model.pdparams")
    assert finding.location.tensor == "net._layers.fc.weight"


def test_optimizer_state_is_not_judged_by_its_keys():
    assert findings(replace(state_dict("_layers.x_moment1_0"), format=Format.OPTIMIZER)) == []
