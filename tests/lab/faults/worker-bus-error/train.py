"""A feature file is cut short while a DataLoader worker has it mapped: SIGBUS."""

import mmap
import os

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle.io import DataLoader, Dataset, get_worker_info

ROW = 4096  # bytes, a page of memory
ROWS = 64


class Mapped(Dataset):
    """Rows of a file that is read through the page cache; another program may write it anew at any time."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.write(np.random.default_rng(0).random(ROWS * ROW // 4, dtype="float32").tobytes())
        self.file = open(path, "rb")
        self.rows = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)

    def __getitem__(self, index):
        if index == 20 and get_worker_info() is not None:
            os.truncate(self.path, ROW)
        return np.frombuffer(self.rows[index * ROW : (index + 1) * ROW], dtype="float32"), np.int64(index % 3)

    def __len__(self):
        return ROWS


def main():
    model = paddle.nn.Linear(ROW // 4, 3)
    for step, (row, label) in enumerate(DataLoader(Mapped("features.bin"), batch_size=4, num_workers=2)):
        loss = F.cross_entropy(model(row), label)
        print(f"step {step} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
