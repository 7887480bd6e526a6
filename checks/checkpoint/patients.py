"""Checkpoints for the examples of the pages."""

from __future__ import annotations

from paddle_doctor.core.check import Example
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.checkpoint import Checkpoint, Format, Tensor

HEALTHY_SHOWN = Text("a state dict as paddle.save writes it", "paddle.save 写出的普通 state dict")


def tensors(*keys: str) -> tuple[Tensor, ...]:
    """A small float32 tensor for each key."""
    return tuple(Tensor(key=key, shape=(2, 3), dtype="float32", nbytes=24) for key in keys)


def state_dict(*keys: str, path: str = "model.pdparams") -> Checkpoint:
    """A state dict with these keys, as `paddle.save(layer.state_dict(), path)` writes it."""
    return Checkpoint(
        path=path,
        size=4096,
        format=Format.STATE_DICT,
        protocol=4,
        numpy=2,
        root="dict",
        named=True,
        tensors=tensors(*keys),
        globals_used=("numpy._core.multiarray._reconstruct", "numpy.dtype", "numpy.ndarray"),
    )


def example(shows: Text, checkpoint: Checkpoint) -> Example:
    """An example with this checkpoint."""
    return Example(shows, {"checkpoint": checkpoint})


def healthy() -> Example:
    """The example that every check of checkpoints is silent on."""
    return example(HEALTHY_SHOWN, state_dict("fc.weight", "fc.bias"))
