"""Watches the imports of Paddle: weaves notes into its functions, and applies the one change that was asked for.

A note is woven into the source of Paddle's own function, at its first line or around what it returns, and keeps every
line and column number. A wrapper would show as a frame of its own in tracebacks; what is woven in does not, so the
job's output stays the same to the byte.
"""

# pathlib would be imported into the job before its time.
# ruff: noqa: PTH100, PTH120, UP031

from __future__ import annotations

import atexit
import os
import sys
from _frozen_importlib import module_from_spec
from _frozen_importlib_external import PathFinder, SourceFileLoader

import paddle_doctor_changes as changes  # type: ignore[import-not-found]
import paddle_doctor_notes as notes  # type: ignore[import-not-found]

TYPE_CHECKING = False  # not from typing, which a user's file may shadow
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

#: The name under which the woven code finds the notes, in the globals of the module it is woven into.
_NOTES = "__paddle_doctor_notes__"
_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST, without importing a module that a user's file may shadow

_ITERATORS = (
    ("_DataLoaderIterSingleProcess.__next__", "return", "batch", ()),
    ("_DataLoaderIterMultiProcess.__next__", "return", "batch", ()),
    ("_DataLoaderIterMultiProcess.__init__", "entry", "workers", ("loader",)),
)
_LAYER = (("Layer.set_state_dict", "return", "state_set", ("self", "state_dict")),)

#: module: (function, at its entry or around what it returns, the note to take, the function's arguments that it wants).
_WATCHED = {
    "paddle.io.dataloader.dataloader_iter": _ITERATORS,
    "paddle.fluid.dataloader.dataloader_iter": _ITERATORS,
    "paddle.framework.io": (("load", "entry", "load", ("path",)), ("load", "return", "loaded", ("path",))),
    "paddle.nn.layer.layers": _LAYER,
    "paddle.fluid.dygraph.layers": _LAYER,
    "paddle.utils.download": (("get_weights_path_from_url", "entry", "download", ("url",)),),
    "paddle.hapi.model": (("Model.load", "entry", "load_model", ("path",)),),
}


def set_up() -> None:
    """Take the shim's folder out of the job's sight and watch its imports."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [each for each in sys.path if not each or os.path.abspath(each) != here]
    if not notes.wanted():
        return
    notes.note("start", version="%d.%d.%d" % sys.version_info[:3], executable=sys.executable)
    atexit.register(notes.at_exit)
    sys.meta_path.insert(0, _Finder())


def run_the_hidden_sitecustomize() -> None:
    """Run the sitecustomize that Python would have found without the shim; its exceptions are Python's to report."""
    spec = PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


class _Finder:
    """Finds the watched modules as the other finders do, and has them loaded by `_Loader`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in _WATCHED and not changes.wanted_for(name):
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: Any = find(name, path, target) if find else None
            if spec is not None:
                if type(spec.loader) is SourceFileLoader:
                    spec.loader = _Loader(spec.loader.name, spec.loader.path)
                return spec  # type: ignore[no-any-return]
        return None


class _Loader(SourceFileLoader):
    """Loads a module of Paddle from its source with the notes woven in, then applies the change to it."""

    def get_code(self, fullname: str) -> CodeType | None:
        if fullname in _WATCHED:
            path = str(self.path)
            try:
                return _woven(self.get_data(path), path, _WATCHED[fullname])
            except Exception as error:  # noqa: BLE001  a Paddle built otherwise: unwatched is better than broken
                notes.note("unwatched", module=fullname, why=str(error))
        return super().get_code(fullname)

    def exec_module(self, module: ModuleType) -> None:
        setattr(module, _NOTES, notes)
        super().exec_module(module)
        name = module.__name__
        if name.endswith("dataloader_iter"):
            notes.watch_threads()
        if name == "paddle.framework.io":
            # Paddle's own handlers tear down its devices and may crash: ours, registered later, runs before them.
            atexit.register(notes.at_exit)
        if changes.wanted_for(name):
            changes.apply(module)
            notes.note("changed", module=name)


def _woven(source: bytes, path: str, watched: Sequence[tuple[str, str, str, tuple[str, ...]]]) -> CodeType:
    """The module's code with the notes in it; SyntaxWarnings are for whoever compiles Paddle, not for this job."""
    warnings: Any = sys.modules.get("warnings")
    if warnings is None:
        return _compiled(source, path, watched)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _compiled(source, path, watched)


def _compiled(source: bytes, path: str, watched: Sequence[tuple[str, str, str, tuple[str, ...]]]) -> CodeType:
    tree = compile(source, path, "exec", _ONLY_AST, True)
    for function, where, note, arguments in watched:
        found = _function(tree, function.split("."))
        if found is not None and set(arguments) <= {each.arg for each in found.args.args}:
            (_weave_entry if where == "entry" else _weave_returns)(found, note, arguments)
    code: CodeType = compile(tree, path, "exec", 0, True)
    return code


def _function(node: Any, names: list[str]) -> Any:
    for each in node.body:
        if getattr(each, "name", None) == names[0]:
            return each if len(names) == 1 else _function(each, names[1:])
    return None


def _weave_entry(function: Any, note: str, arguments: tuple[str, ...]) -> None:
    """``note(argument)`` as the first statement, behind the docstring."""
    first = function.body[0]
    call = _call(note, arguments, first)
    statement: Any = compile("_", "<woven>", "exec", _ONLY_AST, True).body[0]
    statement.value = call
    _place(statement, first)
    value = getattr(first, "value", None)
    has_docstring = isinstance(getattr(value, "value", getattr(value, "s", None)), str)
    function.body.insert(1 if has_docstring else 0, statement)


def _weave_returns(node: Any, note: str, arguments: tuple[str, ...]) -> None:
    """``return x`` becomes ``return note(x, argument)``, which gives x; functions inside are left alone."""
    for each in _children(node):
        kind = type(each).__name__
        if kind == "Return" and each.value is not None:
            call = _call(note, arguments, each)
            call.args.insert(0, each.value)
            each.value = call
        elif kind not in ("FunctionDef", "AsyncFunctionDef", "Lambda", "ClassDef"):
            _weave_returns(each, note, arguments)


def _call(note: str, arguments: tuple[str, ...], at: Any) -> Any:
    text = _NOTES + "." + note + "(" + ", ".join(arguments) + ")"
    call = compile(text, "<woven>", "eval", _ONLY_AST, True).body
    _place(call, at)
    return call


def _children(node: Any) -> Iterator[Any]:
    for field in node._fields:
        value = getattr(node, field, None)
        for each in value if isinstance(value, list) else [value]:
            if hasattr(each, "_fields"):
                yield each


def _place(node: Any, at: Any) -> None:
    """Put woven nodes where the statement stands that they belong to."""
    for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        if hasattr(node, "lineno") and hasattr(at, name):
            setattr(node, name, getattr(at, name))
    for each in _children(node):
        _place(each, at)
