"""The GPUs of this machine and who holds their memory, as the driver tells through NVML."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paddle_doctor.subjects.environment.model import Gpu, GpuProcess, Unseen, Why
from paddle_doctor.subjects.environment.processes import ProcessTable, shortened, user_of


@dataclass(frozen=True, slots=True)
class Sight:
    """What NVML lets see: the GPUs, the driver's version, and what could not be seen (``gpus`` or ``gpu N``)."""

    gpus: tuple[Gpu, ...] = ()
    driver_version: str | None = None
    unseen: tuple[tuple[str, Unseen], ...] = ()


def look_at_gpus() -> Sight:
    """All GPUs with their memory and processes. Talks to the driver, which may hang: run it with a deadline."""
    import pynvml  # type: ignore[import-untyped]

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return Sight(unseen=(("gpus", _unseen(pynvml, error)),))
    try:
        return _look(pynvml)
    finally:
        pynvml.nvmlShutdown()


def name_processes(gpus: Sequence[Gpu], table: ProcessTable | None) -> tuple[Gpu, ...]:
    """The GPUs with their processes named from the process table.

    In a container NVML gives the machine's process numbers, which here mean other processes or none: they stay
    nameless.
    """
    if table is None or table.in_own_namespace:
        return tuple(gpus)
    return tuple(replace(gpu, processes=tuple(_named(each, table) for each in gpu.processes)) for gpu in gpus)


def hide_invisible(gpus: Sequence[Gpu], variables: Mapping[str, str]) -> tuple[Gpu, ...]:
    """The GPUs, those marked that CUDA_VISIBLE_DEVICES leaves out.

    CUDA counts from the fastest GPU on and NVML by bus, unless CUDA_DEVICE_ORDER says otherwise; so where the GPUs
    differ, numbers tell nothing and none is marked.
    """
    value = variables.get("CUDA_VISIBLE_DEVICES")
    same_order = variables.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or len({gpu.name for gpu in gpus}) < 2
    if value is None or not same_order:
        return tuple(gpus)
    visible: set[int] = set()
    for word in (each.strip() for each in value.split(",")):
        chosen = [gpu.index for gpu in gpus if word == str(gpu.index) or (gpu.uuid and word == gpu.uuid)]
        if not chosen:
            if word in ("", "-1") or word.isdecimal():
                break  # CUDA reads the list up to the first that it does not know
            return tuple(gpus)  # "all", a MIG id, a shortened one: not ours to resolve
        visible.update(chosen)
    return tuple(replace(gpu, hidden=gpu.index not in visible) for gpu in gpus)


def _look(nvml: Any) -> Sight:
    looks = [(index, _gpu_or_reason(nvml, index)) for index in range(nvml.nvmlDeviceGetCount())]
    return Sight(
        gpus=tuple(seen for _, seen in looks if isinstance(seen, Gpu)),
        driver_version=_text(nvml.nvmlSystemGetDriverVersion()),
        unseen=tuple((f"gpu {index}", seen) for index, seen in looks if isinstance(seen, Unseen)),
    )


def _gpu_or_reason(nvml: Any, index: int) -> Gpu | Unseen:
    """A GPU, or why it cannot be seen: one that has fallen off the bus must not hide the others."""
    try:
        return _gpu(nvml, index)
    except nvml.NVMLError as error:
        return _unseen(nvml, error)


def _gpu(nvml: Any, index: int) -> Gpu:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    processes = _processes(nvml, handle)
    return Gpu(
        index=index,
        name=_text(nvml.nvmlDeviceGetName(handle)),
        uuid=_text(nvml.nvmlDeviceGetUUID(handle)),
        memory_total=int(memory.total),
        memory_used=int(memory.used),
        processes=processes or (),
        processes_told=processes is not None,
    )


def _processes(nvml: Any, handle: Any) -> tuple[GpuProcess, ...] | None:
    """Those that compute and those that draw, one that does both once; None where the driver does not tell them."""
    asked = [_running(nvml, handle, kind) for kind in ("Compute", "Graphics")]
    told = [running for running in asked if running is not None]
    found = {int(each.pid): each.usedGpuMemory for running in told for each in running}
    return tuple(GpuProcess(pid=pid, memory=memory) for pid, memory in sorted(found.items())) if told else None


def _running(nvml: Any, handle: Any, kind: str) -> list[Any] | None:
    """The processes of a kind; by the second version of the call for drivers older than 510, which lack the third."""
    for version in ("_v3", "_v2"):
        ask = getattr(nvml, f"nvmlDeviceGet{kind}RunningProcesses{version}")
        with contextlib.suppress(nvml.NVMLError_FunctionNotFound):
            try:
                return list(ask(handle))
            except (nvml.NVMLError_NotSupported, nvml.NVMLError_NoPermission):
                return None
    return None


def _named(process: GpuProcess, table: ProcessTable) -> GpuProcess:
    row = table.rows.get(process.pid)
    if row is None:
        return process
    return replace(process, command=shortened(row.arguments) or row.name, user=user_of(row.pid))


def _unseen(nvml: Any, error: Any) -> Unseen:
    why = {
        nvml.NVML_ERROR_LIBRARY_NOT_FOUND: Why.NO_LIBRARY,
        nvml.NVML_ERROR_DRIVER_NOT_LOADED: Why.NO_DRIVER,
        nvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH: Why.VERSION_MISMATCH,
        nvml.NVML_ERROR_NO_PERMISSION: Why.NO_RIGHTS,
    }.get(error.value, Why.FAILED)
    return Unseen(why=why, detail=str(error))


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
