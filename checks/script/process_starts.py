"""Where a script starts child processes, and by which start method: what the checks of start-up reason from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from paddle_doctor.subjects.script import Argument, Call, Iteration, Origin, Place, Runs, Script

if TYPE_CHECKING:
    from paddle_doctor.subjects.environment import Environment

#: Start methods whose children import the script again.
IMPORTING = ("spawn", "forkserver")

_PADDLE_LOADER, _TORCH_LOADER = "paddle.io.DataLoader", "torch.utils.data.DataLoader"
#: Where `num_workers` stands among the positional arguments (Paddle 2.0 to 3.3, PyTorch 2).
_WORKERS_AT = {_PADDLE_LOADER: 9, _TORCH_LOADER: 5}
_HIGH_LEVEL = ("paddle.Model.fit", "paddle.Model.evaluate", "paddle.Model.predict")
_SPAWNS = ("paddle.distributed.spawn", "torch.multiprocessing.spawn", "torch.multiprocessing.start_processes")
_CONTEXT = "multiprocessing.get_context"
#: Calls that start processes at once; the executor starts its own when it gets work.
_STARTERS = (
    "multiprocessing.Pool",
    "multiprocessing.Manager",
    "multiprocessing.Process.start",
    f"{_CONTEXT}.Pool",
    f"{_CONTEXT}.Manager",
    f"{_CONTEXT}.Process.start",
    "concurrent.futures.ProcessPoolExecutor.submit",
    "concurrent.futures.ProcessPoolExecutor.map",
)


class Starter(Enum):
    """What starts the processes."""

    PADDLE_LOADER = "paddle-loader"
    SPAWN = "spawn"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A place at which processes are started.

    `what` is the code to name it by, `runs` when. `method` is the start method that the call itself asks for. `sure`:
    nothing but the script's text decides that it happens; `known`: that there are processes to start is known at all.
    """

    starter: Starter
    what: str
    place: Place
    runs: Runs
    function: str
    method: str | None = None
    sure: bool = True
    known: bool = True


def starts(script: Script) -> Iterator[Start]:
    """Every start of processes that the script's text shows, in no order; a loader once, however often it is used."""
    yield from _loaders(script)
    for _, call in script.calls_of(*_HIGH_LEVEL):
        yield from _high_level(script, call)
    for _, call in script.calls_of(*_SPAWNS):
        method = call.argument("start_method")
        if method is None and not call.unpacks:
            yield _start(Starter.SPAWN, call.name, call, method="spawn")
        elif method is not None and isinstance(method.value, str):
            yield _start(Starter.SPAWN, call.name, call, method=method.value)
    for _, call in script.calls_of(*_STARTERS):
        what = call.name.replace("get_context.", "").removesuffix(".start")
        yield _start(Starter.OTHER, what, call, method=_method_of_context(script, call))


def set_start_method(script: Script, before: Place) -> Call | None:
    """The call of ``set_start_method`` that is in force at a place, if the script makes one before it."""
    calls = [
        call
        for _, call in script.calls_of("multiprocessing.set_start_method")
        if call.runs in (Runs.IMPORT, Runs.MAIN) and (call.function or call.place.line < before.line)
    ]
    return calls[-1] if calls else None


def default_method(environment: Environment) -> str | None:
    """The start method that the job's interpreter takes by itself; None where it cannot be known."""
    interpreter = environment.interpreter
    if interpreter is not None and interpreter.start_method:
        return interpreter.start_method
    if environment.platform in ("win32", "darwin"):
        return "spawn"
    return None


def _loaders(script: Script) -> Iterator[Start]:
    seen: set[int] = set()
    for use in script.iterations:
        call = script.calls[use.made_by]
        if call.name in _WORKERS_AT and use.runs is not Runs.NEVER and use.made_by not in seen:
            seen.add(use.made_by)
            yield from _loader(call, use)


def _loader(call: Call, use: Iteration | Call) -> Iterator[Start]:
    workers = call.argument("num_workers", _WORKERS_AT[call.name])
    if not _many(workers, call):
        return
    context = call.argument("multiprocessing_context")
    yield Start(
        starter=Starter.PADDLE_LOADER if call.name == _PADDLE_LOADER else Starter.OTHER,
        what=_named(call.name, workers),
        place=use.place,
        runs=use.runs,
        function=use.function,
        method=context.value if context is not None and isinstance(context.value, str) else None,
        sure=_sure(workers) and not use.conditions and not call.conditions,
        known=workers is not None and workers.known,
    )


def _high_level(script: Script, call: Call) -> Iterator[Start]:
    for argument in call.arguments[:2]:
        if argument.made_by is not None and script.calls[argument.made_by].name in _WORKERS_AT:
            yield from _loader(script.calls[argument.made_by], call)
    workers = call.argument("num_workers")
    if workers is not None and _many(workers, call):
        what = _named(call.name, workers)
        yield _start(Starter.PADDLE_LOADER, what, call, sure=_sure(workers), known=workers.known)


def _start(
    starter: Starter, what: str, call: Call, *, method: str | None = None, sure: bool = True, known: bool = True
) -> Start:
    return Start(
        starter=starter,
        what=what,
        place=call.place,
        runs=call.runs,
        function=call.function,
        method=method,
        sure=sure and not call.conditions,
        known=known,
    )


def _many(workers: Argument | None, call: Call) -> bool:
    """Whether there are workers, or may be some."""
    if workers is None:
        return call.unpacks
    return not workers.known or (isinstance(workers.value, int) and workers.value > 0)


def _sure(workers: Argument | None) -> bool:
    return workers is not None and workers.origin in (Origin.LITERAL, Origin.CONSTANT)


def _named(name: str, workers: Argument | None) -> str:
    return f"{name}(num_workers={workers.value})" if workers is not None and workers.known else name


def _method_of_context(script: Script, call: Call) -> str | None:
    """What ``get_context`` was asked for, where the processes come from a context of their own."""
    while call.name != _CONTEXT:
        context = call.argument("mp_context")
        maker = context.made_by if context is not None else call.receiver
        if maker is None or script.calls[maker] is call:
            return None
        call = script.calls[maker]
    method = call.argument("method", 0)
    return method.value if method is not None and isinstance(method.value, str) else None
