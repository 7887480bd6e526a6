"""Ranks that work alone; the kernel's out-of-memory killer takes rank 1 (played by a SIGKILL to itself)."""

import os
import signal
import time

import numpy as np
import paddle
import paddle.distributed as dist


def main():
    dist.init_parallel_env()
    rank = dist.get_rank()
    cache = []
    for step in range(30):
        cache.append(paddle.to_tensor(np.random.default_rng(step).random((64, 64), dtype="float32")))
        print(f"rank {rank} step {step} cached {len(cache)} batches", flush=True)
        time.sleep(0.2)
        if rank == 1 and step == 5:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
