"""What a followed pickle holds, as Paddle would load it: its kind, and its tensors with dotted keys."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from paddle_doctor.subjects.checkpoint import known_forms
from paddle_doctor.subjects.checkpoint.arrays import Array, as_array, entries
from paddle_doctor.subjects.checkpoint.model import Branch, Format, Tensor
from paddle_doctor.subjects.checkpoint.pickle_nodes import Node, quote

#: paddle.save puts it into every state dict: structured name → parameter name.
NAME_TABLE = "StructuredToParameterName@@"
#: paddle.save splits tensors of more than 1 GiB under protocols 2 and 3; this says how. (The typo is Paddle's.)
SLICES = "UnpackBigParamInfor@@"

DEEPEST = 64
#: What listing may cost: one for each element that is met, and more for each container.
MOST_EFFORT = 2_000_000
COST_OF_CONTAINER = 10
MOST_KEY_TEXT = 1 << 25

#: The names that Paddle's optimizers give to what they keep for a parameter: ``linear_0.w_0_moment1_0``.
_ACCUMULATOR = re.compile(
    r".*_(moment|moment1|moment2|moment2_max|velocity|beta1_pow|beta1_pow_acc|beta2_pow|beta2_pow_acc|inf_norm|momentum"
    r"|momentum_decay_pow|mu_product|mean_square|mean_grad|_avg_squared_grad|_avg_squared_update|learning_rates|prevs"
    r"|rho)_\d+",
    re.DOTALL,
)
_LR_SCHEDULER, _MASTER_WEIGHTS = "LR_Scheduler", "master_weights"


@dataclass(slots=True)
class Content:
    """What was found in the object. `misfit` is the first tensor whose data have another length than its shape asks.

    `whole` is False if there was too much to list, or it is nested too deeply.
    """

    format: Format = Format.OTHER_PICKLE
    root: str | None = None
    named: bool = False
    tensors: list[Tensor] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    misfit: tuple[str, int] | None = None
    whole: bool = True


def read_content(root: Node) -> Content:
    """What the object holds."""
    walk = _Walk()
    top = entries(root)
    content = Content(root=_kind(root))
    if top is None:
        walk.visit(root, "", 0)
    else:
        walk.above.add(id(root))
        names = {key for key, _ in top if isinstance(key, str)}
        content.named = NAME_TABLE in names
        for key, value in top:
            if key not in (NAME_TABLE, SLICES):
                before = len(walk.found)
                walk.visit(value, _label(key), 1)
                _note_branch(content, _label(key), value, walk.found[before:])
        _join_slices(walk.found, dict(_texts(top)).get(SLICES))
        content.format = _format(content, names, [key for key, _ in walk.found])
    content.tensors = [
        Tensor(key=key or "(tensor)", shape=array.shape, dtype=array.dtype, nbytes=array.nbytes)
        for key, array in walk.found
        if array.fits
    ]
    content.misfit = next(((key, array.offset) for key, array in walk.found if not array.fits), None)
    content.whole = not walk.given_up
    return content


def _note_branch(content: Content, key: str, value: Node, found: list[tuple[str, Array]]) -> None:
    if found and [name for name, _ in found] != [key]:
        inner = [name[len(key) + 1 :] for name, _ in found]
        optimizer = _is_optimizer({each for each, _ in _texts(entries(value) or [])}, inner)
        content.branches.append(Branch(key=key, tensors=len(found), optimizer=optimizer))


def _format(content: Content, names: set[str], keys: list[str]) -> Format:
    if _is_optimizer(names, keys):
        return Format.OPTIMIZER
    nested = sum(branch.tensors for branch in content.branches)
    if keys and nested == len(keys):
        return Format.NESTED
    return Format.STATE_DICT if keys or content.named else Format.OTHER_PICKLE


def _is_optimizer(names: set[str], keys: list[str]) -> bool:
    accumulators = [key for key in keys if _ACCUMULATOR.fullmatch(key)]
    others = [key for key in keys if not key.startswith(f"{_MASTER_WEIGHTS}.")]
    return len(accumulators) == len(others) and bool(accumulators or _LR_SCHEDULER in names)


def _join_slices(found: list[tuple[str, Array]], table: Node) -> None:
    """Put the slices of split tensors together, as `paddle.load` does."""
    arrays = dict(found)
    joined: list[tuple[str, Array]] = []
    for key, value in _texts(entries(table) or []):
        described = dict(_texts(entries(value) or []))
        shape, names = described.get("OriginShape", ()), described.get("slices")
        if not known_forms.is_shape(shape) or not isinstance(names, list) or not names:
            break
        if not all(isinstance(name, str) and name in arrays for name in names):
            break
        parts = [arrays.pop(name) for name in dict.fromkeys(names)]
        fits = all(each.fits for each in parts)
        joined.append((key, Array(shape, parts[0].dtype, sum(each.nbytes for each in parts), fits, parts[0].offset)))
    if joined:
        found[:] = [*((name, array) for name, array in found if name in arrays), *joined]


def _texts(pairs: list[tuple[Node, Node]]) -> list[tuple[str, Node]]:
    return [(key, value) for key, value in pairs if isinstance(key, str)]


def _label(key: Node) -> str:
    return key if isinstance(key, str) else quote(key)


def _kind(root: Node) -> str:
    if as_array(root) is not None:
        return "tensor"
    if entries(root) is not None:
        return "dict"
    if root is None or isinstance(root, (bool, int, float, str, bytes, list, tuple)):
        return type(root).__name__
    return "object"


class _Walk:
    """A walk over containers, depth first, that lists arrays. References may be shared or go round in circles."""

    def __init__(self) -> None:
        self.found: list[tuple[str, Array]] = []
        self.given_up = False
        self.effort = MOST_EFFORT
        self.text = MOST_KEY_TEXT
        self.above: set[int] = set()

    def visit(self, node: Node, key: str, depth: int) -> None:
        """List the arrays in and below the node, which is at this key."""
        array = as_array(node)
        if array is not None:
            self.text -= len(key)
            self.found.append((key, array))
            return
        if id(node) in self.above:
            return
        inner = entries(node)
        if inner is None and isinstance(node, (list, tuple)):
            inner = list(enumerate(node))
        if not inner:
            return
        self.effort -= COST_OF_CONTAINER + len(inner)
        self.above.add(id(node))
        for name, value in inner:
            if self.given_up or self.effort < 0 or self.text < 0 or depth >= DEEPEST:
                self.given_up = True
                break
            if not isinstance(value, (str, bytes, int, float, type(None))):
                self.visit(value, f"{key}.{_label(name)}" if key else _label(name), depth + 1)
        self.above.discard(id(node))
