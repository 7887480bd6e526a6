"""Finds weights files that load well and hold no state dict: a list, a single tensor, a dict without tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Finding, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.checkpoint import Checkpoint, Format

from .patients import example, healthy, state_dict, tensors

PAGE = Page(
    code="PD211",
    name="not-a-state-dict",
    severity=Severity.WARNING,
    title=Text("The weights file holds no state dict", "权重文件里没有 state dict"),
    what=Text(
        "The file is called .pdparams and can be loaded, but what comes out is not a dict of tensors.",
        "文件扩展名是 .pdparams，也能加载，但得到的不是由张量组成的 dict。",
    ),
    why=Text(
        "A dict without tensors leaves every weight untrained, with nothing but warnings. A list, a tensor or a number "
        "makes set_state_dict fail (AttributeError: ... has no attribute 'get').",
        "不含张量的 dict 会让所有权重保持未训练的状态，只有警告。list、单个张量或数字会使 set_state_dict 报错"
        "（AttributeError: ... has no attribute 'get'）。",
    ),
    cure=Text(
        "Save the weights with paddle.save(model.state_dict(), path), or load the file that they are in.",
        "用 paddle.save(model.state_dict(), path) 保存权重，或改为加载真正保存权重的文件。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("measured: tests/subjects/checkpoint/test_real_paddle.py",),
)

NO_TENSORS = Text(
    "{name} holds a dict without a single tensor. Loaded into a model, it leaves every weight untrained, and Paddle "
    "only warns.",
    "{name} 是一个不含任何张量的 dict。加载到模型后，所有权重都保持未训练的状态，Paddle 只给出警告。",
)
OTHER_ROOT = Text(
    "{name} holds {kind}, not a state dict: set_state_dict fails with AttributeError.",
    "{name} 里是{kind}，不是 state dict：set_state_dict 会报 AttributeError。",
)
KINDS = {
    "list": Text("a list", " list"),
    "tuple": Text("a tuple", " tuple"),
    "tensor": Text("a single tensor", "单个张量"),
    "int": Text("a number", "一个数字"),
    "float": Text("a number", "一个数字"),
    "str": Text("text", "文本"),
    "NoneType": Text("None", " None"),
}
AN_OBJECT = Text("another object", "其他对象")


def _other(root: str) -> Checkpoint:
    return replace(state_dict(), format=Format.OTHER_PICKLE, root=root, named=False, tensors=tensors("0"))


def _fires() -> Iterator[Example]:
    yield example(Text("an empty state dict", "空的 state dict"), state_dict())
    yield example(Text("a list of tensors", "张量组成的 list"), _other("list"))
    yield example(Text("a single tensor", "单个张量"), _other("tensor"))


def _silent() -> Iterator[Example]:
    yield healthy()
    yield example(
        Text("a single tensor called .pdtensor", ".pdtensor 里的单个张量"), replace(_other("tensor"), path="x.pdtensor")
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def not_a_state_dict(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Judge what `paddle.load` would return."""
    if not checkpoint.is_pickle or checkpoint.suffix != ".pdparams" or checkpoint.damage or checkpoint.suspicious:
        return
    if checkpoint.format is Format.OPTIMIZER:
        return
    if checkpoint.root != "dict":
        message = OTHER_ROOT.fill(name=checkpoint.name, kind=KINDS.get(checkpoint.root or "", AN_OBJECT))
    elif not checkpoint.tensors:
        message = NO_TENSORS.fill(name=checkpoint.name)
    else:
        return
    yield PAGE.finding(message, location=Location(path=checkpoint.path))
