"""Every format and every kind of damage has its words."""

from importlib import import_module

import pytest

from paddle_doctor.cli.ckpt import NAMES
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.checkpoint import Break, Checkpoint, Format
from paddle_doctor.subjects.checkpoint.model import PICKLES

PATIENTS = import_module("paddle_doctor.checks.checkpoint.patients")
NOT_A_CHECKPOINT = import_module("paddle_doctor.checks.checkpoint.not_a_checkpoint")
DAMAGED = import_module("paddle_doctor.checks.checkpoint.damaged_checkpoint")


def test_every_format_has_a_name():
    assert set(NAMES) == set(Format)


def test_every_format_that_is_no_checkpoint_is_explained():
    elsewhere = {Format.TORCH_ZIP, Format.TORCH_LEGACY}

    assert set(NOT_A_CHECKPOINT.WHAT) == set(Format) - PICKLES - elsewhere


def test_every_kind_of_damage_is_explained():
    assert set(DAMAGED.WHY) == set(Break) - {Break.TRUNCATED, Break.TOO_MUCH}


@pytest.mark.parametrize("form", list(Format))
def test_no_check_crashes_on_any_format(form):
    for check in load_checks(["checkpoint"]).checks.values():
        if check.needs == ("checkpoint",):
            check.opinions({"checkpoint": Checkpoint(path="x.pdparams", size=3, format=form)})
            check.opinions({"checkpoint": PATIENTS.state_dict(path="x")})


def test_a_path_is_quoted_for_the_shell():
    pointer = Checkpoint(path="my dir/a b.pdparams", size=131, format=Format.LFS_POINTER)
    (finding,) = NOT_A_CHECKPOINT.not_a_checkpoint.opinions({"checkpoint": pointer})

    assert finding.fix.commands == ("git lfs install", "git lfs pull --include 'a b.pdparams'")
