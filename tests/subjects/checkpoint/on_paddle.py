"""Runs inside real Paddle: writes checkpoints into the working folder, prints what Paddle does with them as JSON."""
# mypy: ignore-errors
# ruff: noqa: BLE001 - whatever Paddle raises is what is asked for

import gzip
import io
import json
import pathlib
import pickle
import tarfile
import warnings
import zipfile

import numpy as np
import paddle
from paddle import nn

HERE = pathlib.Path()
OLD_TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."


class Net(nn.Layer):
    """A small model with parameters and buffers."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1D(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.norm(self.fc(x)))


class Holder(nn.Layer):
    """A model that holds a wrapped part."""

    def __init__(self) -> None:
        super().__init__()
        self.net = paddle.DataParallel(Net())


def flat(value, key=""):
    """What paddle.load gave, as [key, shape, dtype] for each tensor."""
    if isinstance(value, dict):
        return [each for name, inner in value.items() for each in flat(inner, f"{key}.{name}" if key else str(name))]
    if isinstance(value, (list, tuple)):
        return [each for at, inner in enumerate(value) for each in flat(inner, f"{key}.{at}" if key else str(at))]
    if isinstance(value, paddle.Tensor):
        return [[key or "(tensor)", list(value.shape), str(value.dtype).removeprefix("paddle.")]]
    return []


def save_all() -> dict:
    """Everything that paddle.save writes, with what paddle.load makes of it."""
    net = Net()
    net(paddle.randn([5, 3])).sum().backward()
    schedule = paddle.optimizer.lr.StepDecay(0.1, 3)
    adam = paddle.optimizer.Adam(learning_rate=schedule, parameters=net.parameters())
    adam.step()
    momentum = paddle.optimizer.Momentum(parameters=net.parameters())
    momentum.step()
    state = net.state_dict()
    half = {key: value.astype("bfloat16") for key, value in state.items()}
    kinds = {
        name: paddle.ones([2, 3]).astype(name) for name in ("float16", "float64", "int8", "int64", "bool", "complex64")
    }
    kinds |= {"scalar": paddle.to_tensor(3.0), "nothing": paddle.zeros([0, 3])}
    dense = paddle.base.core.DenseTensor()
    dense.set(np.ones((2, 3), "f4"), paddle.CPUPlace())
    nested = {"model": state, "opt": adam.state_dict(), "epoch": 3, "best": np.float64(0.5)}
    for protocol in (2, 3, 4):
        paddle.save(state, f"state{protocol}.pdparams", protocol=protocol)
        paddle.save(adam.state_dict(), f"adam{protocol}.pdopt", protocol=protocol)
        paddle.save(nested, f"nested{protocol}.pdparams", protocol=protocol)
        paddle.save(dense, f"dense{protocol}.pdtensor", protocol=protocol)
        paddle.save({"a": kinds, "n": 1}, f"kinds{protocol}.pdparams", protocol=protocol)
    paddle.save(momentum.state_dict(), "momentum.pdopt")
    paddle.save(half, "half.pdparams")
    paddle.save({"a": half, "n": 1}, "half_nested.pdparams")
    paddle.save(kinds, "kinds.pdparams")
    paddle.save(state["fc.weight"], "one.pdtensor")
    paddle.save([state["fc.weight"], 1], "list.pdparams")
    paddle.save(state, "state.safetensors", safetensors=True)
    split = {"w@@.0": np.zeros(6, "f4"), "w@@.1": np.zeros(2, "f4"), "b": np.asfortranarray(np.zeros((2, 3)))}
    table = {"w": {"OriginShape": (4, 2), "slices": ["w@@.0", "w@@.1"]}}  # as with more than 1 GiB under protocol 2
    (HERE / "split.pdparams").write_bytes(pickle.dumps({**split, "UnpackBigParamInfor@@": table}, 2))
    net.eval()
    paddle.jit.save(paddle.jit.to_static(net, input_spec=[paddle.static.InputSpec([None, 3])]), "inference")
    return {
        path.name: flat(paddle.load(str(path), safetensors=path.suffix == ".safetensors"))
        for path in sorted(HERE.iterdir())
        if path.suffix in (".pdparams", ".pdopt", ".pdtensor", ".safetensors")
    }


def load(name: str, **more) -> str:
    """How paddle.load takes the file: the error, or the kind of what it returns."""
    try:
        return type(paddle.load(name, **more)).__name__
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def give(state) -> dict:
    """How a model takes the state: whether it raised, what is missing, whether any weight changed."""
    net = Net()
    before = {key: value.numpy().copy() for key, value in net.state_dict().items()}
    try:
        missing, _ = net.set_state_dict(state)
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}"}
    after = net.state_dict()
    return {
        "raised": None,
        "missing": len(missing),
        "of": len(before),
        "changed": sum(not np.array_equal(before[key], after[key].numpy()) for key in before),
    }


def write(name: str, data: bytes) -> str:
    (HERE / name).write_bytes(data)
    return name


def other_files() -> dict:
    """Files that are no checkpoints, and how paddle.load takes them."""
    zipped, tarred, npz, npy = io.BytesIO(), io.BytesIO(), io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("archive/data.pkl", b"x")
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("x"))
    np.savez(npz, w=np.ones(3))
    np.save(npy, np.ones(3))
    files = {
        "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d" * 32 + b"\nsize 102400\n",
        "html": b"<!DOCTYPE html>\n<html></html>\n",
        "xml": b'<?xml version="1.0"?><Error/>',
        "json": b'{"error": 1}',
        "text": b"hello\n",
        "gzip": gzip.compress((HERE / "state4.pdparams").read_bytes()),
        "tar": tarred.getvalue(),
        "torch_zip": zipped.getvalue(),
        "npz": npz.getvalue(),
        "npy": npy.getvalue(),
        "zeros": bytes(4096),
        "empty": b"",
        "noise": bytes([0x9C, 1, 2, 3]) * 50,
        "torch_legacy": OLD_TORCH,
        "safetensors": (HERE / "state.safetensors").read_bytes(),
        "inference": (HERE / "inference.pdiparams").read_bytes(),
    }
    return {name: load(write(f"{name}.pdparams", data)) for name, data in files.items()}


def cuts() -> list:
    """How paddle.load takes a state dict that is cut at many places."""
    data = (HERE / "state4.pdparams").read_bytes()
    return [[at, load(write(f"cut{at}.pdparams", data[:at]))] for at in (1, 2, 10, 100, len(data) // 2, len(data) - 1)]


def run_inference(prefix: str):
    try:
        return paddle.jit.load(prefix)(paddle.ones([1, 3])).numpy().tolist()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def inference() -> dict:
    """An inference model whose parameters are cut in the last tensor, or go on behind it."""
    data = (HERE / "inference.pdiparams").read_bytes()
    for name, changed in (("cut", data[:-5]), ("longer", data + b"more bytes here")):
        write(f"{name}.pdiparams", changed)
        write(f"{name}.json", (HERE / "inference.json").read_bytes())
    return {name: run_inference(name) for name in ("inference", "cut", "longer")}


def main() -> None:
    warnings.simplefilter("ignore")
    found = {"saved": save_all(), "others": other_files(), "cuts": cuts(), "inference": inference()}
    state = paddle.load("state4.pdparams")
    data = (HERE / "state4.pdparams").read_bytes()
    wrapped = Holder().state_dict()
    prefixed = {f"_layers.{key}": value for key, value in state.items()}
    paddle.save(prefixed, "front.pdparams")
    paddle.save({f"module.{key}": value for key, value in state.items()}, "module.pdparams")
    paddle.save(wrapped, "middle.pdparams")
    found["wrappers"] = {
        "DataParallel.state_dict": list(paddle.DataParallel(Net()).state_dict()),
        "Layer.state_dict": list(nn.Layer.state_dict(paddle.DataParallel(Net()))),
        "named_parameters": [name for name, _ in paddle.DataParallel(Net()).named_parameters()],
        "holder": list(wrapped),
    }
    found["given"] = {
        "healthy": give(state),
        "front": give(prefixed),
        "module": give(paddle.load("module.pdparams")),
        "optimizer": give(paddle.load("adam4.pdopt")),
        "nested": give(paddle.load("nested4.pdparams")),
        "nested taken out": give(paddle.load("nested4.pdparams")["model"]),
        "no tensors": give({"epoch": 3}),
        "list": give(paddle.load("list.pdparams")),
        "tensor": give(paddle.load("one.pdtensor")),
        "torch_legacy": give(paddle.load("torch_legacy.pdparams")),
        "longer": give(paddle.load(write("longer.pdparams", data + b"more bytes here"))),
    }
    bad_size = pickle.dumps({"w": np.zeros(300, "f4")}, 4).replace(b"M\x2c\x01", b"M\x2d\x01")
    found["damaged"] = {
        "opcode": load(write("opcode.pdparams", data[:300] + b"\xff\xff" + data[302:])),
        "size": load(write("size.pdparams", bad_size)),
    }
    found["safetensors"] = {
        "told": load("safetensors.pdparams", safetensors=True),
        "longer": load(
            write("longer.safetensors", (HERE / "state.safetensors").read_bytes() + b"x" * 9), safetensors=True
        ),
        "cut": load(write("cut.safetensors", (HERE / "state.safetensors").read_bytes()[:-5]), safetensors=True),
    }
    write("hostile.pdparams", b"cbuiltins\nexec\n(V" + b"open('canary','w').close()" + b"\ntR.")
    load("hostile.pdparams")
    found["hostile ran"] = (HERE / "canary").exists()
    found["linear"] = list(Net().fc.weight.shape)
    print(json.dumps(found))


main()
