"""Labels that count from 1, for a head that counts from 0."""

import numpy as np
import paddle
import paddle.nn.functional as F

CLASSES = 5


def main():
    model = paddle.nn.Linear(16, CLASSES)
    optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=model.parameters())
    for step in range(8):
        rng = np.random.default_rng(step)
        labels = paddle.to_tensor(rng.integers(1, CLASSES + 1, 32))
        loss = F.cross_entropy(model(paddle.to_tensor(rng.random((32, 16), dtype="float32"))), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        print(f"step {step} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
