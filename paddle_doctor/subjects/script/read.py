"""From source text to the facts about a script; nothing is run, nothing is looked up."""

from __future__ import annotations

import ast
import math
import re
import sys
import warnings
from collections.abc import Iterator

from paddle_doctor.core.secrets import hide_in_value
from paddle_doctor.subjects.script.model import (
    Argument,
    Call,
    CheckpointLoad,
    Fault,
    FaultKind,
    Import,
    Iteration,
    Kind,
    Origin,
    Place,
    Runs,
    Script,
    VariableChange,
)
from paddle_doctor.subjects.script.moments import Moments
from paddle_doctor.subjects.script.names import Literal, Names, Sort, Value
from paddle_doctor.subjects.script.outline import Outline, outline
from paddle_doctor.subjects.script.scopes import CallRecord, Here
from paddle_doctor.subjects.script.source import Source, UndecodableError, plain, shortened

GRAMMAR = f"{sys.version_info.major}.{sys.version_info.minor}"

#: Built-in functions and wrappers that iterate over what they are given, at once or as soon as they are iterated over.
_CONSUMERS = frozenset(
    {"iter", "list", "tuple", "set", "enumerate", "zip", "sorted", "sum", "map", "next", "tqdm.tqdm", "tqdm.auto.tqdm"}
    | {
        "tqdm.trange",
        "itertools.islice",
        "itertools.chain",
        "itertools.cycle",
        "tqdm.notebook.tqdm",
        "rich.progress.track",
    }
)
_WRAPPERS = _CONSUMERS | {"range", "len"}
#: Calls that load weights, and the position of the path.
_LOADERS = ("paddle.load", "torch.load", "paddle.Model.load")
_PYTHON2 = (  # compiled only when there is a syntax error
    r"""(?x) ^\s* (?: print\s+[^(\s=.\[] | print\s*>> | print\s*["'] | exec\s+["'] | except\s+[\w.]+\s*,\s*\w+\s*:
    | except\s*\([^)]*\)\s*,\s*\w+\s*: | raise\s+[\w.]+\s*,\s*["'\w] ) | \b0[0-7]+\b(?!\.) | <> | \bur["']"""
)
_MESSAGE_OF_PYTHON2 = (  # compiled only when there is a syntax error
    r"Missing parentheses in call to '(print|exec)'|multiple exception types must be paren"
)


def read_script(source: str, path: str) -> Script:
    """The facts about a script's text; `path` says what it is called, and a name in .ipynb that it is a notebook."""
    if not path.lower().endswith(".ipynb"):
        return _Reader(path, Kind.PYTHON, plain(source)).script()
    from paddle_doctor.subjects.script.notebook import notebook_source

    try:
        text = notebook_source(source)
    except UndecodableError as error:
        return unreadable(path, error, source)
    return _Reader(path, Kind.NOTEBOOK, text).script()


def unreadable(path: str, error: UndecodableError, text: str = "") -> Script:
    """The facts about a file that Python cannot read as source."""
    lines = text.splitlines()[error.line - 1 : error.line]
    place = Place(
        line=error.line,
        column=error.column,
        end_line=error.line,
        end_column=error.column,
        text=shortened(lines[0]) if lines else "",
    )
    kind = Kind.NOTEBOOK if error.kind is FaultKind.NOTEBOOK else Kind.PYTHON
    return Script(path=path, kind=kind, fault=Fault(kind=error.kind, message=error.words, place=place, grammar=GRAMMAR))


