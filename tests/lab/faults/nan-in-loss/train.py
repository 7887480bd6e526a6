"""A logarithm of zero in the loss, with Paddle's own check for NaN and Inf switched on."""

import numpy as np
import paddle


def main():
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    model = paddle.nn.Linear(16, 4)
    for step in range(8):
        scale = 0.0 if step == 3 else 1.0
        features = paddle.to_tensor(scale * np.ones((8, 16), dtype="float32"))
        loss = -paddle.log(features.sum()) + model(features).mean()
        loss.backward()
        print(f"step {step} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
