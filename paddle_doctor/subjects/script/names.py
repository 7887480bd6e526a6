"""What the names in a script stand for: modules and members, objects that a call made, constants, own functions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from paddle_doctor.subjects.script.aliases import STAR_NAMES, canonical
from paddle_doctor.subjects.script.model import Origin
from paddle_doctor.subjects.script.options import OPTION_HOLDERS, option_defaults
from paddle_doctor.subjects.script.outline import Outline
from paddle_doctor.subjects.script.scopes import Binding, CallRecord, Here, Scope

Literal = str | int | float | bool | None

#: How far a value is followed from name to name, and how many values a name may have.
_DEPTH, _WIDTH = 24, 12
_UNRESOLVED = "?"
_BUILT_IN = frozenset(dir(builtins))


class Sort(Enum):
    """What a value is."""

    NAME = "name"
    MADE = "made"
    OWN = "own"
    INSTANCE = "instance"
    CONSTANT = "constant"
    UNKNOWN = "unknown"


class Value(NamedTuple):
    """What an expression may stand for.

    NAME: the full `name` of something imported or built in. MADE: what `call` gave. OWN: a function or class of this
    file (`scope`). INSTANCE: an object of a class of this file. CONSTANT: a `literal`. `via` is the call that handed
    the value over as an argument, `receiver` the call that made the object whose method a NAME is.
    """

    sort: Sort
    name: str = ""
    call: CallRecord | None = None
    scope: Scope | None = None
    literal: Literal = None
    origin: Origin = Origin.UNKNOWN
    via: CallRecord | None = None
    receiver: CallRecord | None = None


UNKNOWN = Value(Sort.UNKNOWN)


class Names:
    """Follows names through the bindings of an outline; each expression is followed once."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.options = option_defaults(outline.calls)
        self._known: dict[int, tuple[Value, ...]] = {}
        self._called_by: dict[int, Value] = {}
        self._open: set[int] = set()
        self._sites: dict[Scope, list[CallRecord]] = {}
        # Parameters take their values from the calls of their function, so those are found first.
        sites: dict[Scope, list[CallRecord]] = {}
        for record in outline.calls:
            for scope in self.own_functions(record.node.func, record.here):
                sites.setdefault(scope, []).append(record)
        self._sites = sites
        self._known.clear()

    def own_functions(self, node: ast.expr, here: Here) -> Iterator[Scope]:
        """The functions of this file that a call of this expression runs; for a class its ``__init__``."""
        for value in self.values(node, here):
            if value.sort is Sort.OWN and value.scope is not None:
                if value.scope.kind == "function":
                    yield value.scope
                else:
                    yield from (each.scope for each in self._members(value.scope, "__init__") if each.scope)
            elif value.sort is Sort.INSTANCE and value.scope is not None:
                yield from (each.scope for each in self._members(value.scope, "__call__") if each.scope)

    def full_name(self, node: ast.expr, here: Here) -> Value:
        """The best single answer to what an expression is; `UNKNOWN` where there is none."""
        values = self.values(node, here)
        return next((value for value in values if value.sort is not Sort.UNKNOWN), UNKNOWN)

    def constant(self, node: ast.expr, here: Here) -> tuple[Origin, Literal]:
        """The value of an expression if it can have only one, and how it is known."""
        values = self.values(node, here)
        first = values[0]
        same = all(
            each.sort is Sort.CONSTANT and type(each.literal) is type(first.literal) and each.literal == first.literal
            for each in values
        )
        return (first.origin, first.literal) if same else (Origin.UNKNOWN, None)

    def makers(self, node: ast.expr, here: Here) -> list[Value]:
        """The calls that may have made the object that an expression stands for."""
        return [value for value in self.values(node, here) if value.sort is Sort.MADE]

    def called(self, call: CallRecord) -> Value:
        """What a call calls, with its full name; an object that is called has ``__call__`` behind its name."""
        known = self._called_by.get(call.index)
        if known is None:
            known = self._called_by[call.index] = self._find_called(call)
        return known

    def _find_called(self, call: CallRecord) -> Value:
        value = self.full_name(call.node.func, call.here)
        match value.sort:
            case Sort.MADE if value.call is not None:
                name = f"{self._made_name(value.call)}.__call__"
                return value._replace(sort=Sort.NAME, name=name, receiver=value.call)
            case Sort.OWN | Sort.INSTANCE if value.scope is not None:
                return value._replace(name=value.scope.name)
            case Sort.UNKNOWN | Sort.CONSTANT:
                return value._replace(sort=Sort.NAME, name=_written(call.node.func))
        return value

    def values(self, node: ast.expr, here: Here) -> tuple[Value, ...]:
        """What an expression may stand for; never empty."""
        key = id(node)
        if key in self._known:
            return self._known[key]
        if key in self._open or len(self._open) > _DEPTH:
            return (UNKNOWN,)
        self._open.add(key)
        found = tuple(dict.fromkeys(self._follow(node, here)))[:_WIDTH] or (UNKNOWN,)
        self._open.discard(key)
        self._known[key] = found
        return found

    def _follow(self, node: ast.expr, here: Here) -> Iterable[Value]:  # noqa: C901, PLR0911 - one return for each form
        match node:
            case ast.Constant(value=str() | int() | float() | bool() | None as literal):
                return [Value(Sort.CONSTANT, literal=literal, origin=Origin.LITERAL)]
            case ast.Name(id=name):
                return self._lookup(name, here, (node.lineno, node.col_offset))
            case ast.Attribute(value=base, attr=attribute):
                return self._attribute(base, attribute, here)
            case ast.Call():
                return self._given_by(node, here)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return [Value(Sort.CONSTANT, literal=-number, origin=Origin.LITERAL)]
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                return [self._joined("", [left, right], here)]
            case ast.BinOp(op=ast.Div(), left=left, right=right):
                return [self._joined("/", [left, right], here)]
            case ast.JoinedStr(values=parts) if all(isinstance(part, ast.Constant) for part in parts):
                return [self._joined("", parts, here)]
            case ast.NamedExpr(value=value):
                return self.values(value, here)
            case ast.Lambda():
                return [Value(Sort.OWN, scope=self.outline.lambdas[id(node)])]
        return ()

    def _lookup(self, name: str, here: Here, position: tuple[int, int]) -> Iterator[Value]:
        scope: Scope | None = here.scope.shared.get(name, here.scope)
        while scope is not None:
            if (scope.kind != "class" or scope is here.scope) and name in scope.bindings:
                for binding in scope.visible(name, here, position):
                    yield from self._bound(binding)
                return
            scope = scope.parent
        yield self._free(name)

    def _free(self, name: str) -> Value:
        """A name that is bound nowhere: from an ``import *``, or built in."""
        stars = self.outline.module.stars
        for module in stars:
            if name in STAR_NAMES.get(module, ()):
                return Value(Sort.NAME, canonical(f"{module}.{name}"))
        return Value(Sort.NAME, name) if name in _BUILT_IN else UNKNOWN

    def _bound(self, binding: Binding) -> Iterable[Value]:  # noqa: PLR0911 - one return for each way
        match binding.how:
            case "import":
                return [Value(Sort.NAME, canonical(binding.target))]
            case "scope":
                return [Value(Sort.OWN, scope=binding.scope)]
            case "self":
                return [Value(Sort.INSTANCE, scope=binding.scope)]
            case "parameter":
                return self._parameter(binding)
            case "value" if binding.node is not None:
                return _by_name(self.values(binding.node, binding.here))
            case "item" if binding.node is not None:
                return _by_name(self._items(binding.node, binding.here, binding.number))
            case "element" if binding.node is not None:
                return self._elements(binding.node, binding.here)
        return [UNKNOWN]

    def _parameter(self, binding: Binding) -> Iterator[Value]:
        function = binding.here.scope
        skipped = 1 if function.owner() is not None and binding.number > 0 else 0
        sites = self._sites.get(function, [])
        for site in sites[:_WIDTH]:
            given = _given(site.node, binding.target, binding.number - skipped)
            if given is not None:
                values: Iterable[Value] = _by_name(self.values(given, site.here))
            elif binding.node is not None and not _unpacks(site.node):
                values = _by_name(self.values(binding.node, function.here or site.here))
            else:
                values = (UNKNOWN,)
            yield from (value._replace(via=value.via or site) for value in values)
        if not sites:
            yield UNKNOWN

    def _attribute(self, base: ast.expr, attribute: str, here: Here) -> Iterator[Value]:
        for value in self.values(base, here):
            match value.sort:
                case Sort.NAME:
                    yield Value(Sort.NAME, canonical(f"{value.name}.{attribute}"), receiver=value.receiver)
                case Sort.MADE if value.call is not None:
                    made = self._made_name(value.call)
                    if made.endswith((".parse_args", ".parse_known_args")) and attribute in self.options:
                        yield self._option(attribute)
                    else:
                        yield Value(Sort.NAME, f"{made}.{attribute}", receiver=value.call, via=value.via)
                case Sort.OWN | Sort.INSTANCE if value.scope is not None:
                    members = list(self._members(value.scope, attribute))
                    yield from members
                    if not members:
                        yield from self._attributes(value.scope, attribute)
                case _:
                    held = isinstance(base, ast.Name) and base.id in OPTION_HOLDERS and attribute in self.options
                    yield self._option(attribute) if held else Value(Sort.NAME, f"{_UNRESOLVED}.{attribute}")

    def _option(self, attribute: str) -> Value:
        origin, literal = self.options[attribute]
        return Value(Sort.CONSTANT, literal=literal, origin=origin) if origin is not Origin.UNKNOWN else UNKNOWN

    def _members(self, scope: Scope, name: str, depth: int = 0) -> Iterator[Value]:
        """A method or class attribute, looked up in a class of this file and its bases in this file."""
        if name in scope.bindings:
            yield from self._bound(scope.bindings[name][-1])
            return
        if not isinstance(scope.node, ast.ClassDef) or scope.here is None or depth > 8:
            return
        for base in scope.node.bases:
            for value in self.values(base, scope.here):
                if value.sort is Sort.OWN and value.scope is not None:
                    yield from self._members(value.scope, name, depth + 1)

    def _attributes(self, scope: Scope, name: str) -> Iterator[Value]:
        """What the methods of a class assign to an attribute of ``self``."""
        for binding in scope.attributes.get(name, ()):
            yield from self._bound(binding)
        if name not in scope.attributes:
            yield Value(Sort.NAME, f"{_UNRESOLVED}.{name}")

    def _given_by(self, node: ast.Call, here: Here) -> Iterator[Value]:
        """What a call gives back: what a function of this file returns, an instance of its class, or an object made."""
        record = self.outline.by_node[id(node)]
        for value in self.values(node.func, here):
            if value.sort is Sort.OWN and value.scope is not None and value.scope.kind == "class":
                yield Value(Sort.INSTANCE, scope=value.scope)
            elif value.sort is Sort.OWN and value.scope is not None and value.scope.returns:
                for returned, inside in value.scope.returns:
                    yield from self.values(returned, inside)
            elif value.sort is Sort.NAME and value.name in ("os.path.join", "pathlib.Path", "str") and node.args:
                yield self._joined("/", node.args, here)
            elif value.sort is Sort.NAME and value.name == "super" and (owner := here.scope.enclosing_class()):
                yield from (Value(Sort.INSTANCE, scope=base) for base in self._bases(owner))
            else:
                yield Value(Sort.MADE, call=record)

    def _bases(self, scope: Scope) -> Iterator[Scope]:
        if isinstance(scope.node, ast.ClassDef) and scope.here is not None:
            for base in scope.node.bases:
                yield from (
                    each.scope for each in self.values(base, scope.here) if each.sort is Sort.OWN and each.scope
                )

    def _items(self, node: ast.expr, here: Here, index: int) -> Iterator[Value]:
        """Number `index` of what an expression unpacks to: a tuple, or what a function of this file returns."""
        match node:
            case ast.Tuple(elts=items) | ast.List(elts=items) if index < len(items):
                yield from self.values(items[index], here)
            case ast.Call(func=function):
                for value in self.values(function, here):
                    name = value.name
                    if value.sort is Sort.OWN and value.scope is not None and value.scope.returns:
                        for returned, inside in value.scope.returns:
                            if isinstance(returned, ast.Tuple):
                                yield from self._items(returned, inside, index)
                    elif value.sort is Sort.NAME and name.endswith(".parse_known_args") and index == 0:
                        yield Value(Sort.MADE, call=self.outline.by_node[id(node)])

    def _elements(self, node: ast.expr, here: Here) -> Iterator[Value]:
        """What iterating over an expression gives: the items of a list that is written or built up in this file."""
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items):
                for item in items:
                    yield from self.values(item, here)
            case ast.ListComp(elt=element):
                yield from self.values(element, here)
            case ast.Name(id=name):
                for appended in here.scope.appended.get(name, ()):
                    yield from self._bound(appended)
                for binding in here.scope.bindings.get(name, ()):
                    if binding.how == "value" and isinstance(binding.node, ast.List | ast.Tuple | ast.ListComp):
                        yield from self._elements(binding.node, binding.here)

    def _made_name(self, call: CallRecord) -> str:
        value = self.full_name(call.node.func, call.here)
        return value.name if value.sort is Sort.NAME else _written(call.node.func)

    def _joined(self, separator: str, parts: Iterable[ast.expr], here: Here) -> Value:
        words: list[str] = []
        for part in parts:
            origin, literal = self.constant(part, here)
            if origin is Origin.UNKNOWN or not isinstance(literal, str):
                return UNKNOWN
            words = [literal] if separator and literal.startswith("/") else [*words, literal]
        trimmed = [word.rstrip("/") if separator and word != "/" else word for word in words[:-1]]
        return Value(Sort.CONSTANT, literal=separator.join([*trimmed, *words[-1:]]), origin=Origin.LITERAL)


def _by_name(values: Iterable[Value]) -> Iterator[Value]:
    """Values that were reached through a name: a literal becomes a constant."""
    for value in values:
        yield value._replace(origin=Origin.CONSTANT) if value.origin is Origin.LITERAL else value


def _given(call: ast.Call, name: str, index: int) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if 0 <= index < len(call.args) and not any(isinstance(each, ast.Starred) for each in call.args[: index + 1]):
        return call.args[index]
    return None


def _unpacks(call: ast.Call) -> bool:
    return any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords)


def _written(node: ast.expr) -> str:
    """How a callee of unknown origin is named: as it is written if it is a bare name, else ``?.method``."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return f"{_UNRESOLVED}.{name}"
    return _UNRESOLVED
