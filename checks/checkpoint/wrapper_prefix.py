"""Finds the name of a wrapper (`_layers`, `module`) in the keys of a state dict: such keys fit no bare model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text, counted
from paddle_doctor.subjects.checkpoint import Branch, Checkpoint, Format

from .patients import example, healthy, state_dict, tensors

LAYERS = "_layers"
MODULE = "module"
MOST_SHOWN = 3
_FORMATS = (Format.STATE_DICT, Format.NESTED, Format.SAFETENSORS)

PAGE = Page(
    code="PD201",
    name="wrapper-prefix",
    severity=Severity.ERROR,
    title=Text("The keys carry the name of a wrapper around the model", "键名里带有模型包装层的名字"),
    what=Text(
        "The keys of the state dict hold the name under which a wrapper keeps the wrapped model: '_layers' with "
        "Paddle's wrappers, 'module.' in front with PyTorch's DataParallel and DistributedDataParallel (and files "
        "converted from them). '_layers.' stands in front of every key when fleet's ShardingParallel or another "
        "hybrid-parallel wrapper was saved, and in the middle ('net._layers.fc.weight') when the model holds a "
        "DataParallel as one of its parts. It also comes from building the dict by hand out of named_parameters() of "
        "a wrapper. paddle.DataParallel.state_dict() itself adds no prefix.",
        "state dict 的键名里含有包装层保存内部模型时所用的名字：Paddle 的包装层用“_layers”；PyTorch 的 DataParallel、"
        "DistributedDataParallel（以及由其转换来的文件）在最前面加“module.”。保存 fleet 的 ShardingParallel 等混合并行"
        "包装层时，每个键都以“_layers.”开头；模型的某个子层是 DataParallel 时，它出现在中间"
        "（“net._layers.fc.weight”）。用包装层的 named_parameters() 自己拼 dict 也会带上它。"
        "paddle.DataParallel.state_dict() 本身不加前缀。",
    ),
    why=Text(
        "Loaded into a model without that wrapper, these keys match nothing. Paddle does not stop: "
        "set_state_dict warns, returns the missing keys, and leaves those weights as they were initialised. "
        "The evaluation then runs to its end on untrained weights. A model that is wrapped in just the same "
        "way takes the keys; the file alone cannot tell which one it is meant for.",
        "加载到没有该包装层的模型时，这些键全都对不上。Paddle 并不会停下：set_state_dict 只给出警告并返回缺失的键，"
        "相应权重保持初始化时的值，评估照常跑完，用的却是未训练的权重。以完全相同方式包装的模型可以加载；"
        "仅凭文件无法判断它是给哪一种模型用的。",
    ),
    cure=Text(
        "Take the wrapper's name out of the keys and save the result to a new file. Next time, save the inner model: "
        "paddle.save(model._layers.state_dict(), path) for a wrapper, and look at what set_state_dict returns.",
        "去掉键名中的包装层名字，另存为新文件。以后请保存内层模型：对包装层用 "
        "paddle.save(model._layers.state_dict(), path)，并检查 set_state_dict 的返回值。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=(
        "measured: tests/subjects/checkpoint/test_real_paddle.py",
        "read: paddle/distributed/parallel.py, fleet/meta_parallel/meta_parallel_base.py (3.3.1)",
        "https://pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html",
    ),
)

IN_FRONT = Text(
    "All {total} keys of {name} begin with '{prefix}.', the name under which {wrapper} holds the model. An "
    "unwrapped model takes none of them: Paddle only warns, and the job evaluates untrained weights.",
    "{name} 的全部 {total} 个键都以“{prefix}.”开头，这是{wrapper}保存内部模型所用的名字。未包装的模型一个键都对不上："
    "Paddle 只给出警告，任务会用未训练的权重做评估。",
)
INSIDE = Text(
    "{keys} of {total} in {name} carry '_layers', the name under which a Paddle wrapper holds a part of the model. "
    "A model without that wrapper does not take them: Paddle only warns, and those parts stay untrained.",
    "{name} 共 {total}，其中 {keys}带有“_layers”，这是 Paddle 包装层保存模型某一部分时所用的名字。没有该包装层的模型"
    "对不上这些键：Paddle 只给出警告，这些部分保持未训练的状态。",
)
PERHAPS = Text(
    "{keys} of {total} in {name} carry '_layers' followed by a number. If that is a list of layers of the model's own, "
    "all is well; if a wrapper put it there, a model without the wrapper does not take these keys.",
    "{name} 共 {total}，其中 {keys}带有“_layers”且后面跟着数字。如果这是模型自己的层列表，则没有问题；"
    "如果是包装层加上的，没有包装的模型就对不上这些键。",
)
A_PADDLE_WRAPPER = Text(
    "a Paddle wrapper (fleet's sharding, or a DataParallel)", " Paddle 包装层（fleet 分片、DataParallel）"
)
A_TORCH_WRAPPER = Text(
    "PyTorch's DataParallel or DistributedDataParallel", " PyTorch 的 DataParallel 或 DistributedDataParallel "
)
BECOMES = Text("without the wrapper: {key}", "去掉包装层后：{key}")
STRIP = Text("Take '{part}' out of the keys, into a new file.", "从键名中去掉“{part}”，另存为新文件。")
LOOK = Text(
    "Compare with the model's own keys: print(list(model.state_dict())). Some keys would collide without '{part}', so "
    "there is no safe way to strip it.",
    "请与模型自身的键对比：print(list(model.state_dict()))。去掉“{part}”后有的键会重名，因此不能直接去掉。",
)


@dataclass(frozen=True, slots=True)
class _Group:
    """The keys of one state dict: the file's own, or that of a branch of a nested file."""

    branch: str | None
    keys: tuple[str, ...]


