"""What a condition says about the process: the one started with the file, or a child that imports it again."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from enum import IntEnum

#: What `__name__` is in the process started with the file, and in a child of multiprocessing that imports it again.
MAIN_NAME, CHILD_NAME = "__main__", "__mp_main__"

_UNKNOWN = object()
_COMPARE: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right if isinstance(right, tuple) else _UNKNOWN,
    ast.NotIn: lambda left, right: left not in right if isinstance(right, tuple) else _UNKNOWN,
}


class Restriction(IntEnum):
    """Where a branch can run: everywhere, only in the process started with the file, or nowhere."""

    OPEN = 0
    MAIN = 1
    NEVER = 2


def branches(test: ast.expr) -> tuple[Restriction, Restriction]:
    """The restrictions that an ``if`` with this test puts on its body and on its ``else``."""
    in_main, in_child = _truth(test, MAIN_NAME), _truth(test, CHILD_NAME)
    return _restriction(in_main, in_child, dead=False), _restriction(in_main, in_child, dead=True)


def _restriction(in_main: bool | None, in_child: bool | None, *, dead: bool) -> Restriction:
    if in_child is not dead:
        return Restriction.OPEN
    return Restriction.NEVER if in_main is dead else Restriction.MAIN


def _truth(test: ast.expr, name: str) -> bool | None:
    value = _value(test, name)
    return None if value is _UNKNOWN else bool(value)


def _value(node: ast.expr, name: str) -> object:  # noqa: PLR0911 - one return for each form
    """The value of a condition where `__name__` is `name`, or `_UNKNOWN`."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id="__name__"):
            return name
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return False
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            values = tuple(_value(item, name) for item in items)
            return _UNKNOWN if _UNKNOWN in values else values
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            truth = _truth(operand, name)
            return _UNKNOWN if truth is None else not truth
        case ast.BoolOp(op=op, values=operands):
            return _bool_op([_truth(operand, name) for operand in operands], decides=isinstance(op, ast.Or))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            sides = _value(left, name), _value(right, name)
            return _UNKNOWN if _UNKNOWN in sides else _COMPARE[type(op)](*sides)
        case ast.Call(func=ast.Name(id="parent_process") | ast.Attribute(attr="parent_process")):
            return None if name == MAIN_NAME else "a process"
        case ast.Attribute(
            attr="name",
            value=ast.Call(func=ast.Name(id="current_process") | ast.Attribute(attr="current_process")),
        ):
            return "MainProcess" if name == MAIN_NAME else "SpawnProcess-1"
    return _UNKNOWN


def _bool_op(truths: list[bool | None], *, decides: bool) -> object:
    if decides in truths:
        return decides
    return _UNKNOWN if None in truths else not decides
