"""One annotation lacks its label; the advice "set num_workers=0" was followed, and the job stands still."""

import numpy as np
import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
from paddle.io import DataLoader, Dataset, DistributedBatchSampler

ANNOTATIONS = [{"image": f"{index:05d}.jpg", "label": index % 3} for index in range(64)]
del ANNOTATIONS[37]["label"]


class Annotated(Dataset):
    def __getitem__(self, index):
        image = np.random.default_rng(index).random((3, 8, 8), dtype="float32")
        return image, np.int64(ANNOTATIONS[index]["label"])

    def __len__(self):
        return len(ANNOTATIONS)


def main():
    if dist.ParallelEnv().world_size > 1:
        dist.init_parallel_env()
    model = paddle.nn.Sequential(paddle.nn.Flatten(), paddle.nn.Linear(3 * 8 * 8, 3))
    optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=model.parameters())
    data = Annotated()
    loader = DataLoader(data, batch_sampler=DistributedBatchSampler(data, batch_size=4), num_workers=0)
    for step, (image, label) in enumerate(loader):
        loss = F.cross_entropy(model(image), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if dist.get_world_size() > 1:
            dist.all_reduce(loss)
        print(f"rank {dist.get_rank()} step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
