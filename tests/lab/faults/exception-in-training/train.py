"""Training with DataParallel; rank 1 stops at a loss that its own check does not accept."""

import numpy as np
import paddle
import paddle.distributed as dist
import paddle.nn.functional as F

STEPS = 12


def batch_of(step, rank):
    rng = np.random.default_rng(100 * rank + step)
    scale = 1e9 if (rank, step) == (1, 4) else 1.0  # a file in another unit
    return paddle.to_tensor(rng.random((8, 16), dtype="float32") * scale), paddle.to_tensor(rng.integers(0, 4, (8,)))


def main():
    dist.init_parallel_env()
    rank = dist.get_rank()
    model = paddle.DataParallel(paddle.nn.Linear(16, 4))
    optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=model.parameters())
    for step in range(STEPS):
        features, label = batch_of(step, rank)
        loss = F.cross_entropy(model(features), label)
        if loss.item() > 20:
            raise RuntimeError(f"loss of step {step} is {loss.item():.1f}, the data of this step are damaged")
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        print(f"rank {rank} step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
