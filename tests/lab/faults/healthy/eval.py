"""Evaluation that is right in one process and under a launcher: guard, sampler, weights, reduced counts."""

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.io import DataLoader, Dataset, DistributedBatchSampler


class Net(paddle.nn.Layer):
    def __init__(self, classes=10):
        super().__init__()
        self.backbone = paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.ReLU())
        self.head = paddle.nn.Linear(32, classes)

    def forward(self, features):
        return self.head(self.backbone(features))


class Validation(Dataset):
    def __getitem__(self, index):
        return np.random.default_rng(index).random(16, dtype="float32"), np.int64(index % 10)

    def __len__(self):
        return 80


def main():
    if dist.ParallelEnv().world_size > 1:
        dist.init_parallel_env()
    model = Net()
    missing, unexpected = model.set_state_dict(paddle.load("output/best.pdparams"))
    if missing or unexpected:
        raise SystemExit(f"the checkpoint does not fit: {missing} {unexpected}")
    model.eval()
    data = Validation()
    loader = DataLoader(data, batch_sampler=DistributedBatchSampler(data, batch_size=8), num_workers=2)
    counts = paddle.zeros([2])
    with paddle.no_grad():
        for features, label in loader:
            right = (model(features).argmax(axis=1) == label).sum()
            counts += paddle.stack([right, paddle.to_tensor(len(label))]).astype("float32")
    if dist.get_world_size() > 1:
        dist.all_reduce(counts)
    if dist.get_rank() == 0:
        right, seen = counts.tolist()
        print(f"accuracy {right / seen:.3f} over {seen:.0f} samples")


if __name__ == "__main__":
    main()
