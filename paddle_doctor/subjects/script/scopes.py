"""What one walk over a syntax tree notes: scopes with what is bound in them, calls, imports, loops, assignments."""

from __future__ import annotations

import ast
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

from paddle_doctor.subjects.script.guard import Restriction

#: A name with more bindings than this that may all hold is not known anyway.
_BINDINGS = 16
_CATCH_ALL = frozenset({"Exception", "BaseException"})


@dataclass(slots=True, eq=False)
class Scope:
    """A module, function or class: the names bound in it, and for a class the attributes that its methods set.

    `here` is where it is defined (None for the module). `appended` are the items appended to lists, by the list's name.
    `shared` are names declared ``global`` or ``nonlocal``, with the scope that they belong to. `stars` are the modules
    of which everything is imported.
    """

    kind: str
    name: str
    node: ast.AST
    here: Here | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    attributes: dict[str, list[Binding]] = field(default_factory=dict)
    appended: dict[str, list[Binding]] = field(default_factory=dict)
    returns: list[tuple[ast.expr, Here]] = field(default_factory=list)
    shared: dict[str, Scope] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    @property
    def parent(self) -> Scope | None:
        """The scope that it is defined in."""
        return self.here.scope if self.here else None

    def owner(self) -> Scope | None:
        """The class whose method this is."""
        parent = self.parent
        return parent if self.kind == "function" and parent and parent.kind == "class" else None

    def enclosing_class(self) -> Scope | None:
        """The nearest class around, or this one."""
        around: Scope | None = self
        while around is not None and around.kind != "class":
            around = around.parent
        return around

    def visible(self, name: str, here: Here, position: tuple[int, int]) -> list[Binding]:
        """The bindings of a name that can hold at a place: none that a later one on every way there replaces."""
        bindings = self.bindings[name]
        own = here.scope is self
        # Bindings stand in the order of the source, so those before the place are found without looking at all.
        end = bisect_left(bindings, position, key=lambda each: each.position) if own else len(bindings)
        block = here.block if own else ()
        found: list[Binding] = []
        for index in range((end or len(bindings)) - 1, -1, -1):
            binding = bindings[index]
            found.append(binding)
            replaces = binding.here.scope is self and binding.here.block == block[: len(binding.here.block)]
            if replaces or len(found) > _BINDINGS:
                break
        return found[::-1]


class Here(NamedTuple):
    """Where the walk stands: scope, nested blocks, what the guards around allow, conditions, what is caught."""

    scope: Scope
    block: tuple[int, ...] = ()
    restriction: Restriction = Restriction.OPEN
    tests: tuple[ast.expr, ...] = ()
    caught: frozenset[str] = frozenset()

    def catches(self, *exceptions: str) -> bool:
        """Whether a handler around catches one of these exceptions."""
        return bool(self.caught & (_CATCH_ALL | frozenset(exceptions)))


class Binding(NamedTuple):
    """Something bound to a name.

    `how` is ``value`` (of the expression), ``item`` (number `number` of what it unpacks to), ``element`` (of iterating
    over it), ``import`` (the full name `target`), ``scope`` (a function or class of this file), ``parameter``, ``self``
    or ``opaque``.
    """

    how: str
    here: Here
    position: tuple[int, int]
    node: ast.expr | None = None
    number: int = 0
    target: str = ""
    scope: Scope | None = None


@dataclass(slots=True, eq=False)
class CallRecord:
    """A call in the source; the index is its place in `Outline.calls`."""

    node: ast.Call
    here: Here
    index: int


class ImportRecord(NamedTuple):
    """One name of an import statement."""

    node: ast.Import | ast.ImportFrom
    module: str
    name: str | None
    alias: str
    level: int
    here: Here


class Loop(NamedTuple):
    """An expression that is iterated over."""

    node: ast.expr
    here: Here


class SubscriptSet(NamedTuple):
    """An assignment to an item, such as ``os.environ["A"] = "1"``."""

    target: ast.Subscript
    value: ast.expr
    here: Here
