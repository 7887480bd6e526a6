"""What a shell's variables do to ordinary code: `data`, `model`, `save`, `init` or `download`, as the argument says."""

import sys
from pathlib import Path

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.io import DataLoader, Dataset, DistributedBatchSampler


class Ten(Dataset):
    def __getitem__(self, index):
        return np.full(4, index, dtype="float32")

    def __len__(self):
        return 10


def data():
    ten = Ten()
    loop = sum(len(batch) for batch in DataLoader(ten, batch_size=2))
    shared = sum(len(batch) for batch in DataLoader(ten, batch_sampler=DistributedBatchSampler(ten, 1)))
    print(f"rank {dist.get_rank()} loop {loop} sampler {shared}", flush=True)


def model():
    paddle.Model(paddle.nn.Linear(4, 2))
    print("has a model", flush=True)


def save():
    paddle.Model(paddle.nn.Linear(4, 2)).save("saved")
    print("saved" if Path("saved.pdparams").exists() else "saved nothing", flush=True)


def init():
    dist.init_parallel_env()
    print(f"rank {dist.get_rank()} of {dist.get_world_size()}", flush=True)


def download():
    from paddle.utils.download import get_weights_path_from_url

    print("asks for weights", flush=True)
    get_weights_path_from_url("http://127.0.0.1:1/weights")


{"data": data, "model": model, "save": save, "init": init, "download": download}[sys.argv[1]]()
