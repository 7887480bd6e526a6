"""Accuracy per kind of surface defect on the validation set, with two ranks.

python -m paddle.distributed.launch --nproc_per_node 2 eval.py
python eval.py    (starts the two ranks itself)
"""

import os

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.io import DataLoader, Dataset, DistributedBatchSampler

KINDS = ["crazing", "inclusion", "patches", "pitted", "rolled-in", "scratches"]


class Defects(Dataset):
    """240 gray images of 16 × 16 pixels and the kind that an annotator wrote for each."""

    def __init__(self):
        rng = np.random.default_rng(2026)
        self.images = rng.random((240, 1, 16, 16), dtype="float32")
        self.kinds = rng.choice(KINDS, 240).tolist()
        self.kinds[105] = "scratchs"

    def __getitem__(self, index):
        return self.images[index], index

    def __len__(self):
        return len(self.images)


class Inspector(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.net = paddle.nn.Sequential(
            ("edges", paddle.nn.Conv2D(1, 4, 3, stride=2, padding=1)),
            ("relu", paddle.nn.ReLU()),
            ("flat", paddle.nn.Flatten()),
            ("head", paddle.nn.Linear(4 * 8 * 8, len(KINDS))),
        )

    def forward(self, image):
        return self.net(image)


def evaluate():
    dist.init_parallel_env()
    model = Inspector()
    model.set_state_dict(paddle.load("model.pdparams"))
    model.eval()
    defects = Defects()
    loader = DataLoader(defects, batch_sampler=DistributedBatchSampler(defects, batch_size=8), num_workers=2)
    right = paddle.zeros([len(KINDS)])
    with paddle.no_grad():
        for batch, (image, index) in enumerate(loader):
            guesses = model(image).argmax(axis=1)
            for guess, sample in zip(guesses.tolist(), index.tolist()):
                kind = KINDS.index(defects.kinds[sample])
                right[kind] += float(guess == kind)
            seen = right.sum()
            dist.all_reduce(seen)
            print(f"rank {dist.get_rank()} batch {batch}: {seen.item():.0f} right so far")
    dist.all_reduce(right)
    print("right per kind:", dict(zip(KINDS, right.tolist())))


if "PADDLE_TRAINER_ID" in os.environ:
    evaluate()
else:
    dist.spawn(evaluate, nprocs=2, backend="gloo")
