"""What is seen inside the job, appended to the events file as JSON lines."""

# pathlib would be imported into the job before its time.
# ruff: noqa: PTH100

from __future__ import annotations

import os
import sys
import time
from _json import encode_basestring_ascii as _quoted

TYPE_CHECKING = False  # not from typing, which a user's file may shadow
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, TypeVar

    Given = TypeVar("Given")

#: The variable that names the events file. Where it is not set, the shim does nothing.
EVENTS = "PADDLE_DOCTOR_EVENTS"

_FRAMES_KEPT = 40
_TEXT_KEPT = 4000
#: Batches are noted one by one up to this count, then at most every so many seconds.
_BATCHES_NOTED = 200
_SECONDS_BETWEEN = 0.05


class _Seen:
    """What this process has seen so far."""

    batches = 0
    last_noted = 0.0
    error: BaseException | None = None
    #: Which file an object came from: the id of what paddle.load gave, and of the values in it.
    origins: dict[int, str] = {}  # noqa: RUF012  one process, one record
    paths: list[str] = []  # noqa: RUF012


def wanted() -> bool:
    """Whether there is an events file to write to."""
    return bool(os.environ.get(EVENTS))


def note(event: str, **facts: object) -> None:
    """Append one event. Opened and closed each time: a descriptor held open would change the job's own numbers."""
    facts.update(event=event, pid=os.getpid(), time=time.time(), rank=os.environ.get("PADDLE_TRAINER_ID"))
    line = _encoded(facts).encode("ascii") + b"\n"
    try:
        file = os.open(os.environ[EVENTS], os.O_WRONLY | os.O_APPEND)
    except (OSError, KeyError):
        return  # the doctor has gone, or no descriptor is left: the job matters more than the note
    try:
        os.write(file, line)
    except OSError:
        return  # the disk is full: as above
    finally:
        os.close(file)


def _encoded(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_encoded(each) for each in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(_quoted(key) + ":" + _encoded(each) for key, each in value.items()) + "}"
    return _quoted(str(value))


def batch(data: Given) -> Given:
    """A DataLoader has delivered a batch; gives it on, as all notes on results do."""
    _Seen.batches += 1
    now = time.monotonic()
    if _Seen.batches <= _BATCHES_NOTED or now - _Seen.last_noted >= _SECONDS_BETWEEN:
        _Seen.last_noted = now
        note("batches", count=_Seen.batches)
    return data


def workers(loader: object) -> None:
    """A DataLoader starts worker processes."""
    note("workers", count=getattr(loader, "num_workers", None))


def load(path: object) -> None:
    """A checkpoint is about to be read; a file object has no path and is passed over."""
    name = _path(path)
    if name is not None:
        if name not in _Seen.paths:
            _Seen.paths.append(name)
        note("load", path=name)


def load_model(path: object) -> None:
    """``paddle.Model.load`` is about to read its parameters; the suffix may be left out."""
    name = _path(path)
    if name is not None:
        load(name if name.endswith(".pdparams") else name + ".pdparams")


def download(url: object) -> None:
    """Pretrained weights are asked for by their URL."""
    note("download", url=url)


def loaded(value: Given, path: object) -> Given:
    """A checkpoint was read; remember what came out of it, so that set_state_dict can be told where it got it from."""
    name = _path(path)
    if name is not None:
        _Seen.origins[id(value)] = name
        if isinstance(value, dict):
            _Seen.origins.update((id(each), name) for each in value.values() if isinstance(each, dict))
    return value


def state_set(answer: Given, layer: object, state_dict: Any) -> Given:
    """What ``set_state_dict`` answered: (missing keys, unexpected keys); older versions of Paddle give nothing."""
    if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(state_dict, dict)):
        return answer
    missing, unexpected = answer
    path = _Seen.origins.get(id(state_dict))
    if path is None and len(_Seen.paths) == 1:
        path = _Seen.paths[0]
    note(
        "state_set",
        path=path,
        layer=type(layer).__name__,
        missing=len(missing),
        unexpected=len(unexpected),
        matched=len(state_dict) - len(unexpected),
        example_missing=list(missing[:3]),
        example_unexpected=list(unexpected[:3]),
    )
    return answer


def _path(path: Any) -> str | None:
    try:
        return os.path.abspath(os.fsdecode(path))
    except (TypeError, ValueError):
        return None


def raised(kind: type, value: BaseException | None, trace: TracebackType | None, *, thread: bool) -> None:
    """An exception that nobody caught, with its last frames, outermost first."""
    if value is None or value is _Seen.error:
        return
    _Seen.error = value
    frames = []
    stands_still = False
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append([code.co_filename, trace.tb_lineno, code.co_name])
        if code.co_name == "_thread_loop":
            owner = type(trace.tb_frame.f_locals.get("self")).__name__
            # Nobody tells the main process that this thread is gone: it waits for its batch for ever.
            stands_still = owner == "_DataLoaderIterSingleProcess"
        trace = trace.tb_next
    try:
        message = value.args[0] if isinstance(value, KeyError) and _is_text(value.args) else str(value)
    except Exception:  # noqa: BLE001  the user's own __str__; whatever it does, the job goes on
        message = ""
    if len(message) > 2 * _TEXT_KEPT:
        message = message[:_TEXT_KEPT] + "\n...\n" + message[-_TEXT_KEPT:]
    note(
        "raised",
        type=kind.__name__,
        message=message,
        frames=frames[-_FRAMES_KEPT:],
        thread=thread,
        stands_still=stands_still,
    )


def _is_text(args: tuple[object, ...]) -> bool:
    """Whether a KeyError holds one text, which its str() would show with every line end escaped."""
    return len(args) == 1 and isinstance(args[0], str) and "\n" in args[0]


def at_exit() -> None:
    """The interpreter ends; an exception that ended it has been printed and is remembered in sys."""
    value = getattr(sys, "last_value", None)
    if value is not None:
        raised(type(value), value, value.__traceback__, thread=False)


def watch_threads() -> None:
    """Note what ends a thread; Python 3.8 and later can tell. Called when the loader, and so threading, is in use."""
    threading: Any = sys.modules.get("threading")
    hook = getattr(threading, "excepthook", None)
    if hook is None:
        return

    def excepthook(args: Any) -> None:
        hook(args)
        raised(args.exc_type, args.exc_value, args.exc_traceback, thread=True)

    threading.excepthook = excepthook
