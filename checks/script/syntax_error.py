"""The script cannot be run at all: Python does not accept its text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Finding, Fix, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.script import Fault, FaultKind, Place, Script, read_script

if TYPE_CHECKING:
    from paddle_doctor.subjects.environment import Environment, Interpreter

PAGE = Page(
    code="PD100",
    name="syntax-error",
    severity=Severity.ERROR,
    title=Text("Python cannot read the script", "Python 无法解析该脚本"),
    what=Text(
        "The file is not Python that can be run: a syntax error, Python 2, an encoding that it does not "
        "declare, NUL bytes, or a notebook that is not valid JSON.",
        "该文件不是可以运行的 Python 代码：语法错误、Python 2 代码、未声明的编码、含有 NUL 字节，或者 notebook "
        "不是有效的 JSON。",
    ),
    why=Text(
        "The job ends before its first line runs. Under a launcher every rank ends like this, and the console shows "
        "only that the ranks were terminated.",
        "任务在执行第一行之前就会结束。在启动器下每个 rank 都如此，而控制台只显示各个进程已被终止。",
    ),
    cure=Text(
        "Correct the line that is named. Save the file as UTF-8, or declare its encoding in the first line.",
        "修改所指出的那一行。把文件另存为 UTF-8，或在第一行声明其编码。",
    ),
    since=Text("every version; Paddle 2.0 and later need Python 3", "所有版本；Paddle 2.0 及以后需要 Python 3"),
    sources=("https://docs.python.org/3/reference/lexical_analysis.html#encoding-declarations", "ast.parse of CPython"),
)

SYNTAX = Text("Python cannot read this line: {words}.", "Python 无法解析这一行：{words}。")
NEWER = Text(
    "Python {grammar}, which paddle-doctor runs on, cannot read this line ({words}). The job runs on {version}, which "
    "may.",
    "paddle-doctor 所用的 Python {grammar} 无法解析这一行（{words}）。任务使用的是 {version}，它或许可以。",
)
PYTHON2 = Text(
    "This is Python 2. Paddle 2.0 and later run on Python 3 only, which says: {words}.",
    "这是 Python 2 代码。Paddle 2.0 及以后只支持 Python 3，它的报错是：{words}。",
)
ENCODING = Text(
    "Python cannot decode this file ({words}). Without a declared encoding it must be UTF-8.",
    "Python 无法解码该文件（{words}）。没有声明编码的文件必须是 UTF-8。",
)
NUL = Text("There is a NUL byte in this line. The file is damaged.", "这一行里有 NUL 字节，文件已损坏。")
TOO_DEEP = Text("This file is nested too deeply to be read ({words}).", "该文件嵌套过深，无法解析（{words}）。")
NOTEBOOK = Text("This is not a valid notebook: {words}.", "这不是有效的 notebook：{words}。")
MESSAGES = {
    FaultKind.SYNTAX: SYNTAX,
    FaultKind.PYTHON2: PYTHON2,
    FaultKind.ENCODING: ENCODING,
    FaultKind.NUL: NUL,
    FaultKind.TOO_DEEP: TOO_DEEP,
    FaultKind.NOTEBOOK: NOTEBOOK,
}
CURES = {
    FaultKind.SYNTAX: Fix(summary=Text("Correct this line.", "修改这一行。")),
    FaultKind.PYTHON2: Fix(
        summary=Text(
            "Port it to Python 3; 2to3 (part of Python up to 3.12) does most of it and writes the result next to the "
            "file.",
            "移植到 Python 3；2to3（Python 3.12 及以前自带）可完成大部分工作，并把结果写在原文件旁边。",
        ),
        commands=("2to3 -w -n --add-suffix=3 {path}",),
    ),
    FaultKind.ENCODING: Fix(
        summary=Text(
            "Save the file as UTF-8, or name its encoding in the first line.",
            "把文件另存为 UTF-8，或在第一行写明其编码。",
        )
    ),
    FaultKind.NUL: Fix(summary=Text("Get the file again from its source.", "从原处重新获取该文件。")),
    FaultKind.TOO_DEEP: Fix(summary=Text("Split the expression into several.", "把该表达式拆成几个。")),
    FaultKind.NOTEBOOK: Fix(
        summary=Text(
            "Open it in Jupyter and save it again, or restore it.", "在 Jupyter 中打开并重新保存，或恢复旧版本。"
        )
    ),
}
DECLARE_GBK = "# -*- coding: gbk -*-\n"


def _fires() -> Iterator[Example]:
    place = Place(line=3, column=9, end_line=3, end_column=9, text="# \u7cbe\u5ea6")
    gbk = Fault(kind=FaultKind.ENCODING, message="utf-8: byte 0xd6, GBK", place=place, grammar="3.11")
    yield Example(
        Text("a bracket is never closed", "括号没有闭合"), {"script": read_script("print('a'\nx = 1\n", "eval.py")}
    )
    yield Example(Text("Python 2", "Python 2 代码"), {"script": read_script("print 'accuracy', 0.9\n", "eval.py")})
    yield Example(Text("GBK that is not declared", "未声明的 GBK 编码"), {"script": Script(path="eval.py", fault=gbk)})
    yield Example(Text("a notebook cut short", "被截断的 notebook"), {"script": read_script('{"cells": [', "a.ipynb")})


def _silent() -> Iterator[Example]:
    yield Example(Text("an empty file", "空文件"), {"script": read_script("", "__init__.py")})
    yield Example(Text("Python 3", "Python 3 代码"), {"script": read_script("print('accuracy', 0.9)\n", "eval.py")})


@check(PAGE, fires_on=_fires, silent_on=_silent)
def syntax_error(script: Script, environment: Environment | None = None) -> Iterator[Finding]:
    """Tell why the text cannot be run, and where."""
    fault = script.fault
    if fault is None:
        return
    newer = _newer_than(fault.grammar, environment) if fault.kind is FaultKind.SYNTAX else None
    if newer is not None:
        message = NEWER.fill(grammar=fault.grammar, words=fault.message, version=newer.python_version)
        severity, certainty = Severity.WARNING, Certainty.POSSIBLE
    else:
        message = MESSAGES[fault.kind].fill(words=fault.message)
        severity, certainty = Severity.ERROR, Certainty.CERTAIN
    yield PAGE.finding(
        message,
        severity=severity,
        certainty=certainty,
        location=script.location(fault.place),
        evidence=[script.quote(fault.place)] if fault.place.text else [],
        fix=_cure(fault, script),
    )


def _cure(fault: Fault, script: Script) -> Fix:
    cure = CURES[fault.kind]
    code = DECLARE_GBK if fault.message.endswith("GBK") else None
    return Fix(
        summary=cure.summary,
        commands=tuple(each.format(path=shlex.quote(script.path)) for each in cure.commands),
        code=code,
    )


def _newer_than(grammar: str, environment: Environment | None) -> Interpreter | None:
    """The job's interpreter, if it knows a newer Python than the one that read the script."""
    interpreter = environment.interpreter if environment else None
    if interpreter is None:
        return None
    return interpreter if _version(interpreter.python_version) > _version(grammar) else None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())
