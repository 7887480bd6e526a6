"""The inert pickle machine: the stack, the memo and the file of a pickle that is followed, not loaded.

It is a real stack and memo machine over every instruction of protocols 0 to 5 (`pickle_opcodes`), so that what it sees
is what unpickling would see: a name fetched from the memo, a second PROTO, a call behind which the stream is broken.
It imports nothing and calls nothing: in place of objects it makes inert nodes (`pickle_nodes`), and it passes over
data. Every instruction costs constant time and memory, and there are limits to their number and to what is kept.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import BinaryIO

from paddle_doctor.subjects.checkpoint import known_forms
from paddle_doctor.subjects.checkpoint.model import LONGEST_DATA, Break
from paddle_doctor.subjects.checkpoint.pickle_nodes import Call, Dict, Encoding, Global, Node, Set, Span

#: A tensor takes some 35 instructions and 10 nodes.
MOST_INSTRUCTIONS = 2_000_000
MOST_NODES = 500_000
#: Longer values stay in the file. Keys are shorter, and a global's name that is longer is none.
LONGEST_VALUE = 1024
LONGEST_LINE = 1 << 16
MOST_TEXT = 1 << 25
MOST_SUSPICIOUS = 50


class Broken(Exception):  # noqa: N818 - a state of the pickle, not an error of ours
    """The pickle cannot be followed any further."""

    def __init__(self, why: Break, missing: int = 0) -> None:
        super().__init__(why.value)
        self.why = why
        self.missing = missing


@dataclass(slots=True, eq=False)
class Machine:
    """The state of a pickle that is being followed in `file`, which holds `size` bytes.

    When it has ended well, `complete` is true and `root` the object. Else `broken` says why, the last instruction
    began at `offset`, and the unfinished values are on the stack. `position` is where reading ended. `suspicious` are
    the first places that do something in no known form: offset, instruction and what it is done to.
    """

    file: BinaryIO
    size: int
    position: int = 0
    offset: int = 0
    protocol: int | None = None
    frame_end: int = 0
    root: Node = None
    complete: bool = False
    broken: Broken | None = None
    stack: list[Node] = field(default_factory=list)
    below_marks: list[list[Node]] = field(default_factory=list)
    memo: dict[int, Node] = field(default_factory=dict)
    globals: list[Global] = field(default_factory=list)
    accepted: set[int] = field(default_factory=set)
    suspicious: list[tuple[int, str, Node]] = field(default_factory=list)
    room: int = field(default_factory=lambda: MOST_NODES)
    text_room: int = field(default_factory=lambda: MOST_TEXT)

    # The file.

    def take(self, count: int) -> bytes:
        """The next bytes, of which there are few."""
        data = self.file.read(count)
        if len(data) < count:
            raise Broken(Break.TRUNCATED, count - len(data))
        self.position += count
        return data

    def number(self, form: struct.Struct) -> int:
        """The next number of a fixed form."""
        return int(form.unpack(self.take(form.size))[0])

    def length(self, form: struct.Struct) -> int:
        """The length that stands before data."""
        length = self.number(form)
        if not 0 <= length <= LONGEST_DATA:
            raise Broken(Break.BAD_LENGTH)
        return length

    def line(self) -> bytes | Span:
        """What stands before the next newline; a `Span` if it is long."""
        start, data = self.position, b"\n"
        while self.position == start or not data.endswith(b"\n"):
            data = self.file.readline(LONGEST_LINE)
            if not data:
                raise Broken(Break.TRUNCATED, 1)
            self.position += len(data)
        length = self.position - start - 1
        if length > LONGEST_VALUE:
            return Span(start, length, Encoding.ESCAPED)
        self.keep(length)
        return data[:-1]

    def data(self, length: int, encoding: Encoding) -> bytes | Span:
        """The next bytes; a `Span` if there are many: then they are passed over."""
        if length <= LONGEST_VALUE:
            self.keep(length)
            return self.take(length)
        span = Span(self.position, length, encoding)
        if self.position + length > self.size:
            raise Broken(Break.TRUNCATED, self.position + length - self.size)
        self.position += length
        self.file.seek(self.position)
        return span

    def keep(self, length: int) -> None:
        """Note that text of this length is kept. Raises `Broken` when it becomes too much."""
        self.text_room -= length
        if self.text_room < 0:
            raise Broken(Break.TOO_MUCH)

    # The stack and the memo.

    def push(self, node: Node) -> None:
        """Put a value on the stack."""
        self.stack.append(node)

    def make(self, node: Node) -> None:
        """Put a new node on the stack."""
        self.count()
        self.stack.append(node)

    def count(self) -> None:
        """Note that there is one more node. Raises `Broken` when there are too many."""
        self.room -= 1
        if self.room < 0:
            raise Broken(Break.TOO_MUCH)

    def pop(self) -> Node:
        """Take the topmost value; those below the last mark are out of reach."""
        if not self.stack:
            raise Broken(Break.STACK_UNDERFLOW)
        return self.stack.pop()

    def top(self) -> Node:
        """The topmost value."""
        if not self.stack:
            raise Broken(Break.STACK_UNDERFLOW)
        return self.stack[-1]

    def mark(self) -> None:
        """Begin the elements of a container."""
        self.count()
        self.below_marks.append(self.stack)
        self.stack = []

    def since_mark(self) -> list[Node]:
        """Take the values since the last mark, and the mark."""
        if not self.below_marks:
            raise Broken(Break.STACK_UNDERFLOW)
        items, self.stack = self.stack, self.below_marks.pop()
        return items

    def recall(self, index: int) -> None:
        """Push what the memo holds."""
        if index not in self.memo:
            raise Broken(Break.UNKNOWN_MEMO)
        self.stack.append(self.memo[index])

    # What unpickling would import, call and fill.

    def import_(self, module: Node, name: Node) -> None:
        """Push a global. Its names may come from anywhere, also from the memo."""
        if not isinstance(module, (str, Span)) or not isinstance(name, (str, Span)):
            raise Broken(Break.BAD_OPERAND)
        found = Global(_short(module), _short(name), self.offset)
        self.make(found)
        self.globals.append(found)

    def call(self, opcode: str, target: Node, arguments: Node) -> None:
        """Push a call that nobody makes, and judge it."""
        made = Call(opcode, target, arguments, self.offset)
        self.make(made)
        if known_forms.is_known_call(made):
            self.accepted.add(id(target))
        else:
            self.suspect(opcode, made)

    def suspect(self, opcode: str, node: Node) -> None:
        """Note what is done in no known form."""
        if len(self.suspicious) < MOST_SUSPICIOUS:
            self.suspicious.append((self.offset, opcode, node))

    def build(self) -> None:
        """Give a state to the object below it."""
        state, target = self.pop(), self.top()
        if not known_forms.is_known_state(target, state):
            self.suspect("BUILD", target)
        if isinstance(target, Call):
            target.state = state

    def set_items(self, items: list[Node]) -> None:
        """Put keys and values into the dict below them."""
        target = self.top()
        if len(items) % 2:
            raise Broken(Break.BAD_OPERAND)
        pairs = list(zip(items[::2], items[1::2], strict=True))
        if isinstance(target, Dict):
            target.pairs.extend(pairs)
        elif known_forms.is_mapping_call(target):
            target.pairs = target.pairs or Dict()
            target.pairs.pairs.extend(pairs)
        else:
            self.suspect("SETITEMS", target)

    def append(self, items: list[Node]) -> None:
        """Put elements at the end of the list below them."""
        target = self.top()
        if isinstance(target, list):
            target.extend(items)
        elif not known_forms.is_deque_call(target):
            self.suspect("APPENDS", target)

    def add(self, items: list[Node]) -> None:
        """Put elements into the set below them."""
        target = self.top()
        if isinstance(target, Set):
            target.items.extend(items)
        else:
            self.suspect("ADDITEMS", target)


def _short(name: str | Span) -> str:
    return name if isinstance(name, str) else f"<{name.length} characters>"
