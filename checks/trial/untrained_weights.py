"""Finds state dicts of which not one key fitted the model: the job runs on, with weights that nobody trained."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text, same
from paddle_doctor.subjects.trial import Attempt, Rung, StateSet, Trial

from .patients import NO_KEY_FITS, RAN, example, trial

PAGE = Page(
    code="PD602",
    name="untrained-weights",
    severity=Severity.WARNING,
    title=Text("set_state_dict left every weight untouched", "set_state_dict 没有改动任何权重"),
    what=Text(
        "While the job ran, a model was given a state dict in which not one key matched: every key of the "
        "model was missing in it (or had another shape).",
        "任务运行时，传给模型的 state dict 没有一个键对得上：模型需要的每个键都缺失（或形状不同）。",
    ),
    why=Text(
        "Keys that do not match never stop a Paddle job. set_state_dict warns, returns the lists of missing "
        "and unexpected keys, and leaves the model as it was made: its weights are random, and so are its "
        "results.",
        "键名对不上并不会让 Paddle 任务停下来。set_state_dict 只会警告，返回缺失和多余的键，模型保持初始状态："
        "权重是随机的，结果也就是随机的。",
    ),
    cure=Text(
        "See with 'paddle-doctor ckpt FILE' what the keys look like: a wrapper's prefix, a dict within a dict, another "
        "model. In the script, look at what set_state_dict returns.",
        "用“paddle-doctor ckpt FILE”查看键名：可能带有包装层前缀、dict 里还套着 dict，或者是另一个模型的权重。"
        "脚本中应检查 set_state_dict 的返回值。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("measured: tests/checks/trial/test_real_trials.py",),
)

MESSAGE = Text(
    "set_state_dict left every weight of {layer} untouched: of the {missing} keys that it needs, none was "
    "found in {file} with a matching shape.",
    "set_state_dict 没有改动 {layer} 的任何权重：它需要的 {missing} 个键，在 {file} 中没有一个既存在又形状相符。",
)
WHAT_WAS_GIVEN = Text("what it was given", "传入的内容")
WANTED, GIVEN = Text("the model wants", "模型需要的键"), Text("the state dict holds", "state dict 里的键")
LOOK = Text("Look at the file's keys.", "查看文件中的键名。")


def _fires() -> Iterator[Example]:
    yield example(
        "every key carries the prefix _layers.",
        "每个键都带有前缀 _layers.",
        trial(dataclasses.replace(RAN, states=(NO_KEY_FITS,))),
    )


def _silent() -> Iterator[Example]:
    head = StateSet(layer="ResNet", missing=2, unexpected=2, matched=159, path="/job/best.pdparams")
    yield example(
        "only the classification head does not match, as in fine-tuning",
        "只有分类头对不上，这在微调时很正常",
        trial(dataclasses.replace(RAN, states=(head,))),
    )
    second = dataclasses.replace(NO_KEY_FITS, missing=0, unexpected=0, matched=161)
    yield example(
        "the script tries the keys as they are, then without their prefix",
        "脚本先按原键名加载，失败后去掉前缀再加载",
        trial(dataclasses.replace(RAN, states=(NO_KEY_FITS, second))),
    )
    yield example("a job that loads nothing", "不加载权重的任务", trial(RAN))


@check(PAGE, fires_on=_fires, silent_on=_silent)
def untrained_weights(trial: Trial) -> Iterator[Finding]:
    """One finding for each layer and file of which nothing fitted, in the runs that loaded weights."""
    seen: set[tuple[str, str | None]] = set()
    for attempt in trial.attempts:
        for state in attempt.states if attempt.rung is not Rung.RANDOM_WEIGHTS else ():
            if (state.layer, state.path) not in seen and _nothing_fitted(state, attempt):
                seen.add((state.layer, state.path))
                yield _finding(state)


def _nothing_fitted(state: StateSet, attempt: Attempt) -> bool:
    others = (each for each in attempt.states if each.layer == state.layer)
    return state.missing > 0 and state.matched == 0 and all(each.matched == 0 for each in others)


def _finding(state: StateSet) -> Finding:
    evidence = [
        Evidence(text=", ".join(keys), note=note)
        for keys, note in ((state.example_missing, WANTED), (state.example_unexpected, GIVEN))
        if keys
    ]
    return PAGE.finding(
        MESSAGE.fill(layer=state.layer, missing=state.missing, file=same(state.path) if state.path else WHAT_WAS_GIVEN),
        location=Location(path=state.path) if state.path else None,
        evidence=evidence,
        fix=Fix(summary=LOOK, commands=(shlex.join(["paddle-doctor", "ckpt", state.path]),)) if state.path else None,
    )
