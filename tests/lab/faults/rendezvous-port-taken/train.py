"""Two ranks that are told to meet at a port where another service already listens."""

import paddle
import paddle.distributed as dist


def main():
    dist.init_parallel_env()
    total = paddle.to_tensor(float(dist.get_rank()))
    dist.all_reduce(total)
    print(f"rank {dist.get_rank()} total {total.item()}")


if __name__ == "__main__":
    main()
