"""Which files of a folder are logs of a job, and what each of them is by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from paddle_doctor.core.errors import InputError, unreadable
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.joblog.model import Kind
from paddle_doctor.subjects.joblog.reading import what_binary

NOT_THERE = Text("There is no file or folder {path}.", "{path} 不存在。")
NO_LOGS = Text(
    "{path} holds no logs of a job. Give the folder that the launcher wrote (--log_dir, by "
    "default ./log), a log file, or -.",
    "{path} 中没有任务日志。请给出启动器写日志的目录（--log_dir，默认 ./log）、日志文件，或者用 - 从标准输入读取。",
)
NO_FILE = Text(
    "{path} is a pipe or a device, not a file. Give - to read what is piped in.",
    "{path} 是管道或设备，不是文件。若要读取管道中的内容，请用 -。",
)
NOT_TEXT = Text("{path} is not text: it looks like {what}.", "{path} 不是文本文件，看起来是：{what}。")
BINARY = Text("a binary file", "二进制文件")
PACKED = Text("a {what} archive; unpack it first", "{what} 压缩文件，请先解压")

STANDARD_INPUT = Path("-")
#: How deep below the given folder logs are looked for, and how many files are taken.
DEEPEST = 2
MOST_FILES = 20_000

_BY_NAME = (
    (Kind.WORKER, re.compile(r"^workerlog\.(?P<rank>\d{1,6})$")),
    (Kind.WORKER, re.compile(r"^default\.\w{1,40}\.(?P<rank>\d{1,6})\.log$")),
    (Kind.SERVER, re.compile(r"^(?:serverlog|server)\.(?P<rank>\d{1,6}|log)$")),
    (Kind.ENVIRONMENT, re.compile(r"^envlog\.(?P<rank>\d{1,6})$")),
    (Kind.ENVIRONMENT, re.compile(r"^backup_env\.(?P<rank>\d{1,6})\.json$")),
    (Kind.ENDPOINTS, re.compile(r"^endpoints\.log$")),
    (Kind.LAUNCHER, re.compile(r"^default\.\w{1,40}\.log$")),
)
_LOG_NAMES = re.compile(r"(?i)(?:\.(?:log|txt|out|err)(?:\.\d{1,4})?$|^(?:console|nohup|stdout|stderr|output)\b)")


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read; `rank` is the one that its name tells."""

    path: Path
    kind: Kind
    rank: int | None


def sources_of(paths: Sequence[Path]) -> list[Source]:
    """The files to read for these paths, in order, each once. Raises `InputError` for a path that gives none."""
    found: dict[str, Source] = {}
    for path in paths:
        for source in _sources_of(path):
            found.setdefault(str(source.path), source)
    return list(found.values())


def _sources_of(path: Path) -> list[Source]:
    if path == STANDARD_INPUT:
        return [Source(path, Kind.CONSOLE, None)]
    try:
        if path.is_dir():
            inside = [source for each in _walk(path, DEEPEST) if (source := _log_in_folder(each))]
            if not inside:
                raise InputError(NO_LOGS.fill(path=path))
            return sorted(inside[:MOST_FILES], key=_order)
        if not path.exists():
            raise InputError(NOT_THERE.fill(path=path))
        if not path.is_file():  # it would be opened twice, and who opens a pipe that nobody fills waits for ever
            raise InputError(NO_FILE.fill(path=path))
        _refuse_binary(path)
    except OSError as error:
        raise unreadable(error.filename or path, error) from error
    return [named(path)]


def named(path: Path) -> Source:
    """What a file is by its name; one that no launcher names so is a console's output."""
    return _named(path) or Source(path, Kind.CONSOLE, None)


def _walk(folder: Path, deeper: int) -> Iterator[Path]:
    for each in sorted(folder.iterdir()):
        if each.is_symlink() and each.is_dir():
            continue
        if each.is_dir():
            if deeper:
                yield from _walk(each, deeper - 1)
        elif each.is_file():
            yield each


def _log_in_folder(path: Path) -> Source | None:
    source = _named(path)
    if source is None and _LOG_NAMES.search(path.name):
        source = Source(path, Kind.CONSOLE, None)
    return source if source and what_binary(_head(path)) is None else None


def _named(path: Path) -> Source | None:
    for kind, pattern in _BY_NAME:
        if found := pattern.match(path.name):
            rank = found.groupdict().get("rank")
            return Source(path, kind, int(rank) if rank and rank.isdecimal() else None)
    return None


def _refuse_binary(path: Path) -> None:
    what = what_binary(_head(path))
    if what is not None:
        raise InputError(NOT_TEXT.fill(path=path, what=BINARY if what == "binary" else PACKED.fill(what=what)))


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(8192)


def _order(source: Source) -> tuple[str, int, int, str]:
    """Ranks in the order of their numbers, not of their names."""
    rank = -1 if source.rank is None else source.rank
    return str(source.path.parent), list(Kind).index(source.kind), rank, source.path.name
