"""Finds optimizer state in a file that is called a weights file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.checkpoint import Checkpoint, Format

from .patients import example, healthy, state_dict

PAGE = Page(
    code="PD204",
    name="optimizer-state-as-weights",
    severity=Severity.ERROR,
    title=Text("The weights file holds optimizer state", "权重文件里装的是优化器状态"),
    what=Text(
        "Every tensor in the file is what an optimizer keeps for a parameter (moments, velocities, powers of beta), "
        "and none is a weight. Paddle's convention is .pdopt for such files and .pdparams for weights.",
        "文件里的张量都是优化器为参数保存的量（moment、velocity、beta 的累乘等），没有一个是权重。按 Paddle 的"
        "惯例，这类文件用 .pdopt，权重用 .pdparams。",
    ),
    why=Text(
        "Given to a model, no key matches. Paddle only warns, and the job goes on with untrained weights.",
        "加载到模型时没有一个键能对上。Paddle 只给出警告，任务会用未训练的权重继续运行。",
    ),
    cure=Text(
        "Load the .pdparams file that was saved next to it: paddle.save(model.state_dict(), path).",
        "加载同时保存的 .pdparams 文件，即 paddle.save(model.state_dict(), path) 写出的文件。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("measured: tests/subjects/checkpoint/test_real_paddle.py",),
)

NAMED_WEIGHTS = Text(
    "{name} is named like a weights file but holds only optimizer state. Given to a model, no key matches: "
    "Paddle only warns, and the weights stay untrained.",
    "{name} 用的是权重文件的扩展名，里面却只有优化器状态。加载到模型时没有一个键能对上：Paddle 只给出警告，"
    "权重保持未训练的状态。",
)
NAMED_OTHERWISE = Text(
    "{name} holds optimizer state, no weights: it is for optimizer.set_state_dict, not for a model.",
    "{name} 里是优化器状态，没有权重：应交给 optimizer.set_state_dict，而不是模型。",
)
OTHER_FILE = Text(
    "Load the file of model.state_dict() into the model, and this one into the optimizer.",
    "模型请加载 model.state_dict() 保存的文件，本文件交给优化器。",
)


def _optimizer(path: str) -> Checkpoint:
    keys = ("linear_0.w_0_moment1_0", "linear_0.w_0_beta1_pow_acc_0")
    return replace(state_dict(*keys, path=path), format=Format.OPTIMIZER)


def _fires() -> Iterator[Example]:
    yield example(Text("Adam's state called .pdparams", "扩展名为 .pdparams 的 Adam 状态"), _optimizer("last.pdparams"))
    yield example(Text("Adam's state under a name of its own", "另取名字的 Adam 状态"), _optimizer("adam.pkl"))


def _silent() -> Iterator[Example]:
    yield healthy()
    yield example(Text("Adam's state in a .pdopt", ".pdopt 里的 Adam 状态"), _optimizer("last.pdopt"))


@check(PAGE, fires_on=_fires, silent_on=_silent)
def optimizer_state_as_weights(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Judge by content and name together."""
    if checkpoint.format is not Format.OPTIMIZER or checkpoint.suffix == ".pdopt":
        return
    weights = checkpoint.suffix == ".pdparams"
    yield PAGE.finding(
        (NAMED_WEIGHTS if weights else NAMED_OTHERWISE).fill(name=checkpoint.name),
        severity=Severity.ERROR if weights else Severity.INFO,
        location=Location(path=checkpoint.path),
        evidence=[Evidence(text=tensor.key, path=checkpoint.path) for tensor in checkpoint.tensors[:3]],
        fix=Fix(summary=OTHER_FILE),
    )
