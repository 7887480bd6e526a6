"""Where things that have several names really live: ``paddle.fluid.io.DataLoader`` is ``paddle.io.DataLoader``."""

from __future__ import annotations

#: Other names of public things, read in the packages (Paddle 1.8 to 3.3, PyTorch 2, CPython 3.13).
_ALIASES = {
    "paddle.hapi.Model": "paddle.Model",
    "paddle.hapi.model.Model": "paddle.Model",
    "paddle.framework.load": "paddle.load",
    "paddle.framework.io.load": "paddle.load",
    "paddle.framework.save": "paddle.save",
    "paddle.framework.io.save": "paddle.save",
    "paddle.device.set_device": "paddle.set_device",
    "paddle.framework.CUDAPlace": "paddle.CUDAPlace",
    "paddle.device.CUDAPlace": "paddle.CUDAPlace",
    "paddle.base.CUDAPlace": "paddle.CUDAPlace",
    "paddle.base.core.CUDAPlace": "paddle.CUDAPlace",
    "paddle.fluid.CUDAPlace": "paddle.CUDAPlace",
    "paddle.fluid.core.CUDAPlace": "paddle.CUDAPlace",
    "paddle.io.reader.DataLoader": "paddle.io.DataLoader",
    "paddle.fluid.io.DataLoader": "paddle.io.DataLoader",
    "paddle.fluid.reader.DataLoader": "paddle.io.DataLoader",
    "paddle.distributed.spawn.spawn": "paddle.distributed.spawn",
    "paddle.distributed.parallel.DataParallel": "paddle.DataParallel",
    "paddle.distributed.parallel.init_parallel_env": "paddle.distributed.init_parallel_env",
    "torch.utils.data.dataloader.DataLoader": "torch.utils.data.DataLoader",
    "torch.multiprocessing.spawn.spawn": "torch.multiprocessing.spawn",
    "torch.serialization.load": "torch.load",
    "multiprocessing.context.Process": "multiprocessing.Process",
    "multiprocessing.process.BaseProcess": "multiprocessing.Process",
    "multiprocessing.pool.Pool": "multiprocessing.Pool",
    "concurrent.futures.process.ProcessPoolExecutor": "concurrent.futures.ProcessPoolExecutor",
}

#: These modules hand on what they take from `multiprocessing`, all but a few names of their own.
_MULTIPROCESSING = ("torch.multiprocessing.", "paddle.incubate.multiprocessing.")
_NOT_MULTIPROCESSING = frozenset({"torch.multiprocessing.spawn", "torch.multiprocessing.start_processes"})

#: What ``from MODULE import *`` brings along, as far as it is looked at (``__all__`` of Paddle 3.3.1 and CPython 3.13).
STAR_NAMES: dict[str, frozenset[str]] = {
    "paddle": frozenset({"CUDAPlace", "DataParallel", "Model", "load", "save", "set_device", "io", "distributed"}),
    "paddle.io": frozenset(
        {
            "Dataset",
            "IterableDataset",
            "TensorDataset",
            "ComposeDataset",
            "ChainDataset",
            "BatchSampler",
            "DistributedBatchSampler",
            "DataLoader",
            "get_worker_info",
            "Sampler",
            "SequenceSampler",
            "RandomSampler",
            "WeightedRandomSampler",
            "random_split",
            "Subset",
            "SubsetRandomSampler",
            "ConcatDataset",
        }
    ),
    "paddle.distributed": frozenset(
        {
            "io",
            "spawn",
            "launch",
            "scatter",
            "gather",
            "broadcast",
            "ParallelEnv",
            "new_group",
            "init_parallel_env",
            "split",
            "get_world_size",
            "get_group",
            "all_gather",
            "all_gather_object",
            "barrier",
            "all_reduce",
            "alltoall",
            "send",
            "reduce",
            "recv",
            "ReduceOp",
            "wait",
            "get_rank",
            "is_initialized",
            "destroy_process_group",
            "isend",
            "irecv",
            "reduce_scatter",
        }
    ),
    "multiprocessing": frozenset(
        {
            "Barrier",
            "Condition",
            "Event",
            "JoinableQueue",
            "Lock",
            "Manager",
            "Pipe",
            "Pool",
            "Process",
            "Queue",
            "RLock",
            "Semaphore",
            "SimpleQueue",
            "Value",
            "Array",
            "cpu_count",
            "current_process",
            "freeze_support",
            "get_context",
            "get_start_method",
            "parent_process",
            "set_start_method",
        }
    ),
    "torch.utils.data": frozenset({"DataLoader", "Dataset", "IterableDataset", "DistributedSampler", "TensorDataset"}),
    "concurrent.futures": frozenset({"ProcessPoolExecutor", "ThreadPoolExecutor", "as_completed", "wait"}),
    "os": frozenset({"environ", "putenv", "path", "_exit"}),
}


def canonical(name: str) -> str:
    """The public name of what is imported or reached as `name`."""
    if name.startswith(_MULTIPROCESSING) and name not in _NOT_MULTIPROCESSING:
        name = "multiprocessing." + name.partition("multiprocessing.")[2]
    return _ALIASES.get(name, name)
