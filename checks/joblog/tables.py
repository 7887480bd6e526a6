"""All signatures of this folder by their id, for the checks that judge events."""

from __future__ import annotations

from paddle_doctor.core.signature import Signature

from . import (
    checkpoint_loading,
    cuda_stack,
    dataloader,
    gpu,
    host_memory,
    launcher,
    nccl,
    python_exceptions,
    rendezvous,
    signals,
    values,
)

_FAMILIES = (
    gpu,
    values,
    host_memory,
    dataloader,
    rendezvous,
    nccl,
    cuda_stack,
    checkpoint_loading,
    python_exceptions,
    launcher,
    signals,
)

BY_ID: dict[str, Signature] = {each.id: each for family in _FAMILIES for each in family.SIGNATURES}
#: Signatures of Python exceptions: such a line counts for less where no exception was printed with it.
OF_EXCEPTIONS = frozenset(each.id for each in (*python_exceptions.SIGNATURES, *checkpoint_loading.SIGNATURES))
