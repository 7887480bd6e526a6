"""Whatever a thing is imported as, a call is known by its full name, and its arguments by their values."""

import pytest

from paddle_doctor.subjects.script import Argument, Origin, Script, read_script


def read(source: str) -> Script:
    script = read_script(source, "eval.py")
    assert script.fault is None, script.fault
    return script


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import paddle\npaddle.io.DataLoader(d)", "paddle.io.DataLoader"),
        ("import paddle.io\npaddle.io.DataLoader(d)", "paddle.io.DataLoader"),
        ("import paddle.io as pio\npio.DataLoader(d)", "paddle.io.DataLoader"),
        ("from paddle import io\nio.DataLoader(d)", "paddle.io.DataLoader"),
        ("from paddle.io import DataLoader as DL\nDL(d)", "paddle.io.DataLoader"),
        ("from paddle.io import *\nDataLoader(d)", "paddle.io.DataLoader"),
        ("from paddle.io import *\nfrom paddle.distributed import *\nspawn(f)", "paddle.distributed.spawn"),
        ("import paddle.fluid as fluid\nfluid.io.DataLoader(d)", "paddle.io.DataLoader"),
        ("import paddle\nDL = paddle.io.DataLoader\nDL(d)", "paddle.io.DataLoader"),
        ("import paddle.distributed as dist\ndist.spawn(f)", "paddle.distributed.spawn"),
        ("from paddle import DataParallel as DP\nDP(net)", "paddle.DataParallel"),
        ("import paddle\npaddle.device.set_device('gpu')", "paddle.set_device"),
        ("import paddle\nm = paddle.Model(net)\nm.evaluate(d)", "paddle.Model.evaluate"),
        ("import torch.multiprocessing as mp\np = mp.Process()\np.start()", "multiprocessing.Process.start"),
        ("import torch.multiprocessing as mp\nmp.spawn(f)", "torch.multiprocessing.spawn"),
        (
            "from multiprocessing import Process\nps = [Process() for _ in x]\nfor p in ps:\n    p.start()",
            "multiprocessing.Process.start",
        ),
        (
            "import multiprocessing\nps = []\nps.append(multiprocessing.Process())\nfor p in ps: p.start()",
            "multiprocessing.Process.start",
        ),
        ("import multiprocessing as m\nctx = m.get_context('spawn')\nctx.Pool()", "multiprocessing.get_context.Pool"),
        (
            "try:\n    from paddle.io import DataLoader\nexcept ImportError:\n    DataLoader = None\nDataLoader(d)",
            "paddle.io.DataLoader",
        ),
        ("def f():\n    from paddle import load\n    return load\nf()('x')", "paddle.load"),
        ("model.cuda()", "?.cuda"),
        ("def f(model):\n    model.cuda()", "?.cuda"),
        ("f()()()", "?.__call__"),
        ("from . import io\nio.DataLoader(d)", ".io.DataLoader"),
        ("import paddle\npaddle = other\npaddle.load('x')", "?.load"),
    ],
)
def test_a_call_is_known_by_its_full_name(source: str, name: str):
    assert name in [call.name for call in read(source).calls]


def test_a_function_of_the_file_hides_an_import_of_the_same_name():
    (call,) = read("from paddle import load\ndef load(path): ...\nload('x')").calls
    assert (call.name, call.local) == ("load", True)


def workers(source: str) -> Argument | None:
    """The argument `num_workers` of the last call of DataLoader."""
    script = read("import argparse, os\nfrom paddle.io import DataLoader\n" + source)
    return [call for _, call in script.calls_of("paddle.io.DataLoader")][-1].argument("num_workers", 9)


@pytest.mark.parametrize(
    ("source", "origin", "value"),
    [
        ("DataLoader(d, num_workers=4)", Origin.LITERAL, 4),
        ("DataLoader(d, None, None, True, None, 1, False, False, None, 4)", Origin.LITERAL, 4),
        ("DataLoader(d, num_workers=None)", Origin.LITERAL, None),
        ("nw = 4\nDataLoader(d, num_workers=nw)", Origin.CONSTANT, 4),
        ("nw = 8\nnw = 4\nDataLoader(d, num_workers=nw)", Origin.CONSTANT, 4),
        ("def make(nw=4):\n    DataLoader(d, num_workers=nw)\nmake()", Origin.CONSTANT, 4),
        ("def make(nw):\n    DataLoader(d, num_workers=nw)\nmake(nw=4)", Origin.CONSTANT, 4),
        (
            (
                "class E:\n    def __init__(self, nw):\n        self.nw = nw\n    def run(self):\n"
                "        DataLoader(d, num_workers=self.nw)\nE(4).run()"
            ),
            Origin.CONSTANT,
            4,
        ),
        (
            (
                "p = argparse.ArgumentParser()\np.add_argument('-j', '--num-workers', default=4)\n"
                "args = p.parse_args()\nDataLoader(d, num_workers=args.num_workers)"
            ),
            Origin.DEFAULT,
            4,
        ),
        (
            (
                "p = argparse.ArgumentParser()\np.add_argument('--nw', default=4)\n"
                "def main(args):\n    DataLoader(d, num_workers=args.nw)\nmain(p.parse_args())"
            ),
            Origin.DEFAULT,
            4,
        ),
        (
            (
                "p.add_argument('--nw', default=4)\nq.add_argument('--nw', default=0)\n"
                "def main(args):\n    DataLoader(d, num_workers=args.nw)\n"
            ),
            Origin.UNKNOWN,
            None,
        ),
        ("DataLoader(d, num_workers=os.cpu_count())", Origin.UNKNOWN, None),
        ("DataLoader(d, num_workers=cfg.get('num_workers', 4))", Origin.UNKNOWN, None),
        ("nw = 4\nif x:\n    nw = 0\nDataLoader(d, num_workers=nw)", Origin.UNKNOWN, None),
        ("nw = 4\nnw += x\nDataLoader(d, num_workers=nw)", Origin.UNKNOWN, None),
        ("nw = 4\ndef set(n):\n    global nw\n    nw = n\nDataLoader(d, num_workers=nw)", Origin.UNKNOWN, None),
        ("def make(nw):\n    DataLoader(d, num_workers=nw)\nmake(4)\nmake(0)", Origin.UNKNOWN, None),
        ("def make(nw=4):\n    DataLoader(d, num_workers=nw)", Origin.UNKNOWN, None),
        ("flag = True\nDataLoader(d, num_workers=4 if flag else 0)", Origin.UNKNOWN, None),
    ],
)
def test_a_value_is_followed_where_it_can_have_only_one(source: str, origin: Origin, value: object):
    argument = workers(source)
    assert argument is not None
    assert (argument.origin, argument.value) == (origin, value)


def test_an_argument_that_is_not_given_is_not_the_same_as_an_unknown_one():
    assert workers("DataLoader(d)") is None
    hidden = read("from paddle.io import DataLoader\nDataLoader(d, **options)").calls[-1]
    assert hidden.argument("num_workers", 9) is None
    assert hidden.unpacks


def test_a_path_is_put_together_from_its_constant_parts():
    source = "import os, paddle\nroot = 'output/'\npaddle.load(os.path.join(root, 'best' + '.pdparams'))"
    assert [each.path for each in read(source).checkpoints] == ["output/best.pdparams"]


def test_a_secret_never_becomes_a_fact():
    script = read("import os\nos.environ['HF_TOKEN'] = 'hunter2hunter2'\nlogin(password='hunter2hunter2')\n")
    assert "hunter2" not in repr(script)
    assert script.variables[0].variable == "HF_TOKEN"
