"""What is known of a checkpoint file: its format, its tensors, what loading it would call, where it breaks off."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod

#: NumPy's own limit; no kind of file that we read has more.
MOST_DIMENSIONS = 64
#: No file holds more: a length beyond it is an error, not a file that was cut.
LONGEST_DATA = 1 << 48


class Format(Enum):
    """What a file is, told by its content, never by its name."""

    STATE_DICT = "paddle-state-dict"
    OPTIMIZER = "optimizer-state"
    NESTED = "nested"
    OTHER_PICKLE = "other-pickle"
    INFERENCE_PARAMS = "inference-params"
    INFERENCE_PROGRAM = "inference-program"
    SAFETENSORS = "safetensors"
    TORCH_ZIP = "torch-zip"
    TORCH_LEGACY = "torch-legacy"
    LFS_POINTER = "lfs-pointer"
    HTML = "html"
    XML = "xml"
    JSON = "json"
    TEXT = "text"
    GZIP = "gzip"
    ZIP = "zip"
    TAR = "tar"
    NUMPY = "numpy"
    HDF5 = "hdf5"
    ZEROS = "all-zeros"
    EMPTY = "empty"
    UNKNOWN = "unknown"


#: The formats that are pickles, whatever is inside.
PICKLES = frozenset({Format.STATE_DICT, Format.OPTIMIZER, Format.NESTED, Format.OTHER_PICKLE})


class Break(Enum):
    """Why a file could not be read to its end."""

    TRUNCATED = "truncated"
    UNKNOWN_OPCODE = "unknown-opcode"
    STACK_UNDERFLOW = "stack-underflow"
    UNKNOWN_MEMO = "unknown-memo"
    BAD_TEXT = "bad-text"
    BAD_LENGTH = "bad-length"
    BAD_OPERAND = "bad-operand"
    UNSUPPORTED_PROTOCOL = "unsupported-protocol"
    PERSISTENT_ID = "persistent-id"
    OUT_OF_BAND_BUFFER = "out-of-band-buffer"
    SIZE_MISMATCH = "size-mismatch"
    BAD_HEADER = "bad-header"
    TOO_MUCH = "too-much"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """A tensor as Paddle would load it. `key` is dotted where dicts are nested; `nbytes` counts the stored data.

    `dtype` is Paddle's name for it: what NumPy calls uint16 holds bfloat16, in every file that Paddle reads.
    """

    key: str
    shape: tuple[int, ...]
    dtype: str
    nbytes: int

    @property
    def elements(self) -> int:
        """The number of its elements; 1 for a scalar."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """An entry of a nested checkpoint's top level that holds tensors; `optimizer` if they are optimizer state."""

    key: str
    tensors: int
    optimizer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Something that loading the file would import or call and that is no known form; `text` quotes it, shortened.

    `opcode` is the pickle instruction that does it and `offset` that instruction's place in the file.
    """

    text: str
    opcode: str
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """Where reading had to end. `missing` is the least number of bytes that must have followed the end of the file.

    `last_key` is the last key whose value was begun before `offset`; `inside` tells that the break is within it.
    """

    kind: Break
    offset: int
    missing: int = 0
    last_key: str | None = None
    inside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A checkpoint file. `path` is as the user gave it; `size` is in bytes.

    `protocol` is that of the pickle, `numpy` the generation (1 or 2) whose names it uses; both None where they do not
    apply. `tensors` are those that were read before any damage. `root` is the kind of the outermost object
    (``dict``, ``list``, ``tensor``, ...). `named` tells that Paddle's table of parameter names is inside, which
    `paddle.save` adds to a state dict. `trailing` counts bytes behind the end of what is read. `first_line` quotes
    text that is no checkpoint; `lfs_size` is the size that a Git LFS pointer names.
    """

    path: str
    size: int
    format: Format
    protocol: int | None = None
    numpy: int | None = None
    root: str | None = None
    named: bool = False
    tensors: tuple[Tensor, ...] = ()
    branches: tuple[Branch, ...] = ()
    globals_used: tuple[str, ...] = ()
    suspicious: tuple[Call, ...] = ()
    damage: Damage | None = None
    trailing: int = 0
    first_line: str | None = None
    lfs_size: int | None = None

    @property
    def name(self) -> str:
        """The file's name without its folders, on any platform."""
        return self.path.replace("\\", "/").rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """What the name ends with, in lower case: ``.pdparams``."""
        dot = self.name.rfind(".")
        return self.name[dot:].lower() if dot > 0 else ""

    @property
    def stem(self) -> str:
        """The path without the suffix, for files to be written next to it."""
        return self.path[: -len(self.suffix)] if self.suffix else self.path

    @property
    def is_pickle(self) -> bool:
        """Whether `paddle.load` would unpickle it."""
        return self.format in PICKLES

    @property
    def nbytes(self) -> int:
        """The bytes of all tensors."""
        return sum(each.nbytes for each in self.tensors)

    @property
    def elements(self) -> int:
        """The elements of all tensors: the number of parameters and buffers."""
        return sum(each.elements for each in self.tensors)
