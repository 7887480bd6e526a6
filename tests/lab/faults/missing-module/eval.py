"""A detector's evaluation that needs COCO's tools, on a machine that lacks them."""

import numpy as np
import paddle
from pycocotools.cocoeval import COCOeval


def main():
    model = paddle.nn.Linear(16, 4)
    model.eval()
    boxes = model(paddle.to_tensor(np.ones((8, 16), dtype="float32")))
    COCOeval(boxes.numpy()).evaluate()


if __name__ == "__main__":
    main()