class _Reader:
    def __init__(self, path: str, kind: Kind, source: Source) -> None:
        self.path, self.kind, self.source = path, kind, source

    def script(self) -> Script:
        lines = self.source.line_count
        try:
            tree = _parse(self.source.text)
        except SyntaxError as error:
            return Script(path=self.path, kind=self.kind, lines=lines, fault=self.syntax_fault(error))
        except (ValueError, RecursionError, MemoryError) as error:
            return Script(path=self.path, kind=self.kind, lines=lines, fault=self.other_fault(error))
        try:
            return self.facts(tree, lines)
        except RecursionError as error:
            return Script(path=self.path, kind=self.kind, lines=lines, fault=self.other_fault(error))

    def facts(self, tree: ast.Module, lines: int) -> Script:
        found = outline(tree)
        self.names = Names(found)
        self.moments = Moments(found, self.names)
        calls = tuple(self.call(record) for record in found.calls)
        return Script(
            path=self.path,
            kind=self.kind,
            lines=lines,
            imports=tuple(self.imports(found)),
            calls=calls,
            iterations=tuple(dict.fromkeys(self.iterations(found))),
            variables=tuple(self.variables(found)),
            checkpoints=tuple(_checkpoints(calls)),
            changes_path=_changes_path(found, calls, self.names),
        )

    # What is wrong with the text

    def syntax_fault(self, error: SyntaxError) -> Fault:
        line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
        text = self.source.lines[min(line, len(self.source.lines)) - 1].text if self.source.lines else ""
        column = len(text[:column].encode("utf-8", "surrogatepass"))
        message = shortened(error.msg or "invalid syntax")
        old = re.search(_MESSAGE_OF_PYTHON2, message) or re.search(_PYTHON2, text)
        kind = FaultKind.PYTHON2 if old else FaultKind.SYNTAX
        return Fault(kind=kind, message=message, place=self.source.place(line, column), grammar=GRAMMAR)

    def other_fault(self, error: Exception) -> Fault:
        kind = FaultKind.SYNTAX if isinstance(error, ValueError) else FaultKind.TOO_DEEP
        message = shortened(str(error)) or type(error).__name__
        return Fault(kind=kind, message=message, place=self.source.place(1, 0), grammar=GRAMMAR)

    # What the script does

    def place(self, node: ast.expr | ast.stmt) -> Place:
        return self.source.place(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)

    def conditions(self, here: Here) -> tuple[str, ...]:
        return tuple(
            self.source.written(test.lineno, test.col_offset, test.end_lineno or test.lineno, test.end_col_offset or 0)
            for test in here.tests
        )

    def call(self, record: CallRecord) -> Call:
        called = self.names.called(record)
        return Call(
            name=called.name,
            place=self.place(record.node),
            runs=self.moments.of(record.here),
            arguments=tuple(self.arguments(record)),
            receiver=called.receiver.index if called.receiver else None,
            local=called.sort in (Sort.OWN, Sort.INSTANCE),
            function=record.here.scope.name,
            conditions=self.conditions(record.here),
            in_try=record.here.catches("ValueError", "RuntimeError", "OSError", "FileNotFoundError"),
        )

    def arguments(self, record: CallRecord) -> Iterator[Argument]:
        for each in record.node.args:
            if isinstance(each, ast.Starred):
                yield Argument(keyword="*")
            else:
                yield self.argument(None, each, record.here)
        for keyword in record.node.keywords:
            yield self.argument(keyword.arg, keyword.value, record.here) if keyword.arg else Argument(keyword="**")

    def argument(self, keyword: str | None, node: ast.expr, here: Here) -> Argument:
        origin, value = self.names.constant(node, here)
        if origin is not Origin.UNKNOWN:
            return Argument(keyword=keyword, origin=origin, value=_told(keyword or "", value))
        known = self.names.full_name(node, here)
        makers = self.names.makers(node, here)
        named = known.name if known.sort is Sort.NAME else known.scope.name if known.scope else None
        return Argument(
            keyword=keyword, names=named, made_by=makers[0].call.index if makers and makers[0].call else None
        )

    def imports(self, found: Outline) -> Iterator[Import]:
        for record in found.imports:
            yield Import(
                module=record.module,
                name=record.name,
                alias=record.alias,
                level=record.level,
                place=self.place(record.node),
                runs=self.moments.of(record.here),
                in_try=record.here.catches("ImportError", "ModuleNotFoundError"),
                conditional=bool(record.here.block),
            )

    def iterations(self, found: Outline) -> Iterator[Iteration]:
        for loop in found.loops:
            yield from self.iterated(loop.node, loop.here, loop.node)
        for record in found.calls:
            called = self.names.called(record)
            if called.name in _CONSUMERS and not called.receiver:
                for each in record.node.args:
                    yield from self.iterated(each, record.here, record.node)
            elif called.name.endswith(".__call__") and called.receiver is not None:
                yield from self.iterated(record.node.func, record.here, record.node)

    def iterated(self, node: ast.expr, here: Here, shown: ast.expr) -> Iterator[Iteration]:
        for value in self.names.makers(node, here):
            if value.call is not None and self.names.called(value.call).name not in _WRAPPERS:
                yield Iteration(
                    made_by=value.call.index,
                    place=self.place(shown),
                    runs=self.runs_with(value, here),
                    function=here.scope.name,
                    conditions=self.conditions(here),
                )

    def runs_with(self, value: Value, here: Here) -> Runs:
        """When something is done with a value: where it was handed over by a call, only that call's moment counts."""
        if value.via is None:
            return self.moments.of(here)
        return self.moments.through(self.moments.of(value.via.here), here)

    def variables(self, found: Outline) -> Iterator[VariableChange]:
        for each in found.subscript_sets:
            if self.names.full_name(each.target.value, each.here).name == "os.environ":
                yield from self.variable(each.target.slice, each.value, each.target, each.here)
        for record in found.calls:
            name = self.names.called(record).name
            if name in ("os.environ.setdefault", "os.putenv") and len(record.node.args) == 2:
                variable, value = record.node.args
                yield from self.variable(variable, value, record.node, record.here, default=name.endswith("default"))
            elif name == "os.environ.update":
                yield from self.updated(record)

    def updated(self, record: CallRecord) -> Iterator[VariableChange]:
        for argument in record.node.args:
            if isinstance(argument, ast.Dict):
                for key, value in zip(argument.keys, argument.values, strict=True):
                    if key is not None:
                        yield from self.variable(key, value, key, record.here)
        for keyword in record.node.keywords:
            if keyword.arg is not None:
                name = ast.copy_location(ast.Constant(keyword.arg), keyword.value)
                yield from self.variable(name, keyword.value, record.node, record.here)

    def variable(
        self, name: ast.expr, value: ast.expr, shown: ast.expr, here: Here, *, default: bool = False
    ) -> Iterator[VariableChange]:
        _, variable = self.names.constant(name, here)
        if isinstance(variable, str):
            origin, literal = self.names.constant(value, here)
            yield VariableChange(
                variable=variable,
                origin=origin,
                value=_told(variable, literal),
                place=self.place(shown),
                runs=self.moments.of(here),
                default=default,
            )


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and the like in the script are not the doctor's to print
        return ast.parse(text)


def _told(name: str, value: Literal) -> Literal:
    """A literal as a fact may hold it: no secret, no number that JSON cannot say, no book."""
    if isinstance(value, str):
        return shortened(hide_in_value(name, value))
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return str(value)[:40] if isinstance(value, int) and abs(value) >= 2**63 else value


def _checkpoints(calls: tuple[Call, ...]) -> Iterator[CheckpointLoad]:
    for index, call in enumerate(calls):
        if call.name in _LOADERS and call.runs is not Runs.NEVER:
            path = call.argument("path", 0) or call.argument("f", 0)
            if (
                path is not None
                and path.known
                and isinstance(path.value, str)
                and "://" not in path.value
                and path.value
            ):
                yield CheckpointLoad(path=path.value, call=index)


def _changes_path(found: Outline, calls: tuple[Call, ...], names: Names) -> bool:
    changes = any(call.name.startswith("sys.path.") or call.name == "site.addsitedir" for call in calls)
    return changes or any(
        names.full_name(each.target.value, each.here).name == "sys.path" for each in found.subscript_sets
    )