def _groups(checkpoint: Checkpoint) -> Iterator[_Group]:
    keys = [tensor.key for tensor in checkpoint.tensors]
    if checkpoint.format is not Format.NESTED:
        yield _Group(None, tuple(keys))
        return
    for branch in checkpoint.branches:
        if not branch.optimizer:
            start = f"{branch.key}."
            yield _Group(branch.key, tuple(key[len(start) :] for key in keys if key.startswith(start)))


def _without(key: str, part: str) -> str:
    parts = key.split(".")
    if part == MODULE:
        while parts[0] == MODULE and len(parts) > 1:
            del parts[0]
        return ".".join(parts)
    return ".".join(each for each in parts if each != part)


def _numbered(key: str) -> bool:
    """Whether every `_layers` in the key is followed by a number, as a list of layers would be."""
    parts = key.split(".")
    return all(after.isdecimal() for part, after in itertools.pairwise(parts) if part == LAYERS)


def _fix(checkpoint: Checkpoint, group: _Group, part: str) -> Fix:
    clean = {_without(key, part) for key in group.keys}
    if len(clean) < len(group.keys):
        return Fix(summary=LOOK.fill(part=part))
    if checkpoint.suspicious or checkpoint.damage is not None:  # then it is not to be loaded, or cannot be
        return Fix(summary=STRIP.fill(part=part))
    load = ", safetensors=True" if checkpoint.format is Format.SAFETENSORS else ""
    target = f"{checkpoint.stem}.clean{'.pdparams' if load else checkpoint.suffix}"
    rename = f'".".join(part for part in key.split(".") if part != "{LAYERS}")'
    if part == MODULE:
        rename = f'key[len("{MODULE}."):]'
    state = "state" if group.branch is None else f"state[{group.branch!r}]"
    code = (
        "import paddle\n\n"
        f"state = paddle.load({checkpoint.path!r}{load})\n"
        f"{'clean' if group.branch is None else state} = {{\n"
        f"    {rename}: value\n"
        f"    for key, value in {state}.items()\n"
        "}\n"
        f"paddle.save({'clean' if group.branch is None else 'state'}, {target!r})"
    )
    return Fix(summary=STRIP.fill(part=part), code=code, safe=True)


def _finding(
    checkpoint: Checkpoint,
    group: _Group,
    message: Text,
    part: str,
    *,
    severity: Severity = Severity.ERROR,
    certainty: Certainty = Certainty.LIKELY,
) -> Finding:
    touched = [key for key in group.keys if _without(key, part) != key]
    before = "" if group.branch is None else f"{group.branch}."
    return PAGE.finding(
        message,
        severity=severity,
        certainty=certainty,
        location=Location(path=checkpoint.path, tensor=before + touched[0]),
        evidence=[
            Evidence(text=before + key, path=checkpoint.path, note=BECOMES.fill(key=before + _without(key, part)))
            for key in touched[:MOST_SHOWN]
        ],
        fix=_fix(checkpoint, group, part),
    )


def _fires() -> Iterator[Example]:
    yield example(
        Text("'_layers.' in front of every key", "每个键都以“_layers.”开头"),
        state_dict("_layers.fc.weight", "_layers.fc.bias"),
    )
    yield example(
        Text("'_layers' in the middle of keys", "“_layers”在键名中间"),
        state_dict("net._layers.fc.weight", "net._layers.fc.bias", "head.weight"),
    )
    yield example(
        Text("'module.' in front of every key", "每个键都以“module.”开头"),
        state_dict("module.fc.weight", "module.fc.bias"),
    )
    yield example(
        Text("a prefix inside a nested checkpoint", "嵌套的 state dict 内部带有前缀"),
        replace(
            state_dict(path="last.pdparams"),
            format=Format.NESTED,
            tensors=tensors("model._layers.fc.weight", "model._layers.fc.bias"),
            branches=(Branch(key="model", tensors=2, optimizer=False),),
        ),
    )


def _silent() -> Iterator[Example]:
    yield healthy()
    yield example(
        Text("'_layers' as a part of a longer name", "“_layers”只是更长名字的一部分"),
        state_dict("encoder_layers.0.weight", "my_layers.fc.weight", "_layers_norm.weight"),
    )
    yield example(
        Text("one part of the model is called 'module'", "模型中恰有一个名为“module”的子层"),
        state_dict("module.fc.weight", "head.weight"),
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def wrapper_prefix(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Judge each state dict in the file by its keys."""
    if checkpoint.format not in _FORMATS:
        return
    for group in _groups(checkpoint):
        names = {"name": checkpoint.name, "total": len(group.keys)}
        if not group.keys:
            continue
        for part, wrapper in ((LAYERS, A_PADDLE_WRAPPER), (MODULE, A_TORCH_WRAPPER)):
            if all(key.startswith(f"{part}.") for key in group.keys):
                yield _finding(checkpoint, group, IN_FRONT.fill(prefix=part, wrapper=wrapper, **names), part)
                break
        else:
            yield from _inside(checkpoint, group)


def _inside(checkpoint: Checkpoint, group: _Group) -> Iterator[Finding]:
    wrapped = [key for key in group.keys if LAYERS in key.split(".")[:-1]]
    if not wrapped:
        return
    filled = {
        "name": checkpoint.name,
        "keys": counted(len(wrapped), "key", "keys", "个键"),
        "total": Text(str(len(group.keys)), f"{len(group.keys)} 个键"),
    }
    if all(_numbered(key) for key in wrapped):
        message, severity, certainty = PERHAPS, Severity.WARNING, Certainty.POSSIBLE
    else:
        message, severity, certainty = INSIDE, Severity.ERROR, Certainty.LIKELY
    yield _finding(checkpoint, group, message.fill(**filled), LAYERS, severity=severity, certainty=certainty)
