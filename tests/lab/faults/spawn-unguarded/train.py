"""Two processes by paddle.distributed.spawn, started while the module is still being imported."""

import numpy as np
import paddle
import paddle.distributed as dist


def train(learning_rate):
    dist.init_parallel_env()
    model = paddle.DataParallel(paddle.nn.Linear(16, 4))
    optimizer = paddle.optimizer.SGD(learning_rate=learning_rate, parameters=model.parameters())
    for step in range(4):
        loss = model(paddle.to_tensor(np.ones((8, 16), dtype="float32"))).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        print(f"rank {dist.get_rank()} step {step} loss {loss.item():.4f}")


dist.spawn(train, args=(0.1,), nprocs=2, backend="gloo")
