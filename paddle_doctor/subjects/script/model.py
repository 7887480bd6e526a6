"""What is known of a script: imports and calls under their full names, when each runs, what is wrong with its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from paddle_doctor.core.finding import Evidence, Location
from paddle_doctor.core.language import Text


class Runs(Enum):
    """When a piece of a script runs.

    `IMPORT`: whenever the file is run or imported, so also in every child process that ``spawn`` or ``forkserver``
    starts, since such a child imports the file again. `MAIN`: only in the process that was started with the file, under
    ``if __name__ == "__main__"``. `CALLED`: in a function that nothing reached from the module level calls by name.
    `NEVER`: under a condition that is always false, such as ``TYPE_CHECKING``.
    """

    IMPORT = "import"
    MAIN = "main"
    CALLED = "called"
    NEVER = "never"


class Origin(Enum):
    """How a value is known: written in place, followed through names, the default of an option, or not at all."""

    LITERAL = "literal"
    CONSTANT = "constant"
    DEFAULT = "default"
    UNKNOWN = "unknown"


class Kind(Enum):
    """What kind of file a script is."""

    PYTHON = "python"
    NOTEBOOK = "notebook"


class FaultKind(Enum):
    """Why a text cannot be run as Python."""

    SYNTAX = "syntax"
    PYTHON2 = "python2"
    ENCODING = "encoding"
    NUL = "nul"
    TOO_DEEP = "too-deep"
    NOTEBOOK = "notebook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A stretch of the file: lines and columns from 1, in characters, the end exclusive.

    In a notebook `line` and `column` are those of the .ipynb file and `cell` counts its cells from 1. `text` is the
    first line of the stretch as it is written, shortened, secrets hidden.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why the text cannot be run; `message` is Python's own word, `grammar` the Python version that was asked."""

    kind: FaultKind
    message: str
    place: Place
    grammar: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """A module that is imported: ``module`` alone, or ``name`` from it (``*`` for all).

    `level` counts the dots of a relative import. `in_try`: a handler around it catches its failure. `conditional`: it
    stands under an ``if``, a loop or the like.
    """

    module: str
    name: str | None
    alias: str
    level: int
    place: Place
    runs: Runs
    in_try: bool = False
    conditional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of a call. `keyword` is None for one given by position, ``*`` and ``**`` for unpacked ones.

    `value` is meaningful unless `origin` is UNKNOWN. `names` is the full name of what the argument refers to (a
    function that is handed over), `made_by` the index of the call that made the object.
    """

    keyword: str | None = None
    origin: Origin = Origin.UNKNOWN
    value: str | int | float | bool | None = None
    names: str | None = None
    made_by: int | None = None

    @property
    def known(self) -> bool:
        """Whether the value is known."""
        return self.origin is not Origin.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call under its full name (``paddle.io.DataLoader``), whatever it is imported as.

    A method of an object that another call made is named after that call (``multiprocessing.Process.start``), whose
    index is `receiver`; a method of an object of unknown origin is ``?.method``. `local` is the script's own function
    or class. `function` is the one that it stands in ('' at the module level), `conditions` are the tests of the ``if``
    around it in there. `in_try`: a handler around it catches what it may raise.
    """

    name: str
    place: Place
    runs: Runs
    arguments: tuple[Argument, ...] = ()
    receiver: int | None = None
    local: bool = False
    function: str = ""
    conditions: tuple[str, ...] = ()
    in_try: bool = False

    def argument(self, keyword: str, position: int | None = None) -> Argument | None:
        """The argument with that keyword or at that position (from 0); None if it is not given by either."""
        positional = [each for each in self.arguments if each.keyword in (None, "*")]
        for each in self.arguments:
            if each.keyword == keyword:
                return each
        if position is not None and position < len(positional):
            before = positional[: position + 1]
            return before[-1] if all(each.keyword is None for each in before) else None
        return None

    @property
    def unpacks(self) -> bool:
        """Whether arguments may be hidden in ``*args`` or ``**kwargs``."""
        return any(each.keyword in ("*", "**") for each in self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """An object is iterated over, which starts the workers of a DataLoader; `made_by` is the call that made it.

    `function` and `conditions` are as in `Call`.
    """

    made_by: int
    place: Place
    runs: Runs
    function: str = ""
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableChange:
    """An environment variable is set by the script. `default`: only if it is not set yet (``setdefault``)."""

    variable: str
    origin: Origin
    value: str | int | float | bool | None
    place: Place
    runs: Runs
    default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointLoad:
    """A file of weights that the script loads by a literal path; `call` is the index of the call that loads it.

    `looked` says whether the file was looked for; `found` is where it is, seen from the working folder, then from the
    script's folder; None if it is in neither.
    """

    path: str
    call: int
    looked: bool = False
    found: str | None = None
    is_folder: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A Python file or notebook, read and not run.

    `fault` is why it cannot be run; the other facts are empty then. `neighbours` are the imported modules that the
    project itself holds: next to the file, in the working folder, or in a folder of the project above. `changes_path`:
    the script changes where Python looks for modules.
    """

    path: str
    kind: Kind = Kind.PYTHON
    lines: int = 0
    fault: Fault | None = None
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    iterations: tuple[Iteration, ...] = ()
    variables: tuple[VariableChange, ...] = ()
    checkpoints: tuple[CheckpointLoad, ...] = ()
    neighbours: tuple[str, ...] = ()
    changes_path: bool = False

    def calls_of(self, *names: str) -> Iterator[tuple[int, Call]]:
        """The calls of functions and classes with these full names, each with its index."""
        return ((index, call) for index, call in enumerate(self.calls) if call.name in names)

    def location(self, place: Place) -> Location:
        """The place as a finding names it."""
        return Location(
            path=self.path,
            line=place.line,
            column=place.column,
            end_line=place.end_line,
            end_column=place.end_column,
            cell=place.cell,
        )

    def quote(self, place: Place, note: Text | None = None) -> Evidence:
        """The line at that place, as evidence."""
        return Evidence(text=place.text, path=self.path, line=place.line, note=note)

    def foreign_modules(self) -> tuple[str, ...]:
        """The first parts of the names of the imported modules that are not the project's own, sorted."""
        names = {each.module.partition(".")[0] for each in self.imports if not each.level}
        return tuple(sorted(names - {"", "__main__"} - set(self.neighbours)))
