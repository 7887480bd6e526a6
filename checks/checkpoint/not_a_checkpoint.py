"""Finds files that are no checkpoint at all: pointers, web pages, archives, empty files."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.checkpoint import Checkpoint, Format

from .patients import example, healthy, tensors

PAGE = Page(
    code="PD202",
    name="not-a-checkpoint",
    severity=Severity.ERROR,
    title=Text("The file is not a checkpoint at all", "文件根本不是权重文件"),
    what=Text(
        "The content of the file is not what its name says: a Git LFS pointer in place of the file that it "
        "stands for, a web page that was saved in place of a download, an archive that was not unpacked, an "
        "empty file or one full of zeros, or plain text.",
        "文件内容与文件名不符：是 Git LFS 指针而不是它所指的文件，是下载时误存的网页，是没有解压的压缩包，"
        "是空文件或全零文件，或者是普通文本。",
    ),
    why=Text(
        "paddle.load cannot read it. Whatever the file really is, the message is nearly always the same "
        "(ValueError: `paddle.load` can not parse the file), so it does not tell what went wrong. Two kinds "
        "differ: an empty file gives EOFError: Ran out of input, and the parameters of an inference model load "
        "without an error, as meaningless values.",
        "paddle.load 无法读取它。不管文件实际是什么，报错几乎都一样（ValueError: `paddle.load` can not parse "
        "the file），看不出问题所在。有两种例外：空文件报 EOFError: Ran out of input；推理模型的参数文件不报错，"
        "但读出的值没有意义。",
    ),
    cure=Text(
        "Fetch the real file: 'git lfs pull' for a pointer, the direct link for a page; unpack an archive. For "
        "an empty file, check whether the disk is full, and take an earlier checkpoint.",
        "获取真正的文件：指针用“git lfs pull”，网页改用直接下载链接，压缩包先解压；空文件请检查磁盘是否已满，"
        "并改用更早的检查点。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("measured: tests/subjects/checkpoint/test_real_paddle.py",),
)

#: What the file is, in one sentence, by its format.
WHAT = {
    Format.LFS_POINTER: Text(
        "{name} is a Git LFS pointer, not the file itself: the repository was cloned without its large files.",
        "{name} 只是 Git LFS 指针，不是文件本身：克隆仓库时没有下载大文件。",
    ),
    Format.HTML: Text(
        "{name} is a web page: a download was answered with a page (a login, a preview, an error) and the page was "
        "saved under this name.",
        "{name} 是一个网页：下载时得到的是页面（登录页、预览页或错误页），被存成了这个文件名。",
    ),
    Format.XML: Text(
        "{name} is an XML document, such as a storage service sends when it refuses a download.",
        "{name} 是一个 XML 文档，对象存储拒绝下载时会返回这样的内容。",
    ),
    Format.JSON: Text(
        "{name} is JSON text: a configuration, or a server's answer in place of a download.",
        "{name} 是 JSON 文本：可能是配置文件，也可能是下载时服务器返回的消息。",
    ),
    Format.TEXT: Text("{name} is a text file.", "{name} 是文本文件。"),
    Format.EMPTY: Text(
        "{name} is empty (0 bytes): saving or downloading ended before the first byte.",
        "{name} 是空文件（0 字节）：保存或下载在写入第一个字节之前就中断了。",
    ),
    Format.ZEROS: Text(
        "{name} holds nothing but zero bytes: its space was reserved, its data never reached the disk.",
        "{name} 里全是零字节：空间已预留，但数据没有写到磁盘上。",
    ),
    Format.GZIP: Text("{name} is compressed with gzip.", "{name} 是 gzip 压缩文件。"),
    Format.TAR: Text("{name} is a tar archive.", "{name} 是 tar 归档文件。"),
    Format.ZIP: Text("{name} is a zip archive.", "{name} 是 zip 压缩包。"),
    Format.NUMPY: Text(
        "{name} is a NumPy file (.npy or .npz), not one that paddle.save wrote.",
        "{name} 是 NumPy 文件（.npy 或 .npz），不是 paddle.save 保存的。",
    ),
    Format.HDF5: Text("{name} is an HDF5 file (Keras writes such files).", "{name} 是 HDF5 文件（例如 Keras 所用）。"),
    Format.SAFETENSORS: Text(
        "{name} holds safetensors under another suffix: paddle.load reads it only with safetensors=True.",
        "{name} 的内容是 safetensors，扩展名却不是：加上 safetensors=True，paddle.load 才能读取。",
    ),
    Format.INFERENCE_PARAMS: Text(
        "{name} holds the parameters of an inference model (.pdiparams), not a state dict: paddle.load does not "
        "complain and returns meaningless values.",
        "{name} 的内容是推理模型的参数（.pdiparams），不是 state dict：paddle.load 不报错，但返回的值没有意义。",
    ),
    Format.INFERENCE_PROGRAM: Text(
        "{name} is the program of an inference model; its weights are in the .pdiparams file next to it.",
        "{name} 是推理模型的程序文件，权重在旁边的 .pdiparams 文件里。",
    ),
    Format.UNKNOWN: Text(
        "{name} is in no format that paddle-doctor knows.",
        "{name} 不是 paddle-doctor 认识的任何格式。",
    ),
}

FETCH = Text("Fetch the real file{size}.", "下载真正的文件{size}。")
ITS_SIZE = Text(" ({size} bytes)", "（{size} 字节）")
DOWNLOAD = Text(
    "Download it again by the direct link (on code hosts the one called raw or download), and look at its size.",
    "用直接下载链接重新下载（代码托管网站上标为 raw 或“下载”的链接），并核对文件大小。",
)
REFUSED = Text(
    "Open the file: it says why the download was refused. Often the link has expired; get a new one.",
    "打开文件看看，里面写明了拒绝下载的原因；常见的是链接已过期，请重新获取。",
)
RIGHT_PATH = Text(
    "Check the path: this does not look like the file that was meant.", "请核对路径：这看起来不是要加载的那个文件。"
)
EARLIER = Text(
    "Take an earlier checkpoint or copy the file again. paddle.save writes in place, so a full disk destroys the file "
    "that it overwrites: check the space first.",
    "改用更早的检查点，或重新拷贝该文件。paddle.save 直接覆盖原文件，磁盘满时会毁掉旧文件：请先检查剩余空间。",
)
UNPACK = Text("Unpack it, and load what is inside.", "先解压，再加载里面的文件。")
ANOTHER = Text("Convert it, or take the file that was made for Paddle.", "转换格式，或改用为 Paddle 准备的文件。")
TELL_LOAD = Text(
    "Load it with safetensors=True. Renaming the file is not enough.",
    "加载时传入 safetensors=True；只改扩展名没有用。",
)
JIT = Text(
    "Load it with paddle.jit.load (the path without its suffix), or with an inference predictor.",
    "用 paddle.jit.load（传入不带扩展名的路径前缀）或推理 Predictor 加载。",
)


#: What to do about it, with the commands.
CURE: dict[Format, tuple[Text, tuple[str, ...]]] = {
    Format.LFS_POINTER: (FETCH, ("git lfs install", "git lfs pull --include {name}")),
    Format.HTML: (DOWNLOAD, ()),
    Format.XML: (REFUSED, ()),
    Format.EMPTY: (EARLIER, ("df -h {folder}",)),
    Format.ZEROS: (EARLIER, ("df -h {folder}",)),
    Format.GZIP: (UNPACK, ("gzip -dc {path} > {path}.unpacked",)),
    Format.TAR: (UNPACK, ("tar -xf {path}",)),
    Format.ZIP: (UNPACK, ("unzip {path}",)),
    Format.NUMPY: (ANOTHER, ()),
    Format.HDF5: (ANOTHER, ()),
    Format.SAFETENSORS: (TELL_LOAD, ()),
    Format.INFERENCE_PARAMS: (JIT, ()),
    Format.INFERENCE_PROGRAM: (JIT, ()),
}


def _fix(checkpoint: Checkpoint) -> Fix:
    summary, commands = CURE.get(checkpoint.format, (RIGHT_PATH, ()))
    folder = checkpoint.path[: -len(checkpoint.name)] or "."
    names = {"name": checkpoint.name, "path": checkpoint.path, "folder": folder}
    quoted = {key: shlex.quote(value) for key, value in names.items()}
    size = "" if checkpoint.lfs_size is None else ITS_SIZE.fill(size=f"{checkpoint.lfs_size:,}")
    load = f"state = paddle.load({checkpoint.path!r}, safetensors=True)"
    return Fix(
        summary=summary.fill(size=size),
        commands=tuple(each.format(**quoted) for each in commands),
        code=load if checkpoint.format is Format.SAFETENSORS else None,
    )


def _plain(form: Format, path: str = "model.pdparams", first_line: str | None = None) -> Checkpoint:
    return Checkpoint(path=path, size=0 if form is Format.EMPTY else 4096, format=form, first_line=first_line)


def _fires() -> Iterator[Example]:
    yield example(
        Text("a Git LFS pointer", "Git LFS 指针"),
        Checkpoint(
            path="model.pdparams",
            size=131,
            format=Format.LFS_POINTER,
            first_line="version https://git-lfs.github.com/spec/v1",
            lfs_size=102400,
        ),
    )
    yield example(
        Text("a web page", "网页"),
        _plain(Format.HTML, first_line="<!DOCTYPE html>"),
    )
    yield example(Text("an empty file", "空文件"), _plain(Format.EMPTY))
    yield example(Text("a file full of zeros", "全零文件"), _plain(Format.ZEROS))
    yield example(Text("a gzip file", "gzip 压缩文件"), _plain(Format.GZIP))
    yield example(Text("a zip archive", "zip 压缩包"), _plain(Format.ZIP))
    yield example(Text("safetensors called .pdparams", "扩展名为 .pdparams 的 safetensors"), _plain(Format.SAFETENSORS))
    yield example(
        Text("parameters of an inference model called .pdparams", "扩展名为 .pdparams 的推理模型参数"),
        Checkpoint(path="model.pdparams", size=4096, format=Format.INFERENCE_PARAMS, tensors=tensors("#0", "#1")),
    )


def _silent() -> Iterator[Example]:
    yield healthy()
    yield example(
        Text("safetensors under their own suffix", "扩展名正确的 safetensors"),
        _plain(Format.SAFETENSORS, "model.safetensors"),
    )
    yield example(
        Text("the parameters of an inference model", "推理模型的参数文件"),
        Checkpoint(path="model.pdiparams", size=4096, format=Format.INFERENCE_PARAMS, tensors=tensors("#0", "#1")),
    )
    yield example(
        Text("one tensor saved with use_binary_format", "用 use_binary_format 保存的单个张量"),
        Checkpoint(path="x.pdtensor", size=74, format=Format.INFERENCE_PARAMS, tensors=tensors("#0")),
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def not_a_checkpoint(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Say what the file is, if it is no checkpoint."""
    form = checkpoint.format
    if form not in WHAT or _as_it_should_be(checkpoint):
        return
    line = checkpoint.first_line
    certain = form not in (Format.UNKNOWN, Format.ZEROS)
    yield PAGE.finding(
        WHAT[form].fill(name=checkpoint.name),
        severity=Severity.INFO if form is Format.INFERENCE_PROGRAM else Severity.ERROR,
        certainty=Certainty.CERTAIN if certain else Certainty.LIKELY,
        location=Location(path=checkpoint.path),
        evidence=[Evidence(text=line, path=checkpoint.path, line=1)] if line else [],
        fix=_fix(checkpoint),
    )


def _as_it_should_be(checkpoint: Checkpoint) -> bool:
    if checkpoint.format is Format.SAFETENSORS:
        return checkpoint.suffix == ".safetensors"
    if checkpoint.format is Format.INFERENCE_PARAMS:
        return checkpoint.suffix != ".pdparams" or len(checkpoint.tensors) < 2
    return False
