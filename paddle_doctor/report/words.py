"""The report's own words: headings, labels and the closing sentence."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty, Location, Report, Severity
from paddle_doctor.core.language import Text, counted, listing, same

SEVERITY = {
    Severity.ERROR: Text("error", "错误"),
    Severity.WARNING: Text("warning", "警告"),
    Severity.INFO: Text("info", "提示"),
}
CERTAINTY = {
    Certainty.CERTAIN: Text("certain", "确定"),
    Certainty.LIKELY: Text("likely", "很可能"),
    Certainty.POSSIBLE: Text("possible", "有可能"),
}
SUBJECT = {
    "script": Text("Script", "脚本"),
    "checkpoint": Text("Checkpoint", "权重文件"),
    "environment": Text("This machine and shell", "本机与当前 shell"),
    "joblog": Text("Logs", "日志"),
    "trial": Text("Re-runs", "复现实验"),
    "cluster": Text("Cluster", "集群"),
}

EVIDENCE = Text("Evidence", "证据")
FOLLOWED = Text("What followed (not the cause)", "随后发生的（并非原因）")
FIX = Text("Fix: ", "修复：")
NEXT = Text("Next", "下一步")
CRASHED = Text(
    "Checks that crashed (a fault of the check, not of your job)", "崩溃的检查（是检查本身的问题，与您的任务无关）"
)
TIMINGS = Text("Time of each check", "每项检查的用时")
MORE_LINES = Text("… and {count} more", "……以及另外 {count} 条")


def tally(report: Report) -> Text:
    """The closing sentence: how much was found, by severity, and over how many checks."""
    counts = {severity: sum(found.severity is severity for found in report.findings) for severity in Severity}
    parts = [
        text
        for count, text in (
            (counts[Severity.ERROR], counted(counts[Severity.ERROR], "error", "errors", "个错误")),
            (counts[Severity.WARNING], counted(counts[Severity.WARNING], "warning", "warnings", "个警告")),
            (counts[Severity.INFO], counted(counts[Severity.INFO], "note", "notes", "条提示")),
        )
        if count
    ]
    checks = counted(len(report.ran), "check", "checks", "项检查")
    if not parts:
        return Text("Nothing found by {checks}.", "{checks}均未发现问题。").fill(checks=checks)
    return Text("{found} from {checks}.", "{checks}发现 {found}。").fill(found=listing(parts), checks=checks)


def place(location: Location) -> Text:
    """Where it is, as a person would point at it: ``eval.py:12:5``, ``PADDLE_TRAINERS_NUM``, ``port 6170``."""
    spot = ":".join(str(part) for part in (location.path, location.line, location.column) if part is not None)
    numbered = (
        (location.rank, same("rank {it}")),
        (spot or None, same("{it}")),
        (location.cell, Text("cell {it}", "第 {it} 个单元格")),
        (location.tensor, same("{it}")),
        (location.variable, same("{it}")),
        (location.port, Text("port {it}", "端口 {it}")),
        (location.pid, Text("process {it}", "进程 {it}")),
        (location.gpu, same("GPU {it}")),
    )
    parts = [template.fill(it=value) for value, template in numbered if value is not None]
    return Text("  ".join(part.en for part in parts), "  ".join(part.zh for part in parts))
