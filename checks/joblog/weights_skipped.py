"""Weights that Paddle did not load and only warned about."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text, counted, listing
from paddle_doctor.subjects.joblog import Event, JobLog, LogFile, joblog_of

from .tables import BY_ID

PAGE = Page(
    code="PD503",
    name="weights-skipped",
    severity=Severity.WARNING,
    title=Text("Some weights were not loaded", "有权重没有被加载"),
    what=Text(
        "set_state_dict does not raise when a key of the model is not in the file, or has another "
        "shape there. It warns "
        "(Skip loading for ...), keeps the random initial values, and the job goes on.",
        "模型的某个键不在文件中、或形状不同时，set_state_dict 不会抛出异常，只会警告（Skip loading "
        "for ...），保留随机初始值，任务继续运行。",
    ),
    why=Text(
        "An evaluation then measures untrained weights. In fine-tuning it is normal that the last layer is skipped.",
        "这样评估的就是未训练的权重。微调时跳过最后一层则是正常的。",
    ),
    cure=Text(
        "Look at the file's keys with paddle-doctor ckpt FILE. If all of them are skipped, a "
        "wrapper's prefix is likely.",
        "用 paddle-doctor ckpt FILE 查看文件中的键。如果全部被跳过，很可能是包装层加了前缀。",
    ),
    since=Text("Paddle 2.0 to 3.3", "Paddle 2.0 至 3.3"),
    sources=("measured: tests/lab/faults/checkpoint-prefixed, Paddle 3.3.1",),
)

MESSAGE = Text(
    "{count} of the model kept random values: the checkpoint does not hold them under these names or in this shape.",
    "模型有 {count}保持了随机初始值：权重文件中没有这些键，或形状不同。",
)
ON_RANKS = Text(
    "{count} of the model kept random values on ranks {ranks}: the checkpoint does not hold them under these names "
    "or in this shape.",
    "在 rank {ranks} 上，模型有 {count}保持了随机初始值：权重文件中没有这些键，或形状不同。",
)
FIX = Text(
    "Compare the keys in the file with the model's: print(list(model.state_dict())).",
    "将文件中的键与模型的键对比：print(list(model.state_dict()))。",
)
SKIPPED = ("keys-skipped", "shape-skipped")
SHOWN = 3

_LINE = "UserWarning: Skip loading for fc.weight. fc.weight is not found in the provided dict.\n"


def _fires() -> Iterator[Example]:
    yield Example(
        shows=Text("a key that is not in the file", "文件中没有的键"),
        subjects={"joblog": joblog_of({"workerlog.0": _LINE}, tuple(BY_ID.values()))},
    )


def _silent() -> Iterator[Example]:
    yield Example(
        shows=Text("weights that were loaded", "正常加载的权重"),
        subjects={"joblog": joblog_of({"workerlog.0": "Finish loading model weights\n"}, tuple(BY_ID.values()))},
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def weights_skipped(joblog: JobLog) -> Iterator[Finding]:
    """One finding for the job: every rank loads the same file."""
    skipping = [(file, events) for file in joblog.files if (events := _skipped(file))]
    if not skipping:
        return
    first, events = max(
        skipping, key=lambda pair: (pair[0].rank is not None, _count(pair[1]))
    )  # a console says it twice
    ranks = sorted({file.rank for file, _ in skipping if file.rank is not None})
    count = counted(_count(events), "tensor", "tensors", "个张量")
    yield PAGE.finding(
        ON_RANKS.fill(count=count, ranks=listing(ranks)) if len(ranks) > 1 else MESSAGE.fill(count=count),
        certainty=Certainty.LIKELY,
        location=Location(path=first.path, line=events[0].line, rank=first.rank),
        evidence=[
            Evidence(text=each.text.strip(), path=first.path, line=each.line, rank=each.rank) for each in events[:SHOWN]
        ],
        fix=Fix(summary=FIX, commands=("paddle-doctor ckpt FILE",)),
    )


def _skipped(file: LogFile) -> list[Event]:
    return [each for each in file.events if each.signature in SKIPPED]


def _count(events: list[Event]) -> int:
    return sum(each.count for each in events)
