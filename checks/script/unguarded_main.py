"""Child processes are started by a line that every child runs again when it imports the script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.script import Call, Kind, Runs, Script, read_script

from .process_starts import IMPORTING, Start, Starter, default_method, set_start_method, starts

if TYPE_CHECKING:
    from paddle_doctor.subjects.environment import Environment

PAGE = Page(
    code="PD101",
    name="unguarded-main",
    severity=Severity.ERROR,
    title=Text("Processes are started outside the main guard", '在 if __name__ == "__main__" 之外启动了子进程'),
    what=Text(
        'A line outside `if __name__ == "__main__":` starts child processes: it iterates over a DataLoader '
        "with workers, calls paddle.distributed.spawn, or uses multiprocessing.\n\nCreating a DataLoader there "
        "is harmless. Its workers start when it is iterated over.",
        '在 `if __name__ == "__main__":` 之外的代码会启动子进程：遍历带 worker 的 DataLoader、调用 '
        "paddle.distributed.spawn，或使用 multiprocessing。\n\n"
        "仅仅创建 DataLoader 没有问题，遍历它的时候才会启动 worker。",
    ),
    why=Text(
        "With the start methods spawn and forkserver a child imports the script again, reaches the same line, "
        "and fails with RuntimeError: An attempt has been made to start a new process before the current "
        "process has finished its bootstrapping phase. The parent then reports something else: SystemError: "
        "Blocking queue is killed (a DataLoader), Process 0 terminated with exit code 1 (spawn), "
        "BrokenProcessPool; multiprocessing.Pool keeps starting children that fail.\n\nWith fork, the default "
        "on Linux up to Python 3.13, nothing happens. paddle.distributed.spawn uses spawn on every platform. "
        "On Windows and macOS everything uses spawn, but Paddle's DataLoader ignores num_workers there. From "
        "Python 3.14 on the default on Linux is forkserver.",
        "在 spawn 和 forkserver 启动方式下，子进程会重新导入脚本，再次执行到同一行，于是抛出 RuntimeError: An "
        "attempt has been made to start a new process before the current process has finished its "
        "bootstrapping phase。父进程报告的却是另一句话：SystemError: Blocking queue is killed（DataLoader）、"
        "Process 0 terminated with exit code 1（spawn）、BrokenProcessPool；multiprocessing.Pool 则会不断重启失"
        "败的子进程。\n\nfork 方式（Linux 上 Python 3.13 及以前的默认方式）不受影响。paddle.distributed.spawn "
        "在任何平台上都使用 spawn。Windows 和 macOS 上一律使用 spawn，不过 Paddle 的 DataLoader 在那里会忽略 "
        "num_workers。从 Python 3.14 起，Linux 的默认方式是 forkserver。",
    ),
    cure=Text(
        'Put the code that starts processes into a function and call it under `if __name__ == "__main__":`. Classes '
        "and "
        "functions that the children need stay at the top level.",
        '把启动进程的代码放进函数，在 `if __name__ == "__main__":` 下调用。子进程用到的类和函数仍留在模块顶层。',
    ),
    since=Text("Paddle 2.6 to 3.3, PyTorch 1 and 2", "Paddle 2.6 至 3.3，PyTorch 1 和 2"),
    sources=(
        "measured: tests/checks/script/test_real_paddle.py (DataLoader, paddle.Model, paddle.distributed.spawn, fork)",
        "read: paddle/io/reader.py, DataLoader.__init__ (Windows and macOS), Paddle 3.3.1",
        "https://docs.python.org/3.14/whatsnew/3.14.html (forkserver by default on Linux)",
        "https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods",
    ),
)

BREAKS = Text(
    "{what} starts processes outside the main guard, and the start method is {method} ({reason}). Each "
    "child imports this file again, reaches this line too, and dies with RuntimeError (… has finished its "
    "bootstrapping phase).",
    '{what} 在 if __name__ == "__main__" 之外启动子进程，而启动方式是 {method}（{reason}）。每个子进程都'
    "会重新导入本文件、再次执行到这一行，随即以 RuntimeError（… has finished its bootstrapping phase）退出。",
)
MAY_BREAK = Text(
    "If {what} has workers here, they are started outside the main guard, and the start method is {method} "
    "({reason}): each child would import this file again and die with RuntimeError (… has finished its bootstrapping "
    "phase).",
    '如果 {what} 在此处带有 worker，它们就是在 if __name__ == "__main__" 之外启动的，而启动方式是 '
    "{method}（{reason}）：每个子进程都会重新导入本文件，以 RuntimeError（… has finished its bootstrapping "
    "phase）退出。",
)
IGNORED_HERE = Text(
    "{what} starts workers outside the main guard with the start method {method} ({reason}). On this platform Paddle "
    "ignores num_workers; on Linux each worker would die with RuntimeError (… has finished its bootstrapping phase).",
    '{what} 在 if __name__ == "__main__" 之外启动 worker，启动方式为 {method}（{reason}）。Paddle 在本平'
    "台上会忽略 num_workers；但在 Linux 上，每个 worker 都会以 RuntimeError（… has finished its "
    "bootstrapping phase）退出。",
)
HARMLESS = Text(
    "{what} starts workers outside the main guard. With fork, the default on Linux up to Python 3.13, that is "
    "harmless; with spawn, or forkserver (the default from Python 3.14 on), every worker would die at its start.",
    '{what} 在 if __name__ == "__main__" 之外启动 worker。用 fork（Linux 上 Python 3.13 及以前的默认方式）'
    "没有问题；若用 spawn，或 forkserver（Python 3.14 起的默认方式），每个 worker 一启动就会退出。",
)
ELSEWHERE = Text(
    "{what} starts processes outside the main guard. With fork, the default on Linux up to Python 3.13, that is "
    "harmless; on Windows and macOS, and from Python 3.14 on, every child would die at its start.",
    '{what} 在 if __name__ == "__main__" 之外启动子进程。用 fork（Linux 上 Python 3.13 及以前的默认方式）'
    "没有问题；但在 Windows 和 macOS 上，以及 Python 3.14 起，每个子进程一启动就会退出。",
)
SET_BY_SCRIPT = Text("set in line {line}", "由第 {line} 行设定")
SET_BY_CALL = Text("asked for by this call", "由该调用指定")
ALWAYS_SPAWN = Text("its default on every platform", "它在任何平台上的默认方式")
DEFAULT_HERE = Text("the default of this interpreter", "该解释器的默认方式")
SETS_METHOD = Text("the start method is set here", "此处设定了启动方式")
REACHED_FROM = Text("this runs at import and leads there", "导入时会执行这里，进而执行到上面那一行")
GUARD_IT = Text(
    'Start the processes under `if __name__ == "__main__":`.', '在 `if __name__ == "__main__":` 之下启动这些进程。'
)
GUARD = 'if __name__ == "__main__":\n    {call}\n'
FUNCTION = "def main():\n    {statement}\n\n\n" + GUARD.format(call="main()")


def _machine(platform: str, method: str) -> Environment:
    from paddle_doctor.subjects.environment import Environment, Interpreter

    interpreter = Interpreter(executable="python", python_version="3.14.0", start_method=method)
    return Environment(platform=platform, interpreter=interpreter)


LOOP = """\
from paddle.io import DataLoader

