"""When a piece of a script runs: at import, only in the process started with the file, or only if it is called."""

from __future__ import annotations

from paddle_doctor.subjects.script.guard import Restriction
from paddle_doctor.subjects.script.model import Runs
from paddle_doctor.subjects.script.names import Names
from paddle_doctor.subjects.script.outline import Outline
from paddle_doctor.subjects.script.scopes import Here, Scope

_SOONEST = (Runs.CALLED, Runs.MAIN, Runs.IMPORT)

#: Functions that call the function they are given, at once and in this process.
_RUNNERS = frozenset({"absl.app.run", "fire.Fire", "typer.run", "asyncio.run", "tyro.cli"})


class Moments:
    """When the functions of a script are called, transitively from the module level."""

    def __init__(self, outline: Outline, names: Names) -> None:
        self._functions: dict[Scope, Runs] = {}
        edges: dict[Scope, list[tuple[Here, Scope]]] = {}
        for caller, callee in _edges(outline, names):
            edges.setdefault(_frame(caller.scope), []).append((caller, callee))
        waiting = [outline.module]
        while waiting:
            for caller, callee in edges.get(waiting.pop(), ()):
                runs = self.of(caller)
                if runs is Runs.NEVER or _rank(runs) <= _rank(self._functions.get(callee, Runs.CALLED)):
                    continue
                self._functions[callee] = runs
                waiting.append(callee)

    def of(self, here: Here) -> Runs:
        """When what stands there runs."""
        return self.through(self.frame(here), here)

    def frame(self, here: Here) -> Runs:
        """When the function (or module) that it stands in is called."""
        scope = here.scope
        if scope.kind == "module":
            return Runs.IMPORT
        if scope.kind == "class" and scope.here is not None:
            return self.of(scope.here)
        return self._functions.get(scope, Runs.CALLED)

    def through(self, frame: Runs, here: Here) -> Runs:
        """When it runs if its function is called at that moment; guards in the function count."""
        if here.restriction is Restriction.NEVER or frame is Runs.NEVER:
            return Runs.NEVER
        if here.restriction is Restriction.MAIN and frame is Runs.IMPORT:
            return Runs.MAIN
        return frame


def _rank(runs: Runs) -> int:
    return _SOONEST.index(runs)


def _frame(scope: Scope) -> Scope:
    """The function or module in whose run the body of a scope runs: a class's body runs where the class is defined."""
    while scope.kind == "class" and scope.here is not None:
        scope = scope.here.scope
    return scope


def _edges(outline: Outline, names: Names) -> list[tuple[Here, Scope]]:
    """Who calls which function of the file, from where."""
    edges = [
        (record.here, callee)
        for record in outline.calls
        for callee in names.own_functions(record.node.func, record.here)
    ]
    for decorator, here in outline.decorated:
        edges.extend((here, callee) for callee in names.own_functions(decorator, here))
    for record in outline.calls:
        if record.node.args and names.called(record).name in _RUNNERS:
            edges.extend((record.here, callee) for callee in names.own_functions(record.node.args[0], record.here))
    return edges
