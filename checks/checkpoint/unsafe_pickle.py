"""Finds pickles that would import or call anything that no checkpoint of Paddle needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text, counted
from paddle_doctor.subjects.checkpoint import Call, Checkpoint

from .patients import example, healthy, state_dict

MOST_SHOWN = 6

PAGE = Page(
    code="PD205",
    name="unsafe-pickle",
    severity=Severity.ERROR,
    title=Text("Loading the file would run foreign code", "加载该文件会执行外来代码"),
    what=Text(
        "A .pdparams file is a pickle, and a pickle is a program: it may import any module and call any "
        "function. A checkpoint of Paddle needs only a few exact calls, those that build NumPy arrays and "
        "plain Python values. This file does something else. The check works from a list of what is allowed, "
        "matched literally (the 'eval' with which Paddle writes a DenseTensor is allowed in that one form "
        "only), and follows the pickle instruction by instruction without running anything.",
        ".pdparams 是 pickle 文件，而 pickle 是程序：它可以导入任何模块、调用任何函数。Paddle 的权重文件只需要"
        "少数几种固定的调用，用来构造 NumPy 数组和普通的 Python 值。这个文件做了别的事。本检查基于允许清单，逐"
        "字匹配（Paddle 写 DenseTensor 时用的“eval”也只允许那一种写法），逐条跟踪 pickle 指令，但不执行任何内容。",
    ),
    why=Text(
        "paddle.load runs it as it reads, before anything can be inspected, and without a warning. It may be a class "
        "of the author's own project, which only fails where that project is not installed; it may be an attack.",
        "paddle.load 一边读取一边执行，来不及检查，也没有任何警告。它可能只是作者项目里的类"
        "（没有安装该项目时加载失败），也可能是攻击代码。",
    ),
    cure=Text(
        "Do not load it unless you trust whoever made it. Ask for a file that was saved with "
        "paddle.save(model.state_dict(), path), or for safetensors.",
        "除非信任文件的制作者，否则不要加载。请对方提供用 paddle.save(model.state_dict(), path) 保存的文件，"
        "或 safetensors 文件。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=(
        "measured: tests/subjects/checkpoint/test_real_paddle.py",
        "https://docs.python.org/3/library/pickle.html",
    ),
)

RUNS = Text(
    "Loading {name} would run what no checkpoint needs: {first}{more}. Do not load it unless you trust its origin.",
    "加载 {name} 会执行权重文件并不需要的代码：{first}{more}。除非信任其来源，否则不要加载。",
)
AND_MORE = Text(" and {count}", " 等，另有 {count}")
WHERE = Text("{opcode} at byte {offset}", "{opcode}，位于第 {offset} 字节")
ASK = Text(
    "Ask for a file that was saved with paddle.save(model.state_dict(), path), or for safetensors.",
    "请对方提供用 paddle.save(model.state_dict(), path) 保存的文件，或 safetensors 文件。",
)


def _with(*calls: str) -> Checkpoint:
    found = tuple(Call(text=text, opcode="REDUCE", offset=64 * at) for at, text in enumerate(calls))
    return replace(state_dict("fc.weight"), suspicious=found)


def _fires() -> Iterator[Example]:
    yield example(Text("a call of os.system", "调用 os.system"), _with("posix.system('id')"))
    yield example(Text("an object of somebody's own class", "某个自定义类的对象"), _with("my_project.Config()"))


def _silent() -> Iterator[Example]:
    yield healthy()
    yield example(
        Text("a DenseTensor, which Paddle writes with eval", "Paddle 用 eval 写出的 DenseTensor"),
        replace(state_dict("w"), globals_used=("builtins.eval", "numpy.dtype", "numpy.ndarray")),
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def unsafe_pickle(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Show what loading would run."""
    if not checkpoint.suspicious:
        return
    first, *others = checkpoint.suspicious
    more = AND_MORE.fill(count=counted(len(others), "more", "more", "处")) if others else ""
    yield PAGE.finding(
        RUNS.fill(name=checkpoint.name, first=first.text, more=more),
        location=Location(path=checkpoint.path),
        evidence=[
            Evidence(
                text=each.text, path=checkpoint.path, note=WHERE.fill(opcode=each.opcode, offset=f"{each.offset:,}")
            )
            for each in checkpoint.suspicious[:MOST_SHOWN]
        ],
        fix=Fix(summary=ASK),
    )
