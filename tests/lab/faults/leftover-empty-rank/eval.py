"""An evaluation started by a job script that exports a rank of nothing."""

import numpy as np
import paddle
from paddle.io import DataLoader, Dataset, DistributedBatchSampler


class Digits(Dataset):
    def __getitem__(self, index):
        return np.random.default_rng(index).random(16, dtype="float32"), np.int64(index % 4)

    def __len__(self):
        return 40


def main():
    model = paddle.nn.Linear(16, 4)
    model.eval()
    digits = Digits()
    loader = DataLoader(digits, batch_sampler=DistributedBatchSampler(digits, batch_size=4))
    right = seen = 0
    with paddle.no_grad():
        for image, label in loader:
            right += (model(image).argmax(axis=1) == label).sum().item()
            seen += len(label)
    print(f"accuracy {right / seen:.3f} over {seen} samples")


if __name__ == "__main__":
    main()
