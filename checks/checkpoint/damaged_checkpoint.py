"""Finds checkpoints whose inside is broken: they do not end too early, they make no sense."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.checkpoint import Break, Checkpoint, Damage

from .patients import example, healthy, state_dict

PAGE = Page(
    code="PD210",
    name="damaged-checkpoint",
    severity=Severity.ERROR,
    title=Text("The file is damaged inside", "文件内部已损坏"),
    what=Text(
        "The file begins as a checkpoint, but from some point on its content makes no sense: bytes were "
        "changed, lost or overwritten on the way (a transfer in text mode, a bad disk, two writers at once), "
        "or the file was made by hand.",
        "文件开头是正常的权重文件，但从某处起内容不再有意义：字节在传输或写入过程中被改动、丢失或覆盖（以文本模"
        "式传输、磁盘故障、两个进程同时写入），或者文件是手工拼凑的。",
    ),
    why=Text(
        "Loading fails at that point, with an error that tells neither the place nor the cause (ValueError: "
        "`paddle.load` can not parse the file, or: buffer size does not match array size).",
        "加载会在该处失败，而报错既不说明位置也不说明原因（ValueError: `paddle.load` can not parse the file，"
        "或 buffer size does not match array size）。",
    ),
    cure=Text(
        "Copy the file again in binary mode and compare checksums, or take an earlier checkpoint.",
        "以二进制方式重新拷贝并核对校验和，或改用更早的检查点。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("measured: tests/subjects/checkpoint/test_real_paddle.py",),
)

BROKEN = Text(
    "{name} is damaged at byte {offset}{after}: {why}. It cannot be loaded.",
    "{name} 在第 {offset} 字节处损坏{after}：{why}。无法加载。",
)
AFTER = Text(", after '{key}'", "（在“{key}”之后）")
GAVE_UP = Text(
    "{name} holds more than paddle-doctor reads: it stopped at byte {offset}, and the rest was not examined.",
    "{name} 的内容超出 paddle-doctor 的读取上限：只读到第 {offset} 字节，其余部分未检查。",
)
WHY = {
    Break.UNKNOWN_OPCODE: Text("this byte is not a pickle instruction", "该字节不是 pickle 指令"),
    Break.STACK_UNDERFLOW: Text("an instruction lacks its operands", "指令缺少操作数"),
    Break.UNKNOWN_MEMO: Text("it refers to a value that was never stored", "引用了从未保存过的值"),
    Break.BAD_TEXT: Text("the text there is in no valid encoding", "此处的文本编码无效"),
    Break.BAD_LENGTH: Text("it declares a length that no file can have", "声明的长度超出任何文件可能的大小"),
    Break.BAD_OPERAND: Text("an instruction has an operand of the wrong kind", "指令的操作数类型不对"),
    Break.UNSUPPORTED_PROTOCOL: Text(
        "it asks for a pickle protocol that does not exist", "要求使用不存在的 pickle 协议"
    ),
    Break.PERSISTENT_ID: Text(
        "it refers to data outside the file, as the pickle inside a PyTorch archive does",
        "引用了文件之外的数据，PyTorch 归档内部的 pickle 就是这样",
    ),
    Break.OUT_OF_BAND_BUFFER: Text("it needs a buffer that is not in the file", "需要一个不在文件中的缓冲区"),
    Break.SIZE_MISMATCH: Text(
        "the length of a tensor's data does not match its shape and dtype",
        "某个张量的数据长度与其形状和 dtype 不符",
    ),
    Break.BAD_HEADER: Text("its header cannot be read", "文件头无法解析"),
}
AGAIN = Text(
    "Copy it again in binary mode and compare checksums, or take an earlier checkpoint.",
    "以二进制方式重新拷贝并核对校验和，或改用更早的检查点。",
)


def _damaged(kind: Break, key: str | None = None) -> Checkpoint:
    return replace(state_dict("fc.weight"), damage=Damage(kind=kind, offset=300, last_key=key))


def _fires() -> Iterator[Example]:
    yield example(
        Text("a byte that is not an instruction", "不是指令的字节"), _damaged(Break.UNKNOWN_OPCODE, "fc.weight")
    )
    yield example(Text("data of the wrong length", "数据长度不符"), _damaged(Break.SIZE_MISMATCH, "fc.weight"))
    yield example(Text("too much to look through", "内容超出上限"), _damaged(Break.TOO_MUCH))


def _silent() -> Iterator[Example]:
    yield healthy()
    yield example(Text("a file that ends too early", "提前结束的文件"), _damaged(Break.TRUNCATED, "fc.weight"))


@check(PAGE, fires_on=_fires, silent_on=_silent)
def damaged_checkpoint(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Say where it breaks and how; what was too much to read is no fault that is known."""
    damage = checkpoint.damage
    if damage is None or damage.kind is Break.TRUNCATED:
        return
    offset = f"{damage.offset:,}"
    location = Location(path=checkpoint.path, tensor=damage.last_key)
    if damage.kind is Break.TOO_MUCH:
        yield PAGE.finding(
            GAVE_UP.fill(name=checkpoint.name, offset=offset),
            severity=Severity.WARNING,
            certainty=Certainty.POSSIBLE,
            location=location,
        )
        return
    after = AFTER.fill(key=damage.last_key) if damage.last_key is not None else ""
    yield PAGE.finding(
        BROKEN.fill(name=checkpoint.name, offset=offset, after=after, why=WHY[damage.kind]),
        location=location,
        fix=Fix(summary=AGAIN),
    )
