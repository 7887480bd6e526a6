"""`paddle-doctor ckpt`: what is in a checkpoint, and what is wrong with it, without loading it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from paddle_doctor.cli.options import command
from paddle_doctor.cli.session import Session
from paddle_doctor.core.facts import to_plain
from paddle_doctor.core.finding import Table
from paddle_doctor.core.language import Text, same, say
from paddle_doctor.subjects.checkpoint import Checkpoint, Format, gather_checkpoint

HELP = Text(
    """What is in a checkpoint, and what is wrong with it.

    The file is never loaded, and nothing in it is run: its structure is read, tensor data is skipped.

    - One file: **paddle-doctor ckpt model.pdparams**
    - Every key with its shape: **paddle-doctor ckpt --keys model.pdparams**
    - Several, for a program: **paddle-doctor ckpt --format json best.pdparams last.pdparams**
    """,
    """权重文件里有什么、有什么问题。

    文件不会被加载，其中的内容也不会被执行：只读取结构，跳过张量数据。

    - 检查一个文件：**paddle-doctor ckpt model.pdparams**
    - 列出所有键及形状：**paddle-doctor ckpt --keys model.pdparams**
    - 检查多个文件，供程序使用：**paddle-doctor ckpt --format json best.pdparams last.pdparams**
    """,
)

FORMAT, SIZE, TENSORS = Text("Format", "格式"), Text("File size", "文件大小"), Text("Tensors", "张量")
ELEMENTS, NBYTES, DTYPES = Text("Elements", "元素总数"), Text("Tensor data", "张量数据"), Text("dtypes", "dtype")
BRANCHES, WRITER, LOADING = (
    Text("Entries", "包含的项"),
    Text("Written as", "写入方式"),
    Text("Loading calls", "加载时调用"),
)

NAMES = {
    Format.STATE_DICT: same("Paddle state dict"),
    Format.OPTIMIZER: Text("Paddle optimizer state", "Paddle 优化器状态"),
    Format.NESTED: Text("state dicts inside a dict", "嵌套在 dict 中的 state dict"),
    Format.OTHER_PICKLE: Text("pickle of something else ({root})", "其他内容的 pickle（{root}）"),
    Format.INFERENCE_PARAMS: Text(
        "tensors of an inference model, unnamed (.pdiparams)", "推理模型的张量，无键名（.pdiparams）"
    ),
    Format.INFERENCE_PROGRAM: Text("program of an inference model", "推理模型的程序文件"),
    Format.SAFETENSORS: same("safetensors"),
    Format.TORCH_ZIP: same("PyTorch (zip)"),
    Format.TORCH_LEGACY: Text("PyTorch (old format)", "PyTorch（旧格式）"),
    Format.LFS_POINTER: Text("Git LFS pointer", "Git LFS 指针"),
    Format.HTML: Text("web page", "网页"),
    Format.XML: same("XML"),
    Format.JSON: same("JSON"),
    Format.TEXT: Text("text", "文本"),
    Format.GZIP: same("gzip"),
    Format.ZIP: same("zip"),
    Format.TAR: same("tar"),
    Format.NUMPY: same("NumPy"),
    Format.HDF5: same("HDF5"),
    Format.ZEROS: Text("nothing but zeros", "全零"),
    Format.EMPTY: Text("empty", "空文件"),
    Format.UNKNOWN: Text("unknown", "未知"),
}
PICKLE = Text("pickle protocol {protocol}", "pickle 协议 {protocol}")
NUMPY_1 = Text("{pickle}, under NumPy 1", "{pickle}，在 NumPy 1 下保存")
NUMPY_2 = Text(
    "{pickle}, under NumPy 2 (NumPy 1.26 and later read it)", "{pickle}，在 NumPy 2 下保存（NumPy 1.26 及以上可读取）"
)
DATA_ONLY = Text("nothing but what builds arrays and plain values", "只有构造数组和普通值的调用")
FOREIGN = Text("foreign code, see above", "含有外来代码，见上文")
BYTES = Text("{count} bytes", "{count} 字节")
ABOUT = Text("{size} ({count} bytes)", "{size}（{count} 字节）")
BEFORE_BREAK = Text("{count} before the damage", "损坏处之前有 {count} 个")
UNITS = ("KiB", "MiB", "GiB", "TiB")
COLUMNS = (Text("key", "键"), Text("shape", "形状"), same("dtype"), Text("bytes", "字节"))
KEYS_OF = Text("Keys of {name}", "{name} 的键")


@command
def ckpt(
    session: Session,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help=say("Checkpoint files.", "权重文件。")),
    ],
    keys: Annotated[
        bool,
        typer.Option(
            "--keys",
            help=say("List every tensor: key, shape, dtype, bytes.", "列出每个张量：键、形状、dtype、字节数。"),
        ),
    ] = False,
) -> None:
    """Look into the files and judge them."""
    found = [gather_checkpoint(path) for path in files]
    plain = [_facts(each, keys=keys) for each in found]
    tables = [table for each in found for table in _tables(each, keys=keys)]
    session.finish({"checkpoint": found}, facts=plain[0] if len(plain) == 1 else {"checkpoints": plain}, tables=tables)


def _facts(checkpoint: Checkpoint, *, keys: bool) -> dict[str, Any]:
    """The checkpoint as plain data; all its tensors only if they are asked for."""
    plain: dict[str, Any] = to_plain(checkpoint)
    tensors = plain.pop("tensors")
    plain |= {"tensor_count": len(tensors), "elements": checkpoint.elements, "nbytes": checkpoint.nbytes}
    return {**plain, "tensors": tensors} if keys else plain


def _tables(checkpoint: Checkpoint, *, keys: bool) -> Iterator[Table]:
    yield Table(title=same(checkpoint.path), rows=tuple(_rows(checkpoint)))
    if keys and checkpoint.tensors:
        rows = tuple((each.key, _shape(each.shape), each.dtype, f"{each.nbytes:,}") for each in checkpoint.tensors)
        yield Table(title=KEYS_OF.fill(name=checkpoint.name), columns=COLUMNS, rows=rows)


def _rows(checkpoint: Checkpoint) -> Iterator[tuple[Text | str, ...]]:
    yield FORMAT, NAMES[checkpoint.format].fill(root=checkpoint.root)
    yield SIZE, _size(checkpoint.size)
    if checkpoint.tensors:
        count = f"{len(checkpoint.tensors):,}"
        yield TENSORS, BEFORE_BREAK.fill(count=count) if checkpoint.damage else count
        yield ELEMENTS, f"{checkpoint.elements:,}"
        yield NBYTES, _size(checkpoint.nbytes)
        kinds = Counter(each.dtype for each in checkpoint.tensors)
        yield DTYPES, ", ".join(f"{dtype} × {number:,}" for dtype, number in kinds.most_common(6))
    if checkpoint.branches:
        yield BRANCHES, ", ".join(f"{each.key} ({each.tensors:,})" for each in checkpoint.branches[:8])
    if checkpoint.is_pickle:
        pickle = PICKLE.fill(protocol=checkpoint.protocol)
        generation = {1: NUMPY_1, 2: NUMPY_2}.get(checkpoint.numpy or 0)
        yield WRITER, generation.fill(pickle=pickle) if generation else pickle
        if checkpoint.suspicious:
            yield LOADING, FOREIGN
        elif checkpoint.damage is None:
            yield LOADING, DATA_ONLY


def _shape(shape: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _size(count: int) -> Text:
    """Bytes, and in the unit that a person would use."""
    exact = f"{count:,}"
    if count < 1024:
        return BYTES.fill(count=exact)
    power = min(len(UNITS), (count.bit_length() - 1) // 10)
    return ABOUT.fill(size=f"{count / 1024**power:.1f} {UNITS[power - 1]}", count=exact)
