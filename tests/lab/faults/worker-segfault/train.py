"""A Dataset that returns Paddle Tensors from its worker processes."""

import paddle
import paddle.nn.functional as F
from paddle.io import DataLoader, Dataset


class Prepared(Dataset):
    def __getitem__(self, index):
        image = paddle.full([3, 8, 8], float(index % 7))
        return image, paddle.to_tensor(index % 3)

    def __len__(self):
        return 2048


def main():
    model = paddle.nn.Sequential(paddle.nn.Flatten(), paddle.nn.Linear(3 * 8 * 8, 3))
    for step, (image, label) in enumerate(DataLoader(Prepared(), batch_size=4, num_workers=2)):
        loss = F.cross_entropy(model(image), label)
        print(f"step {step} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