for batch in DataLoader(dataset, batch_size=8, num_workers=2):
    print(batch)
"""


def _fires() -> Iterator[Example]:
    set_first = "import multiprocessing as mp\nmp.set_start_method('spawn')\n"
    spawn = "import paddle.distributed as dist\n\ndef train(): ...\n\ndist.spawn(train, nprocs=2)\n"
    through = (
        "import paddle\nfrom paddle.distributed import spawn\n\ndef main():\n    spawn(print)\n\n"
        "if paddle.__version__:\n    main()\n"
    )
    pool = "from multiprocessing import Pool\nwith Pool(4) as pool:\n    pool.map(print, [1, 2])\n"
    yield Example(
        Text("paddle.distributed.spawn at the top level", "在顶层调用 paddle.distributed.spawn"),
        {"script": read_script(spawn, "train.py")},
    )
    yield Example(
        Text("spawn in a function that is called at import", "在导入时就被调用的函数里使用 spawn"),
        {"script": read_script(through, "train.py")},
    )
    yield Example(
        Text("a loop over workers after set_start_method", "先 set_start_method，再遍历带 worker 的 DataLoader"),
        {"script": read_script(set_first + LOOP, "eval.py")},
    )
    yield Example(
        Text("a loop over workers on Python 3.14", "在 Python 3.14 上遍历带 worker 的 DataLoader"),
        {"script": read_script(LOOP, "eval.py"), "environment": _machine("linux", "forkserver")},
    )
    yield Example(
        Text("a pool at the top level on Windows", "在 Windows 上于顶层使用进程池"),
        {"script": read_script(pool, "prepare.py"), "environment": _machine("win32", "spawn")},
    )


def _silent() -> Iterator[Example]:
    guarded = LOOP.replace("for batch", 'if "__main__" == __name__:\n  for batch')
    made_only = (
        "import multiprocessing\nfrom paddle.io import DataLoader\nmultiprocessing.set_start_method('spawn')\n"
        "loader = DataLoader(dataset, num_workers=2)\ndef main():\n    for batch in loader: ...\n"
        "if __name__ == '__main__':\n    main()\n"
    )
    returns = (
        "from paddle.distributed import spawn\ndef main():\n    if __name__ != '__main__':\n        return\n"
        "    spawn(print)\nmain()\n"
    )
    forked = "import paddle.distributed as dist\ndist.spawn(print, nprocs=2, start_method='fork')\n"
    yield Example(
        Text("the loop is guarded", '遍历处位于 if __name__ == "__main__" 之下'),
        {"script": read_script(guarded, "eval.py")},
    )
    yield Example(
        Text(
            "the loader is made at import, and used under the guard",
            '导入时创建 DataLoader，在 if __name__ == "__main__" 之下才遍历',
        ),
        {"script": read_script(made_only, "eval.py")},
    )
    yield Example(
        Text("the function returns in a child", "子进程中该函数直接返回"), {"script": read_script(returns, "train.py")}
    )
    yield Example(Text("no workers", "没有 worker"), {"script": read_script(LOOP.replace("=2", "=0"), "eval.py")})
    yield Example(
        Text("Paddle's loader on Windows has no workers", "Windows 上 Paddle 的 DataLoader 不使用 worker"),
        {"script": read_script(LOOP, "eval.py"), "environment": _machine("win32", "spawn")},
    )
    yield Example(Text("spawn by fork", "以 fork 方式调用 spawn"), {"script": read_script(forked, "train.py")})
    yield Example(
        Text("children do not import a notebook", "子进程不会导入 notebook"),
        {"script": Script(path="a.ipynb", kind=Kind.NOTEBOOK, calls=read_script("import a\na.b()", "a.py").calls)},
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def unguarded_main(script: Script, environment: Environment | None = None) -> Iterator[Finding]:
    """Judge each start of processes that a child would come to again."""
    if script.kind is Kind.NOTEBOOK:
        return
    for start in starts(script):
        if start.runs is Runs.IMPORT:
            yield from _judge(script, start, environment)


@dataclass(frozen=True, slots=True)
class _InForce:
    """The start method in force at a start (None: not known), how that is known, and the call that sets it."""

    method: str | None
    reason: Text
    setter: Call | None = None


def _judge(script: Script, start: Start, environment: Environment | None) -> Iterator[Finding]:
    force = _in_force(script, start, environment)
    paddle_loader = start.starter is Starter.PADDLE_LOADER
    if force.method in IMPORTING:
        if paddle_loader and environment is not None and environment.platform in ("win32", "darwin"):
            if force.setter is not None and start.known:
                yield _finding(script, start, force, IGNORED_HERE, Severity.WARNING)
        elif start.known:
            yield _finding(script, start, force, BREAKS, Severity.ERROR)
        else:
            yield _finding(script, start, force, MAY_BREAK, Severity.WARNING)
    elif start.known and force.setter is None and start.method is None:
        message, severity = (HARMLESS, Severity.INFO) if paddle_loader else (ELSEWHERE, Severity.WARNING)
        yield _finding(script, start, force, message, severity)


def _in_force(script: Script, start: Start, environment: Environment | None) -> _InForce:
    if start.method is not None:
        default = start.starter is Starter.SPAWN and start.method == "spawn"
        return _InForce(start.method, ALWAYS_SPAWN if default else SET_BY_CALL)
    setter = set_start_method(script, start.place)
    if setter is not None:
        method = setter.argument("method", 0)
        told = method.value if method is not None and isinstance(method.value, str) else None
        return _InForce(told, SET_BY_SCRIPT.fill(line=setter.place.line), setter)
    return _InForce(default_method(environment) if environment else None, DEFAULT_HERE)


def _finding(script: Script, start: Start, force: _InForce, message: Text, severity: Severity) -> Finding:
    entry = _entry(script, start.function)
    evidence: list[Evidence] = [script.quote(start.place)]
    if entry is not None:
        evidence.append(script.quote(entry.place, REACHED_FROM))
    if force.setter is not None:
        evidence.append(script.quote(force.setter.place, SETS_METHOD))
    certainty = Certainty.CERTAIN if start.sure else Certainty.LIKELY if start.known else Certainty.POSSIBLE
    return PAGE.finding(
        message.fill(what=start.what, method=force.method, reason=force.reason),
        severity=severity,
        certainty=certainty,
        location=script.location(start.place),
        evidence=evidence,
        fix=Fix(summary=GUARD_IT, code=_code((entry or start).place.text)),
    )


def _entry(script: Script, function: str) -> Call | None:
    """The call at the module level through which a function of the script is reached at import."""
    wanted, seen = [function], set[str]()
    while wanted:
        name = wanted.pop(0)
        seen.add(name)
        for call in script.calls:
            if call.local and call.runs is Runs.IMPORT and name in (call.name, f"{call.name}.__init__"):
                if not call.function:
                    return call
                if call.function not in seen:
                    wanted.append(call.function)
    return None


def _code(statement: str) -> str:
    if statement.endswith((":", "(", "[", "{", ",")):
        return FUNCTION.format(statement=f"{statement}\n        ..." if statement.endswith(":") else f"{statement} ...")
    return GUARD.format(call=statement)
