"""Trials as the examples of the checks need them: a job that fails in some way, and what each rung made of it."""

from __future__ import annotations

from paddle_doctor.core.check import Example
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.trial import Attempt, Frame, Outcome, Raised, Rung, StateSet, Trial

BAD_SAMPLE = Raised(
    type="ValueError",
    message="cannot read image 17",
    frames=(Frame(path="/job/eval.py", line=12, function="__getitem__", mine=True),),
    in_worker=True,
    in_reader=True,
)
QUEUE_KILLED = Raised(
    type="SystemError",
    message="(Fatal) Blocking queue is killed because the data reader raises an exception.",
    frames=(Frame(path="/job/eval.py", line=20, function="<module>", mine=True),),
    secondary=True,
)
NO_GPU = Raised(
    type="ValueError",
    message="The device should not be 'gpu', since PaddlePaddle is not compiled with CUDA",
    frames=(Frame(path="/job/eval.py", line=3, function="<module>", mine=True),),
)
CUT_FILE = Raised(
    type="ValueError",
    message="`paddle.load` can not parse the file:best.pdparams.",
    frames=(Frame(path="/job/eval.py", line=8, function="<module>", mine=True),),
)

NO_KEY_FITS = StateSet(
    layer="ResNet",
    missing=161,
    unexpected=161,
    matched=0,
    path="/job/best.pdparams",
    example_missing=("conv1.weight", "bn1.weight"),
    example_unexpected=("_layers.conv1.weight", "_layers.bn1.weight"),
)

FAILED = Attempt(rung=Rung.AS_IS, outcome=Outcome.FAILED, status=1, seconds=2.4, processes=1)
HUNG = Attempt(rung=Rung.AS_IS, outcome=Outcome.HUNG, seconds=600.0, processes=1)
RAN = Attempt(rung=Rung.AS_IS, outcome=Outcome.PASSED, status=0, seconds=9.1, processes=1, batches=10)


def trial(*attempts: Attempt, again: Attempt | None = None) -> Trial:
    """A trial of ``python eval.py`` with these attempts."""
    return Trial(command=("python", "eval.py"), folder="/job", timeout=600.0, attempts=attempts, again=again)


def example(en: str, zh: str, patient: Trial) -> Example:
    """An example that shows this trial."""
    return Example(Text(en, zh), {"trial": patient})
