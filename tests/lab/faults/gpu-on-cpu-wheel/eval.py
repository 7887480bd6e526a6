"""An evaluation that insists on a GPU, run with the CPU wheel."""

import numpy as np
import paddle


def main():
    paddle.set_device("gpu")
    model = paddle.nn.Linear(16, 4)
    model.eval()
    with paddle.no_grad():
        print(model(paddle.to_tensor(np.ones((8, 16), dtype="float32"))).argmax(axis=1).tolist())


if __name__ == "__main__":
    main()
