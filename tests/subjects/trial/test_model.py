"""The facts of a trial: the same, another or no fault; and to JSON and back."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.core.facts import from_plain, to_plain
from paddle_doctor.subjects.trial import Attempt, Frame, Outcome, Raised, Rung, Standing, StateSet, Trial, standing


def error(kind: str = "ValueError", *, secondary: bool = False, path: str = "/job/a.py", **more: bool) -> Raised:
    return Raised(
        type=kind,
        message="m",
        frames=(Frame(path=path, line=1, function="f", mine=True),),
        secondary=secondary,
        **more,
    )


FAILED = Attempt(rung=Rung.AS_IS, outcome=Outcome.FAILED, status=1, processes=1)
DEAD = dataclasses.replace(FAILED, raised=(error("SystemError", secondary=True),), dead_workers=True)


def under(rung: Rung, outcome: Outcome, **more: object) -> Attempt:
    return Attempt(rung=rung, outcome=outcome, changed=("paddle.io.reader",), **more)  # type: ignore[arg-type]


def test_the_root_is_no_consequence_and_no_helper_thread():
    attempt = dataclasses.replace(
        FAILED, raised=(error("Heartbeat", in_thread=True), error("SystemError", secondary=True), error("KeyError"))
    )
    assert attempt.root is not None
    assert attempt.root.type == "KeyError"


@pytest.mark.parametrize(
    ("attempt", "as_is", "expected"),
    [
        (under(Rung.CPU, Outcome.PASSED), FAILED, Standing.CURED),
        (under(Rung.CPU, Outcome.OUTLIVED), FAILED, Standing.CURED),
        (under(Rung.CPU, Outcome.UNCHANGED), FAILED, Standing.UNCHANGED),
        (Attempt(rung=Rung.CPU, outcome=Outcome.PASSED), FAILED, Standing.OTHER),  # the change never took hold
        (Attempt(rung=Rung.CLEAN_ENV, outcome=Outcome.PASSED), FAILED, Standing.CURED),
        (under(Rung.CPU, Outcome.FAILED, status=241), FAILED, Standing.SAME),  # a launcher's statuses vary
        (under(Rung.CPU, Outcome.FAILED, status=2), FAILED, Standing.OTHER),
        (under(Rung.CPU, Outcome.HUNG), FAILED, Standing.OTHER),
        (under(Rung.CPU, Outcome.HUNG), dataclasses.replace(FAILED, outcome=Outcome.HUNG), Standing.SAME),
        (
            under(Rung.CPU, Outcome.FAILED, raised=(error(path="/job/b.py"),)),
            dataclasses.replace(FAILED, raised=(error(),)),
            Standing.OTHER,
        ),
        (
            under(Rung.NO_WORKERS, Outcome.STOOD_STILL, raised=(error(in_reader=True),)),
            dataclasses.replace(FAILED, raised=(error(in_worker=True),)),
            Standing.SAME,
        ),
        (under(Rung.NO_WORKERS, Outcome.STOOD_STILL, raised=(error("SystemExit"),)), DEAD, Standing.REVEALED),
        (under(Rung.NO_WORKERS, Outcome.FAILED, signal="SIGKILL"), DEAD, Standing.REVEALED),
        (under(Rung.NO_WORKERS, Outcome.PASSED), DEAD, Standing.CURED),
        (
            under(Rung.NO_WORKERS, Outcome.PASSED),
            dataclasses.replace(FAILED, raised=(error("StopIteration"),)),
            Standing.SAME,  # without workers StopIteration silently ends the epoch
        ),
    ],
)
def test_how_a_run_stands_to_the_fault(attempt: Attempt, as_is: Attempt, expected: Standing):
    assert standing(attempt, as_is) is expected


def test_a_job_that_does_not_fail_is_cured_by_nothing():
    well = Attempt(rung=Rung.AS_IS, outcome=Outcome.PASSED)
    trial = Trial(command=("x",), folder="/", timeout=1.0, attempts=(well, under(Rung.CPU, Outcome.PASSED)))
    assert trial.cures == ()


text = st.text(max_size=8)
counts = st.integers(0, 10)
frames = st.builds(Frame, path=text, line=counts, function=text, mine=st.booleans())
exceptions = st.builds(Raised, type=text, message=text, frames=st.lists(frames, max_size=2).map(tuple), rank=counts)
states = st.builds(StateSet, layer=text, missing=counts, unexpected=counts, matched=counts, path=st.none() | text)
attempts = st.builds(
    Attempt,
    rung=st.sampled_from(Rung),
    outcome=st.sampled_from(Outcome),
    added=st.dictionaries(text, text, max_size=2),
    raised=st.lists(exceptions, max_size=2).map(tuple),
    states=st.lists(states, max_size=2).map(tuple),
    output=st.lists(text, max_size=2).map(tuple),
)
trials = st.builds(
    Trial,
    command=st.lists(text, max_size=2).map(tuple),
    folder=text,
    timeout=st.floats(1, 100),
    attempts=st.lists(attempts, min_size=1, max_size=2).map(tuple),
    again=st.none() | attempts,
)


@given(trials)
def test_a_trial_goes_to_json_and_comes_back_equal(trial: Trial):
    assert from_plain(Trial, json.loads(json.dumps(to_plain(trial))), "test") == trial
