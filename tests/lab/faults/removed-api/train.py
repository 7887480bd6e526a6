"""A script of the 1.x days: paddle.fluid left Paddle in 2.5."""

import numpy as np
import paddle.fluid as fluid


def main():
    with fluid.dygraph.guard():
        model = fluid.dygraph.Linear(16, 4)
        print(model(fluid.dygraph.to_variable(np.ones((8, 16), dtype="float32"))).numpy())


if __name__ == "__main__":
    main()
