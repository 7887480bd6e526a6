"""A report that holds everything a report can hold, hostile text included."""

import pytest

from paddle_doctor.core.finding import (
    Certainty,
    Crashed,
    Edit,
    Evidence,
    Finding,
    Fix,
    Location,
    Report,
    Severity,
    Skipped,
    Table,
    Verdict,
)
from paddle_doctor.core.language import Text, same

HOSTILE = "\x1b[2J[bold]boo[/bold] \u202eevil"


@pytest.fixture
def full_report() -> Report:
    """A verdict, findings of two subjects and all severities, tables, a crash, a skip."""
    verdict = Verdict(
        cause="user-code-exception",
        certainty=Certainty.CERTAIN,
        rank=1,
        summary=Text(
            "Rank 1 died first, of a ValueError in your own code; the launcher then stopped the other rank.",
            "rank 1 最先退出，原因是您自己的代码抛出了 ValueError；随后启动器结束了另一个 rank。",
        ),
        evidence=(
            Evidence(text="ValueError: bad label in batch 5 " + HOSTILE, path="log/workerlog.1", line=19, rank=1),
        ),
        consequences=tuple(
            Evidence(text="RuntimeError: TIMEOUT self_rank = 0", path="log/workerlog.0", line=30 + each, rank=0)
            for each in range(6)
        ),
        fix=Fix(
            summary=Text("Look at the label of batch 5.", "请检查第 5 个 batch 的标签。"),
            commands=("python -c 'import data; print(data.labels[5])' # a command that is far too long for one line",),
        ),
        next_steps=(Text("Open log/workerlog.1.", "打开 log/workerlog.1。"),),
    )
    errors = Finding(
        code="PD101",
        name="unguarded-main",
        subject="script",
        severity=Severity.ERROR,
        certainty=Certainty.LIKELY,
        message=Text(
            "Worker processes start while the module is being imported.", "模块还在导入时就启动了 worker 进程。"
        ),
        location=Location(path="eval.py", line=3, column=1, cell=2),
        evidence=(
            Evidence(text="spawn(main)", path="eval.py", line=3, note=Text("starts two ranks", "启动两个 rank")),
        ),
        fix=Fix(
            summary=Text("Put it under the main guard.", "把它放进 main 保护之下。"),
            code='if __name__ == "__main__":\n    spawn(main)\n',
            edits=(Edit(path="eval.py", line=3, column=1, end_line=3, end_column=1, replacement="x"),),
            safe=True,
        ),
    )
    warning = Finding(
        code="PD304",
        name="occupied-port",
        subject="environment",
        severity=Severity.WARNING,
        certainty=Certainty.CERTAIN,
        message=Text("Port 6170 is taken.", "端口 6170 已被占用。"),
        location=Location(port=6170, pid=4711),
    )
    note = Finding(
        code="PD208",
        name="numpy2-pickle",
        subject="checkpoint",
        severity=Severity.INFO,
        certainty=Certainty.CERTAIN,
        message=Text("Written under NumPy 2.", "由 NumPy 2 写出。"),
        location=Location(path="m.pdparams", tensor="fc.weight"),
    )
    return Report(
        command="log",
        verdict=verdict,
        findings=(errors, warning, note),
        facts={"ranks": 2, "hostile": HOSTILE},
        tables=(
            Table(
                title=Text("GPUs", "GPU"),
                columns=(Text("GPU", "GPU"), Text("memory", "显存")),
                rows=(("0 " + HOSTILE, Text("full", "已满")), ("1", Text("free", "空闲"))),
            ),
            Table(title=Text("File", "文件"), rows=((Text("format", "格式"), same("state dict")),)),
        ),
        ran=("PD101", "PD208", "PD304", "PD501"),
        skipped=(Skipped("PD102", "gpu-on-cpu-wheel", Text("not selected", "未选中")),),
        crashed=(Crashed("PD303", "leftover-processes", "KeyError: 'pid'"),),
        timings={"PD101": 0.002, "PD304": 0.01},
    )
