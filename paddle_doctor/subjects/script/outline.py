"""One walk over a syntax tree: its scopes and names, and every call, import and loop with what stands around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from paddle_doctor.subjects.script.guard import Restriction, branches
from paddle_doctor.subjects.script.scopes import Binding, CallRecord, Here, ImportRecord, Loop, Scope, SubscriptSet

#: Functions that end the process; what stands behind them in a block does not run.
_EXITS = frozenset({"exit", "quit", "_exit"})
#: In a long chain of elif only the first tests are remembered.
_TESTS_KEPT = 8


@dataclass(slots=True)
class Outline:
    """All that one walk over a module finds, in the order of the source."""

    module: Scope
    calls: list[CallRecord] = field(default_factory=list)
    imports: list[ImportRecord] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    subscript_sets: list[SubscriptSet] = field(default_factory=list)
    decorated: list[tuple[ast.expr, Here]] = field(default_factory=list)
    by_node: dict[int, CallRecord] = field(default_factory=dict)
    lambdas: dict[int, Scope] = field(default_factory=dict)


def outline(tree: ast.Module) -> Outline:
    """Walk the tree once."""
    walker = _Walker(Outline(Scope("module", "", tree)))
    walker.body(tree.body, Here(walker.result.module))
    return walker.result


class _Walker:
    def __init__(self, result: Outline) -> None:
        self.result = result
        self.blocks = 0

    # Statements

    def body(self, statements: Sequence[ast.stmt], here: Here) -> None:
        for statement in statements:
            self.statement(statement, here)
            if isinstance(statement, ast.If) and not statement.orelse and _leaves(statement.body):
                # Who comes past `if __name__ != "__main__": return` is the main process.
                here = _restricted(here, branches(statement.test)[1])

    def statement(self, node: ast.stmt, here: Here) -> None:  # noqa: C901 - one case for each statement
        match node:
            case ast.Expr(value=value):
                self.expression(value, here)
            case ast.If():
                self.conditional(node, here)
            case ast.For() | ast.AsyncFor():
                self.loop(node.target, node.iter, here)
                self.body(node.body, self.nested(here))
                self.body(node.orelse, self.nested(here))
            case ast.While(test=test, body=body, orelse=orelse):
                self.expression(test, here)
                self.body(body, self.nested(here))
                self.body(orelse, self.nested(here))
            case ast.With() | ast.AsyncWith():
                self.context(node, here)
            case ast.Try():
                self.attempt(node, here)
            case ast.Match():
                self.matched(node, here)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node, here)
            case ast.ClassDef():
                self.klass(node, here)
            case ast.Import() | ast.ImportFrom():
                self.imported(node, here)
            case _:
                self.simple(node, here)

    def simple(self, node: ast.stmt, here: Here) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self.expression(value, here)
                for target in targets:
                    self.bind(target, "value", value, here)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.expression(value, here)
                    self.bind(target, "value", value, here)
            case ast.AugAssign(target=target, value=value):
                self.expression(value, here)
                self.bind(target, "opaque", None, here)
            case ast.Return(value=value):
                if value is not None:
                    self.expression(value, here)
                    here.scope.returns.append((value, here))
            case ast.Global(names=names):
                here.scope.shared.update(dict.fromkeys(names, self.result.module))
            case ast.Nonlocal(names=names):
                here.scope.shared.update(dict.fromkeys(names, here.scope.parent or self.result.module))
            case _:
                self.others(node, here)

    def others(self, node: ast.stmt, here: Here) -> None:
        """Statements without a meaning of their own here (``try``/``except*``, ``assert``, ``del``, ``type``)."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expression(child, here)
            elif isinstance(child, ast.stmt):
                self.statement(child, self.nested(here))
            elif isinstance(child, ast.ExceptHandler):
                self.body(child.body, self.nested(here))

    def context(self, node: ast.With | ast.AsyncWith, here: Here) -> None:
        for item in node.items:
            self.expression(item.context_expr, here)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, "value", item.context_expr, here)
        self.body(node.body, here)

    def matched(self, node: ast.Match, here: Here) -> None:
        self.expression(node.subject, here)
        for case in node.cases:
            if case.guard is not None:
                self.expression(case.guard, here)
            self.body(case.body, self.nested(here, node.subject))

    def conditional(self, node: ast.If, here: Here) -> None:
        outside = here
        while True:  # a chain of elif is as long as it likes, so neither recursion nor ever deeper blocks
            self.expression(node.test, here)
            then, otherwise = branches(node.test)
            self.body(node.body, _restricted(self.nested(here, node.test, then), then))
            here = _restricted(self.nested(here, node.test, otherwise), otherwise)
            here = here._replace(block=self.nested(outside).block, tests=here.tests[:_TESTS_KEPT])
            match node.orelse:
                case [ast.If() as node]:
                    here = here._replace(block=outside.block)
                    continue
            self.body(node.orelse, here)
            return

    def attempt(self, node: ast.Try, here: Here) -> None:
        caught = frozenset(name for handler in node.handlers for name in _exception_names(handler.type))
        self.body(node.body, self.nested(here)._replace(caught=here.caught | caught))
        for handler in node.handlers:
            inside = self.nested(here)
            if handler.name:
                self.add(here.scope, handler.name, Binding("opaque", inside, _position(handler)))
            self.body(handler.body, inside)
        self.body(node.orelse, self.nested(here))
        self.body(node.finalbody, here)

    def loop(self, target: ast.expr, iterable: ast.expr, here: Here) -> None:
        self.expression(iterable, here)
        self.result.loops.append(Loop(iterable, here))
        self.bind(target, "element", iterable, here)

    def imported(self, node: ast.Import | ast.ImportFrom, here: Here) -> None:
        position = _position(node)
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                bound, target = (alias.asname, alias.name) if alias.asname else (first, first)
                self.add(here.scope, bound, Binding("import", here, position, target=target))
                self.result.imports.append(ImportRecord(node, alias.name, None, bound, 0, here))
            return
        module = node.module or ""
        for alias in node.names:
            self.result.imports.append(
                ImportRecord(node, module, alias.name, alias.asname or alias.name, node.level, here)
            )
            full = f"{'.' * node.level}{module}" + ("." if module else "") + alias.name
            if alias.name == "*":
                here.scope.stars.append(f"{'.' * node.level}{module}")
            else:
                self.add(here.scope, alias.asname or alias.name, Binding("import", here, position, target=full))

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, here: Here) -> None:
        scope = Scope("function", _dotted(here.scope, node.name), node, here)
        for decorator in node.decorator_list:
            self.expression(decorator, here)
            self.result.decorated.append((decorator, here))
        self.parameters(node.args, scope, here)
        self.add(here.scope, node.name, Binding("scope", here, _position(node), scope=scope))
        self.body(node.body, Here(scope))

    def klass(self, node: ast.ClassDef, here: Here) -> None:
        for each in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.expression(each, here)
        scope = Scope("class", _dotted(here.scope, node.name), node, here)
        self.add(here.scope, node.name, Binding("scope", here, _position(node), scope=scope))
        self.body(node.body, here._replace(scope=scope))

    def parameters(self, arguments: ast.arguments, scope: Scope, here: Here) -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.expression(default, here)
        names = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(names) - len(arguments.defaults)) + arguments.defaults
        inside = Here(scope)
        owner = scope.owner()
        for index, (name, default) in enumerate(zip(names, defaults, strict=True)):
            how = "self" if owner and index == 0 and _takes_self(scope.node) else "parameter"
            self.add(scope, name.arg, Binding(how, inside, _position(name), default, index, name.arg, owner))
        for name, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            self.add(scope, name.arg, Binding("parameter", inside, _position(name), default, -1, name.arg))
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                self.add(scope, rest.arg, Binding("opaque", inside, _position(rest)))

    # Names

    def bind(self, target: ast.expr, how: str, value: ast.expr | None, here: Here) -> None:
        position = (target.lineno, target.col_offset)
        match target:
            case ast.Name(id=name):
                self.add(here.scope, name, Binding(how, here, position, value))
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                if owner := _class_of(here.scope, name):
                    owner.attributes.setdefault(attribute, []).append(Binding(how, here, position, value))
            case ast.Attribute(value=value_of):
                self.expression(value_of, here)
            case ast.Subscript():
                self.expression(target.value, here)
                self.expression(target.slice, here)
                if value is not None:
                    self.result.subscript_sets.append(SubscriptSet(target, value, here))
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self.unpack(targets, how, value, here)
            case ast.Starred(value=inner):
                self.bind(inner, "opaque", None, here)

    def unpack(self, targets: list[ast.expr], how: str, value: ast.expr | None, here: Here) -> None:
        plain = how == "value" and value is not None and not any(isinstance(each, ast.Starred) for each in targets)
        for index, each in enumerate(targets):
            if plain and isinstance(each, ast.Name):
                position = (each.lineno, each.col_offset)
                self.add(here.scope, each.id, Binding("item", here, position, value, index))
            else:
                self.bind(each, "opaque", None, here)

    def add(self, scope: Scope, name: str, binding: Binding) -> None:
        scope.shared.get(name, scope).bindings.setdefault(name, []).append(binding)

    # Expressions

    def expression(self, root: ast.expr, here: Here) -> None:
        """Walk an expression of any depth without recursion, in the order of the source."""
        waiting: list[tuple[ast.AST, Here]] = [(root, here)]
        while waiting:
            node, here = waiting.pop()
            match node:
                case ast.Constant() | ast.Name():
                    continue
                case ast.Call():
                    self.call(node, here)
                case ast.Lambda():
                    scope = Scope("function", _dotted(here.scope, "<lambda>"), node, here)
                    self.parameters(node.args, scope, here)
                    self.result.lambdas[id(node)] = scope
                    scope.returns.append((node.body, Here(scope)))
                    waiting.append((node.body, Here(scope)))
                    continue
                case ast.NamedExpr(target=target, value=value):
                    self.bind(target, "value", value, here)
                case ast.IfExp(test=test, body=body, orelse=orelse):
                    then, otherwise = branches(test)
                    waiting.append((orelse, _restricted(self.nested(here, test, otherwise), otherwise)))
                    waiting.append((body, _restricted(self.nested(here, test, then), then)))
                    waiting.append((test, here))
                    continue
                case ast.BoolOp(values=[first, *others]):
                    inside = self.nested(here, first)
                    waiting.extend((each, inside) for each in reversed(others))
                    waiting.append((first, here))
                    continue
                case ast.comprehension(target=target, iter=iterable):
                    self.result.loops.append(Loop(iterable, here))
                    self.bind(target, "element", iterable, here)
            waiting.extend((child, here) for child in _children_backwards(node))

    def call(self, node: ast.Call, here: Here) -> None:
        record = CallRecord(node, here, len(self.result.calls))
        self.result.calls.append(record)
        self.result.by_node[id(node)] = record
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[item], keywords=[]):
                binding = Binding("value", here, _position(node), item)
                here.scope.appended.setdefault(name, []).append(binding)

    def nested(self, here: Here, test: ast.expr | None = None, branch: Restriction = Restriction.OPEN) -> Here:
        """A block inside; the test is remembered unless it is a guard, which says where and not whether it runs."""
        self.blocks += 1
        tests = here.tests if test is None or branch is not Restriction.OPEN else (*here.tests, test)
        return here._replace(block=(*here.block, self.blocks), tests=tests)


