"""The checkpoint of a training layer that holds a DataParallel: its keys carry the wrapper's name."""

import paddle


class Net(paddle.nn.Layer):
    def __init__(self, classes=10):
        super().__init__()
        self.backbone = paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.ReLU())
        self.head = paddle.nn.Linear(32, classes)


class Training(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.net = paddle.DataParallel(Net())


paddle.save(Training().state_dict(), "output/best.pdparams")
