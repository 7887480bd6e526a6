"""A DataLoader worker that grows until the kernel kills it (played by a SIGKILL to itself)."""

import os
import signal

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle.io import DataLoader, Dataset, get_worker_info


class Cached(Dataset):
    """Keeps every decoded image: fine for a hundred, fatal for a million."""

    def __init__(self):
        self.cache = {}

    def __getitem__(self, index):
        if index not in self.cache:
            self.cache[index] = np.random.default_rng(index).random((3, 8, 8), dtype="float32")
        if len(self.cache) > 12 and get_worker_info() is not None:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.cache[index], np.int64(index % 3)

    def __len__(self):
        return 96


def main():
    model = paddle.nn.Sequential(paddle.nn.Flatten(), paddle.nn.Linear(3 * 8 * 8, 3))
    optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=model.parameters())
    for step, (image, label) in enumerate(DataLoader(Cached(), batch_size=4, num_workers=2)):
        loss = F.cross_entropy(model(image), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        print(f"step {step} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