def _children_backwards(node: ast.AST) -> Iterator[ast.AST]:
    for name in reversed(node._fields):
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            yield value
        elif isinstance(value, list):
            yield from (each for each in reversed(value) if isinstance(each, ast.AST))


def _restricted(here: Here, restriction: Restriction) -> Here:
    return here if restriction <= here.restriction else here._replace(restriction=restriction)


def _leaves(body: list[ast.stmt]) -> bool:
    match body[-1]:
        case ast.Return() | ast.Raise() | ast.Continue():
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name in _EXITS
    return False


def _exception_names(kind: ast.expr | None) -> Iterator[str]:
    match kind:
        case None:
            yield "BaseException"
        case ast.Tuple(elts=kinds):
            for each in kinds:
                yield from _exception_names(each)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name


def _takes_self(node: ast.AST) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []
    return not any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in decorators)


def _class_of(scope: Scope, name: str) -> Scope | None:
    """The class that `name` is an instance of, where it is the first parameter of a method around."""
    around: Scope | None = scope
    while around is not None:
        first = around.bindings.get(name)
        if first and first[0].how == "self":
            return first[0].scope
        around = around.parent
    return None


def _dotted(scope: Scope, name: str) -> str:
    return f"{scope.name}.{name}" if scope.name else name


def _position(node: ast.stmt | ast.expr | ast.arg | ast.ExceptHandler) -> tuple[int, int]:
    return node.lineno, node.col_offset
