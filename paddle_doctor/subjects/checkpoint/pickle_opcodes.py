"""The instructions of pickle, protocols 0 to 5: what each does to the inert machine."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable
from typing import BinaryIO

from paddle_doctor.subjects.checkpoint import pickle_machine
from paddle_doctor.subjects.checkpoint.model import Break
from paddle_doctor.subjects.checkpoint.pickle_machine import Broken, Machine
from paddle_doctor.subjects.checkpoint.pickle_nodes import Dict, Encoding, Extension, Node, Set, Span

HIGHEST_PROTOCOL = 5
#: Longer integers are data: nothing here calculates with them.
LONGEST_INTEGER = 64

_U1, _U2, _U4, _U8 = struct.Struct("<B"), struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<Q")
_I4 = struct.Struct("<i")
_F8 = struct.Struct(">d")

Action = Callable[[Machine], object]


def follow(file: BinaryIO, size: int) -> Machine:
    """The machine after the pickle that `file` begins with: at its STOP, or where it broke off."""
    machine = Machine(file, size)
    try:
        for _ in range(pickle_machine.MOST_INSTRUCTIONS):
            machine.offset = machine.position
            action = ACTIONS.get(machine.take(1))
            if action is None:
                raise Broken(Break.UNKNOWN_OPCODE)
            action(machine)
            if machine.complete:
                return machine
        raise Broken(Break.TOO_MUCH)
    except Broken as broken:
        machine.broken = broken
        if broken.why is Break.TRUNCATED:
            broken.missing = max(broken.missing, machine.frame_end - size)
    return machine


def _stop(machine: Machine) -> None:
    machine.root = machine.pop()
    if machine.frame_end > machine.size:  # Python reads a frame as a whole, before its instructions
        raise Broken(Break.TRUNCATED)
    machine.complete = True


def _protocol(machine: Machine) -> None:
    protocol = machine.number(_U1)
    if protocol > HIGHEST_PROTOCOL:
        raise Broken(Break.UNSUPPORTED_PROTOCOL)
    if machine.protocol is None:
        machine.protocol = protocol


def _frame(machine: Machine) -> None:
    length = machine.length(_U8)
    machine.frame_end = max(machine.frame_end, machine.position + length)


# Numbers.


def _line_int(machine: Machine) -> None:
    line = _short(machine.line())
    machine.push({b"00": False, b"01": True}.get(line, _number(line, int)))


def _line_long(machine: Machine) -> None:
    machine.push(_number(_short(machine.line()).removesuffix(b"L"), int))


def _line_float(machine: Machine) -> None:
    machine.push(_number(_short(machine.line()), float))


def _number(line: bytes, kind: type[int] | type[float]) -> int | float:
    try:
        return kind(line)
    except ValueError as error:
        raise Broken(Break.BAD_OPERAND) from error


def _long(form: struct.Struct) -> Action:
    def act(machine: Machine) -> None:
        length = machine.length(form)
        if length <= LONGEST_INTEGER:
            machine.push(int.from_bytes(machine.take(length), "little", signed=True))
        else:
            machine.make(_as_span(machine, machine.data(length, Encoding.BYTES)))

    return act


def _as_span(machine: Machine, data: bytes | Span) -> Span:
    return data if isinstance(data, Span) else Span(machine.position - len(data), len(data), Encoding.BYTES)


# Bytes and text.


def _bytes(form: struct.Struct) -> Action:
    return lambda machine: machine.make(machine.data(machine.length(form), Encoding.BYTES))


def _text(form: struct.Struct) -> Action:
    def act(machine: Machine) -> None:
        data = machine.data(machine.length(form), Encoding.UTF8)
        machine.make(data if isinstance(data, Span) else _decoded(data, "utf-8", "surrogatepass"))

    return act


def _python2_bytes(form: struct.Struct) -> Action:
    # A str of Python 2, which paddle.load reads as latin-1.
    def act(machine: Machine) -> None:
        data = machine.data(machine.length(form), Encoding.BYTES)
        machine.make(data if isinstance(data, Span) else str(data, "latin-1"))

    return act


def _line_text(machine: Machine) -> None:
    data = machine.line()
    machine.make(data if isinstance(data, Span) else _decoded(data, "raw_unicode_escape"))


def _line_python2_bytes(machine: Machine) -> None:
    data = machine.line()
    if isinstance(data, Span):
        machine.make(data)
        return
    if len(data) < 2 or data[:1] != data[-1:] or data[:1] not in (b"'", b'"'):
        raise Broken(Break.BAD_OPERAND)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about escapes that Python does not know
        machine.make(_decoded(data[1:-1], "unicode_escape"))


def _decoded(data: bytes, encoding: str, errors: str = "strict") -> str:
    try:
        return str(data, encoding, errors)
    except UnicodeDecodeError as error:
        raise Broken(Break.BAD_TEXT) from error


def _short(line: bytes | Span) -> bytes:
    if isinstance(line, Span):
        raise Broken(Break.BAD_OPERAND)
    return line


# Containers.


def _tuple_of(count: int) -> Action:
    def act(machine: Machine) -> None:
        items = [machine.pop() for _ in range(count)]
        machine.make(tuple(reversed(items)))

    return act


def _dict(machine: Machine) -> None:
    items = machine.since_mark()
    machine.make(Dict())
    machine.set_items(items)


def _set_item(machine: Machine) -> None:
    value, key = machine.pop(), machine.pop()
    machine.set_items([key, value])


def _pop(machine: Machine) -> None:
    if machine.stack:
        machine.pop()
    else:
        machine.since_mark()


# The memo.


def _put(form: struct.Struct) -> Action:
    def act(machine: Machine) -> None:
        machine.memo[machine.number(form)] = machine.top()

    return act


def _line_put(machine: Machine) -> None:
    index = _number(_short(machine.line()), int)
    if index < 0:
        raise Broken(Break.BAD_OPERAND)
    machine.memo[int(index)] = machine.top()


def _memoize(machine: Machine) -> None:
    machine.memo[len(machine.memo)] = machine.top()


def _line_get(machine: Machine) -> None:
    machine.recall(int(_number(_short(machine.line()), int)))


# What unpickling would import and call.


def _line_name(machine: Machine) -> Node:
    line = machine.line()
    return line if isinstance(line, Span) else _decoded(line, "utf-8")


def _global(machine: Machine) -> None:
    machine.import_(_line_name(machine), _line_name(machine))


def _stack_global(machine: Machine) -> None:
    name, module = machine.pop(), machine.pop()
    machine.import_(module, name)


def _reduce(machine: Machine) -> None:
    arguments, target = machine.pop(), machine.pop()
    machine.call("REDUCE", target, arguments)


def _new(machine: Machine) -> None:
    arguments, target = machine.pop(), machine.pop()
    machine.call("NEWOBJ", target, arguments)


def _new_with_names(machine: Machine) -> None:
    names, arguments, target = machine.pop(), machine.pop(), machine.pop()
    machine.call("NEWOBJ_EX", target, (arguments, names))


def _instance(machine: Machine) -> None:
    _global(machine)
    target = machine.pop()
    machine.call("INST", target, tuple(machine.since_mark()))


def _object(machine: Machine) -> None:
    items = machine.since_mark()
    if not items:
        raise Broken(Break.STACK_UNDERFLOW)
    machine.call("OBJ", items[0], tuple(items[1:]))


def _extension(form: struct.Struct) -> Action:
    def act(machine: Machine) -> None:
        machine.make(Extension(machine.number(form)))
        machine.suspect("EXT", machine.top())

    return act


def _breaks(why: Break) -> Action:
    def act(machine: Machine) -> None:  # noqa: ARG001
        raise Broken(why)

    return act


ACTIONS: dict[bytes, Action] = {
    b"\x80": _protocol,
    b"\x95": _frame,
    b".": _stop,
    b"(": Machine.mark,
    b"0": _pop,
    b"1": Machine.since_mark,
    b"2": lambda machine: machine.push(machine.top()),
    # numbers
    b"N": lambda machine: machine.push(None),
    b"\x88": lambda machine: machine.push(True),
    b"\x89": lambda machine: machine.push(False),
    b"I": _line_int,
    b"L": _line_long,
    b"F": _line_float,
    b"J": lambda machine: machine.push(machine.number(_I4)),
    b"K": lambda machine: machine.push(machine.number(_U1)),
    b"M": lambda machine: machine.push(machine.number(_U2)),
    b"\x8a": _long(_U1),
    b"\x8b": _long(_I4),
    b"G": lambda machine: machine.push(_F8.unpack(machine.take(8))[0]),
    # bytes and text
    b"C": _bytes(_U1),
    b"B": _bytes(_U4),
    b"\x8e": _bytes(_U8),
    b"\x96": _bytes(_U8),
    b"\x8c": _text(_U1),
    b"X": _text(_U4),
    b"\x8d": _text(_U8),
    b"V": _line_text,
    b"U": _python2_bytes(_U1),
    b"T": _python2_bytes(_I4),
    b"S": _line_python2_bytes,
    # containers
    b")": lambda machine: machine.push(()),
    b"\x85": _tuple_of(1),
    b"\x86": _tuple_of(2),
    b"\x87": _tuple_of(3),
    b"t": lambda machine: machine.make(tuple(machine.since_mark())),
    b"]": lambda machine: machine.make([]),
    b"l": lambda machine: machine.make(machine.since_mark()),
    b"a": lambda machine: machine.append([machine.pop()]),
    b"e": lambda machine: machine.append(machine.since_mark()),
    b"}": lambda machine: machine.make(Dict()),
    b"d": _dict,
    b"s": _set_item,
    b"u": lambda machine: machine.set_items(machine.since_mark()),
    b"\x8f": lambda machine: machine.make(Set([])),
    b"\x91": lambda machine: machine.make(Set(machine.since_mark())),
    b"\x90": lambda machine: machine.add(machine.since_mark()),
    # the memo
    b"p": _line_put,
    b"q": _put(_U1),
    b"r": _put(_U4),
    b"\x94": _memoize,
    b"g": _line_get,
    b"h": lambda machine: machine.recall(machine.number(_U1)),
    b"j": lambda machine: machine.recall(machine.number(_U4)),
    # what unpickling would import and call
    b"c": _global,
    b"\x93": _stack_global,
    b"R": _reduce,
    b"\x81": _new,
    b"\x92": _new_with_names,
    b"i": _instance,
    b"o": _object,
    b"b": Machine.build,
    b"\x82": _extension(_U1),
    b"\x83": _extension(_U2),
    b"\x84": _extension(_I4),
    # what paddle.load gives no means for
    b"P": _breaks(Break.PERSISTENT_ID),
    b"Q": _breaks(Break.PERSISTENT_ID),
    b"\x97": _breaks(Break.OUT_OF_BAND_BUFFER),
    b"\x98": _breaks(Break.OUT_OF_BAND_BUFFER),
}
