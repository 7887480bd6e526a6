"""Started with an option of another release of the script."""

import argparse

import paddle


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    options = parser.parse_args()
    model = paddle.nn.Linear(16, 4)
    print(paddle.optimizer.SGD(learning_rate=options.lr, parameters=model.parameters()).get_lr())


if __name__ == "__main__":
    main()
