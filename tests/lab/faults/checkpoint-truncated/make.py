"""A download of the checkpoint that broke off after two thirds."""

import os

import paddle


class Net(paddle.nn.Layer):
    def __init__(self, classes=10):
        super().__init__()
        self.backbone = paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.ReLU())
        self.head = paddle.nn.Linear(32, classes)


paddle.save(Net().state_dict(), "output/best.pdparams")
os.truncate("output/best.pdparams", os.path.getsize("output/best.pdparams") * 2 // 3)
