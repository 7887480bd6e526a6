"""Rank 1 waits for a lock file that nobody makes; rank 0 waits for rank 1."""

import os
import time

import numpy as np
import paddle
import paddle.distributed as dist


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.5)


def main():
    dist.init_parallel_env()
    rank = dist.get_rank()
    for step in range(20):
        if rank == 1 and step == 5:
            wait_for("shared/part-1.done")
        mean = paddle.to_tensor(np.random.default_rng(step).random((8,), dtype="float32")).mean()
        dist.all_reduce(mean)
        print(f"rank {rank} step {step} mean {mean.item() / 2:.4f}", flush=True)


if __name__ == "__main__":
    main()
