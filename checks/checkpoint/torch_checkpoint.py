"""Finds checkpoints of PyTorch that are given to Paddle."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.checkpoint import Checkpoint, Format

from .patients import example, healthy

PAGE = Page(
    code="PD207",
    name="torch-checkpoint",
    severity=Severity.ERROR,
    title=Text("The file was saved by PyTorch", "文件是 PyTorch 保存的"),
    what=Text(
        "The file was written by torch.save: since PyTorch 1.6 a zip archive, before (and with "
        "_use_new_zipfile_serialization=False) a row of pickles behind a magic number.",
        "文件由 torch.save 写出：PyTorch 1.6 起是 zip 归档；更早的版本（或 _use_new_zipfile_serialization=False）"
        "是以一个魔数开头的一串 pickle。",
    ),
    why=Text(
        "paddle.load cannot read the zip form (ValueError: can not parse the file). With the old form it raises "
        "nothing at all: it returns PyTorch's magic number, an int, and the job fails later at set_state_dict with "
        "AttributeError: 'int' object has no attribute ...",
        "zip 形式 paddle.load 无法读取（ValueError: can not parse the file）。旧形式则根本不报错：返回的是 PyTorch 的"
        "魔数（一个 int），之后在 set_state_dict 处才报 AttributeError: 'int' object has no attribute ……",
    ),
    cure=Text(
        "Convert it where PyTorch is installed. Keys and layouts differ: torch.nn.Linear keeps its weight as "
        "[out, in], paddle.nn.Linear as [in, out], so those must be transposed; running_mean and running_var "
        "of a batch norm are called _mean and _variance in Paddle.",
        "在装有 PyTorch 的环境中转换。键名和布局有差别：torch.nn.Linear 的 weight 是 [out, in]，paddle.nn.Linear 是 "
        "[in, out]，需要转置；BatchNorm 的 running_mean、running_var 在 Paddle 中叫 _mean、_variance。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=(
        "measured: tests/subjects/checkpoint/test_real_paddle.py",
        "https://pytorch.org/docs/stable/notes/serialization.html",
        "https://www.paddlepaddle.org.cn/documentation/docs/en/guides/model_convert/convert_from_pytorch/index_en.html",
    ),
)

ZIP = Text(
    "{name} was saved by PyTorch. paddle.load cannot read it.",
    "{name} 是 PyTorch 保存的，paddle.load 无法读取。",
)
LEGACY = Text(
    "{name} was saved by PyTorch in its old format. paddle.load raises no error: it returns a meaningless number, and "
    "the job fails later.",
    "{name} 是 PyTorch 以旧格式保存的。paddle.load 不报错，而是返回一个没有意义的整数，任务稍后才会失败。",
)
CONVERT = Text(
    "Convert it where PyTorch is installed, then rename keys and transpose the weights of Linear layers.",
    "在装有 PyTorch 的环境中转换，然后改键名，并转置 Linear 层的 weight。",
)


def _fires() -> Iterator[Example]:
    yield example(
        Text("a .pth file of today", "新格式的 .pth 文件"), Checkpoint(path="m.pth", size=4096, format=Format.TORCH_ZIP)
    )
    yield example(
        Text("a .pth file in the old format", "旧格式的 .pth 文件"),
        Checkpoint(path="m.pdparams", size=4096, format=Format.TORCH_LEGACY),
    )


def _silent() -> Iterator[Example]:
    yield healthy()
    yield example(
        Text("a zip archive of another kind", "其他 zip 归档"),
        Checkpoint(path="m.zip", size=4096, format=Format.ZIP),
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def torch_checkpoint(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Tell both of PyTorch's formats apart, since Paddle reacts differently."""
    message = {Format.TORCH_ZIP: ZIP, Format.TORCH_LEGACY: LEGACY}.get(checkpoint.format)
    if message is None:
        return
    code = (
        "import paddle\nimport torch\n\n"
        f"state = torch.load({checkpoint.path!r}, map_location='cpu', weights_only=True)\n"
        "converted = {key: paddle.to_tensor(value.numpy()) for key, value in state.items()}\n"
        f"paddle.save(converted, {f'{checkpoint.stem}.converted.pdparams'!r})"
    )
    yield PAGE.finding(
        message.fill(name=checkpoint.name),
        location=Location(path=checkpoint.path),
        fix=Fix(summary=CONVERT, code=code),
    )
