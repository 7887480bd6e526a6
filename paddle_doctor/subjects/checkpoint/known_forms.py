"""The allow list: the exact calls that Paddle, NumPy and plain Python values put into a pickle. All else is refused.

A form is a global and the arguments it must have. It is matched literally at the moment at which unpickling would make
the call, so that nothing which a file changes later can turn a known form into another.
"""

from __future__ import annotations

from collections.abc import Callable

from paddle_doctor.subjects.checkpoint.model import MOST_DIMENSIONS
from paddle_doctor.subjects.checkpoint.pickle_nodes import NO_STATE, Call, Dict, Encoding, Global, Node, Set, Span

MULTIARRAY = ("numpy.core.multiarray", "numpy._core.multiarray")
NUMERIC = ("numpy.core.numeric", "numpy._core.numeric")
#: Python 2's name (protocols 0 to 2) and Python 3's.
BUILTINS = ("__builtin__", "builtins")

#: NumPy's scalar types; as values they stand in configurations (``dtype=numpy.float32``).
_NUMPY_TYPES = frozenset(
    {
        *("bool_", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128", "str_", "bytes_", "ndarray", "dtype"),
    }
)
_MAPPINGS = ("OrderedDict", "Counter", "defaultdict")
_PYTHON_TYPES = frozenset({"bool", "int", "float", "complex", "str", "bytes", "list", "tuple", "dict", "set"})


def is_from(node: Node, modules: tuple[str, ...], name: str) -> bool:
    """Whether the node is the global of that name from one of those modules."""
    return isinstance(node, Global) and node.name == name and node.module in modules


def is_array_call(node: Node) -> bool:
    """Whether the node is the call that makes an empty array, to be given its state."""
    return isinstance(node, Call) and is_from(node.target, MULTIARRAY, "_reconstruct")


def is_dtype_call(node: Node) -> bool:
    """Whether the node is the call that makes a dtype, with the arguments that it must have."""
    return isinstance(node, Call) and is_from(node.target, ("numpy",), "dtype") and is_known_call(node)


def is_encoded(node: Node) -> bool:
    """Whether the node is bytes written as latin-1 text, as protocols 0 to 2 do."""
    return isinstance(node, Call) and is_from(node.target, ("_codecs",), "encode") and is_known_call(node)


def is_mapping_call(node: Node) -> bool:
    """Whether the node is a call that makes a kind of dict."""
    return isinstance(node, Call) and any(is_from(node.target, ("collections",), name) for name in _MAPPINGS)


def is_deque_call(node: Node) -> bool:
    """Whether the node is a call that makes a deque."""
    return isinstance(node, Call) and is_from(node.target, ("collections",), "deque")


def is_known_global(node: Global) -> bool:
    """Whether a file may hold this global as a mere value. `eval` may not: it is known only where its call is."""
    return (
        ((node.module, node.name) in FORMS and node.name != "eval")
        or (node.module == "numpy" and node.name in _NUMPY_TYPES)
        or (node.module in BUILTINS and node.name in _PYTHON_TYPES)
        or (node.module, node.name) == ("argparse", "Namespace")
    )


def is_known_call(call: Call) -> bool:
    """Whether the call is made exactly as Paddle, NumPy or Python's own pickling make it."""
    target, arguments = call.target, call.arguments
    if not isinstance(target, Global) or not isinstance(arguments, tuple):
        return False
    if call.opcode in ("NEWOBJ", "NEWOBJ_EX"):
        return (target.module, target.name) == ("argparse", "Namespace") and arguments == ()
    form = FORMS.get((target.module, target.name)) if call.opcode == "REDUCE" else None
    return form is not None and form(arguments)


def is_known_state(target: Node, state: Node) -> bool:
    """Whether BUILD may give this state to the target: to a new array, dtype or Namespace, once."""
    if not isinstance(target, Call) or target.state is not NO_STATE:
        return False
    if is_array_call(target):
        return is_array_state(state)
    if is_dtype_call(target):
        return isinstance(state, tuple) and len(state) in (8, 9) and isinstance(state[0], int)
    if target.opcode == "NEWOBJ" and is_from(target.target, ("argparse",), "Namespace"):
        names = [key for key, _ in state.pairs] if isinstance(state, Dict) else [None]
        return all(isinstance(each, str) and not each.startswith("__") for each in names)
    return False


def is_array_state(state: Node) -> bool:
    """Whether the state is what NumPy gives a new array: its shape, dtype, order and data."""
    # (version, shape, dtype, is_fortran, data); arrays of NumPy before 1.0 lack the version.
    if not isinstance(state, tuple) or len(state) not in (4, 5):
        return False
    shape, dtype, _, data = state[-4:]
    return is_shape(shape) and is_dtype_call(dtype) and (isinstance(data, list) or _is_bytes(data))


def is_shape(node: Node) -> bool:
    """Whether the node can be the shape of an array."""
    sizes = isinstance(node, tuple) and len(node) <= MOST_DIMENSIONS
    return sizes and all(isinstance(size, int) and -1 <= size < 1 << 63 for size in node)


def _is_bytes(node: Node) -> bool:
    return isinstance(node, (bytes, str, Span)) or is_encoded(node) or _is_empty(node)


def _is_empty(node: Node) -> bool:
    return isinstance(node, Call) and is_from(node.target, BUILTINS, "bytes") and node.arguments == ()


def _is_numbers(*nodes: Node) -> bool:
    return all(node is None or isinstance(node, (int, float)) for node in nodes)


def _empty_array(arguments: tuple[Node, ...]) -> bool:
    if len(arguments) != 3 or arguments[1] != (0,):
        return False
    kind, _, code = arguments
    is_b = code in (b"b", "b") or (is_encoded(code) and code.arguments[0] == "b")
    return is_from(kind, ("numpy",), "ndarray") and is_b


def _buffer_array(arguments: tuple[Node, ...]) -> bool:
    if len(arguments) != 4:
        return False
    data, dtype, shape, order = arguments
    return _is_bytes(data) and is_dtype_call(dtype) and is_shape(shape) and order in ("C", "F")


def _scalar(arguments: tuple[Node, ...]) -> bool:
    return len(arguments) == 2 and is_dtype_call(arguments[0]) and _is_bytes(arguments[1])


def _dtype(arguments: tuple[Node, ...]) -> bool:
    return len(arguments) in (1, 3) and isinstance(arguments[0], str) and _is_numbers(*arguments[1:])


def _named_tensor(arguments: tuple[Node, ...]) -> bool:
    # What paddle.save writes for a Tensor: tuple((name, array)).
    (pair,) = arguments if len(arguments) == 1 else (None,)
    if not isinstance(pair, tuple) or len(pair) != 2:
        return False
    return isinstance(pair[0], str) and _is_array(pair[1])


def _dense_tensor(arguments: tuple[Node, ...]) -> bool:
    # What paddle.save writes for a DenseTensor: eval("data", {"data": array}). Nothing else may stand here.
    if len(arguments) != 2 or arguments[0] != "data" or not isinstance(arguments[1], Dict):
        return False
    pairs = arguments[1].pairs
    return len(pairs) == 1 and pairs[0][0] == "data" and _is_array(pairs[0][1])


def _is_array(node: Node) -> bool:
    if not isinstance(node, Call):
        return False
    return (is_array_call(node) and node.state is not NO_STATE) or is_from(node.target, NUMERIC, "_frombuffer")


def _latin1(arguments: tuple[Node, ...]) -> bool:
    if len(arguments) != 2 or arguments[1] != "latin1":
        return False
    return isinstance(arguments[0], str) or (
        isinstance(arguments[0], Span) and arguments[0].encoding is not Encoding.BYTES
    )


def _one_collection(arguments: tuple[Node, ...]) -> bool:
    return len(arguments) == 1 and isinstance(arguments[0], (list, tuple, Set))


def _nothing_or_items(arguments: tuple[Node, ...]) -> bool:
    return not arguments or (len(arguments) == 1 and isinstance(arguments[0], (list, tuple, Dict)))


def _default_factory(arguments: tuple[Node, ...]) -> bool:
    (factory,) = arguments if len(arguments) == 1 else (None,)
    return any(is_from(factory, BUILTINS, name) for name in _PYTHON_TYPES)


def _deque(arguments: tuple[Node, ...]) -> bool:
    return (
        len(arguments) in (0, 1, 2) and isinstance((*arguments, ())[0], (list, tuple)) and _is_numbers(*arguments[1:])
    )


def _nothing(arguments: tuple[Node, ...]) -> bool:
    return not arguments


def _nothing_or_bytes(arguments: tuple[Node, ...]) -> bool:
    return not arguments or (len(arguments) == 1 and _is_bytes(arguments[0]))


def _three_numbers(arguments: tuple[Node, ...]) -> bool:
    return len(arguments) <= 3 and _is_numbers(*arguments)


def _texts(arguments: tuple[Node, ...]) -> bool:
    return all(isinstance(each, str) for each in arguments)


def _time(arguments: tuple[Node, ...]) -> bool:
    return (
        len(arguments) in (1, 2) and _is_bytes(arguments[0]) and all(isinstance(each, Call) for each in arguments[1:])
    )


def _offset(arguments: tuple[Node, ...]) -> bool:
    return len(arguments) == 1 and isinstance(arguments[0], Call)


FORMS: dict[tuple[str, str], Callable[[tuple[Node, ...]], bool]] = {
    **{(module, "_reconstruct"): _empty_array for module in MULTIARRAY},
    **{(module, "scalar"): _scalar for module in MULTIARRAY},
    **{(module, "_frombuffer"): _buffer_array for module in NUMERIC},
    ("numpy", "dtype"): _dtype,
    ("_codecs", "encode"): _latin1,
    **{(module, "tuple"): _named_tensor for module in BUILTINS},
    **{(module, "eval"): _dense_tensor for module in BUILTINS},
    **{(module, name): _one_collection for module in BUILTINS for name in ("set", "frozenset")},
    **{(module, "bytes"): _nothing for module in BUILTINS},
    **{(module, "bytearray"): _nothing_or_bytes for module in BUILTINS},
    **{(module, name): _three_numbers for module in BUILTINS for name in ("complex", "slice", "range", "xrange")},
    ("collections", "OrderedDict"): _nothing_or_items,
    ("collections", "Counter"): _nothing_or_items,
    ("collections", "defaultdict"): _default_factory,
    ("collections", "deque"): _deque,
    **{("datetime", name): _time for name in ("date", "time", "datetime")},
    ("datetime", "timedelta"): _three_numbers,
    ("datetime", "timezone"): _offset,
    **{("pathlib", name): _texts for name in ("PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath")},
    **{("pathlib._local", name): _texts for name in ("PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath")},
    ("decimal", "Decimal"): _texts,
}
