"""When PD602 speaks of weights that nobody loaded, and when an empty match is as it should be."""

import dataclasses
from importlib import import_module

from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.trial import Attempt, Rung, Trial

CHECK = load_checks(["trial"], plugins=False).checks["PD602"]
PATIENTS = import_module("paddle_doctor.checks.trial.patients")
UNFIT = dataclasses.replace(PATIENTS.RAN, states=(PATIENTS.NO_KEY_FITS,))


def found(*attempts: Attempt) -> int:
    return len(CHECK.opinions({"trial": Trial(command=("x",), folder="/", timeout=9.0, attempts=attempts)}))


def test_what_several_runs_show_is_told_once():
    assert found(UNFIT, dataclasses.replace(UNFIT, rung=Rung.CPU)) == 1


def test_with_random_weights_nothing_is_meant_to_fit():
    assert found(PATIENTS.RAN, dataclasses.replace(UNFIT, rung=Rung.RANDOM_WEIGHTS)) == 0


def test_an_empty_state_dict_of_a_layer_without_keys_is_no_fault():
    nothing = dataclasses.replace(PATIENTS.NO_KEY_FITS, missing=0, unexpected=0)
    assert found(dataclasses.replace(PATIENTS.RAN, states=(nothing,))) == 0
