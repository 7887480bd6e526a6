"""Which cause PD601 names for which trial, and how sure it is."""

import dataclasses

import pytest

from paddle_doctor.core.check import Example
from paddle_doctor.core.finding import Certainty, Verdict
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.trial import Attempt, Outcome, Raised, Rung, Trial

CHECK = load_checks(["trial"], plugins=False).checks["PD601"]
EXAMPLES = {example.shows.en: example for example in (*CHECK.fires_on(), *CHECK.silent_on())}
CAUSES = {
    "hangs with a leftover PADDLE_TRAINERS_NUM, runs without it, hangs again with it": "environment",
    "a sample that cannot be read fails in a worker, and shows directly without workers": "script",
    "a job asks for a GPU, but Paddle is the CPU build": "device",
    "a truncated checkpoint": "weights",
    "a worker is killed; without workers all is well": "workers",
    "the second unchanged run passes": "flaky",
    "does not fail, but leftover variables take half of its data": "environment",
    "a job that does not fail": "no-failure",
    "launch variables that change nothing": "no-failure",
    "a long job, still delivering batches at the time limit": "no-failure",
}

FAILED = Attempt(rung=Rung.AS_IS, outcome=Outcome.FAILED, status=1, processes=1)
CURED = Attempt(rung=Rung.CPU, outcome=Outcome.PASSED, status=0, changed=("paddle",))


def verdict(*attempts: Attempt, again: Attempt | None = None) -> Verdict:
    trial = Trial(command=("python", "x.py"), folder="/", timeout=9.0, attempts=attempts, again=again)
    (opinion,) = CHECK.opinions({"trial": trial})
    assert isinstance(opinion, Verdict)
    return opinion


def error(kind: str) -> Raised:
    return Raised(type=kind, message="m")


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_every_example_has_its_cause(example: Example):
    (opinion,) = CHECK.opinions(example.subjects)
    assert isinstance(opinion, Verdict)
    assert opinion.cause == CAUSES[example.shows.en]


def test_a_cure_is_certain_if_the_same_fault_comes_back_without_it():
    as_is = dataclasses.replace(FAILED, raised=(error("ValueError"),))
    assert verdict(as_is, CURED, again=as_is).certainty is Certainty.CERTAIN
    other = dataclasses.replace(FAILED, raised=(error("OSError"),))
    assert verdict(as_is, CURED, again=other).certainty is Certainty.LIKELY


def test_a_pass_under_a_change_that_never_took_hold_is_no_cure():
    assert verdict(FAILED, dataclasses.replace(CURED, changed=())).cause == "flaky"


def test_a_pass_with_a_variable_more_is_no_pass_without_any_change():
    unwatched = dataclasses.replace(FAILED, processes=0)
    hidden = dataclasses.replace(CURED, changed=(), added={"CUDA_VISIBLE_DEVICES": ""})
    assert verdict(unwatched, hidden).cause != "flaky"


def test_the_script_is_certain_only_after_every_change_gave_the_same_exception():
    as_is = dataclasses.replace(FAILED, raised=(error("ValueError"),))
    every = [dataclasses.replace(as_is, rung=rung) for rung in Rung]
    assert verdict(*every).certainty is Certainty.CERTAIN
    assert verdict(*every[:3]).certainty is Certainty.LIKELY
    odd = dataclasses.replace(as_is, rung=Rung.CPU, raised=(error("OSError"),))
    assert verdict(*(odd if each.rung is Rung.CPU else each for each in every)).certainty is Certainty.LIKELY
    assert verdict(*(dataclasses.replace(each, raised=()) for each in every)).certainty is Certainty.LIKELY


def test_what_could_not_be_watched_is_said():
    found = verdict(dataclasses.replace(FAILED, processes=0))
    assert found.certainty is Certainty.POSSIBLE
    assert any("could not be watched" in step.en for step in found.next_steps)


def test_paddles_line_about_dead_workers_is_the_evidence():
    line = "WARNING dataloader_iter.py - DataLoader 1 workers exit unexpectedly, pids: 7"
    as_is = dataclasses.replace(FAILED, dead_workers=True, output=("start", line, "[Hint: Expected killed_ != true]"))
    assert line in [each.text for each in verdict(as_is).evidence]
