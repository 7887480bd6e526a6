"""Log folders in which a launcher has written the whole environment, secrets included."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text, counted
from paddle_doctor.subjects.joblog import JobLog, joblog_of

PAGE = Page(
    code="PD502",
    name="log-holds-secrets",
    severity=Severity.WARNING,
    title=Text("Log files that hold secrets", "日志文件中含有敏感信息"),
    what=Text(
        "The launcher writes every variable of the environment into envlog.N, backup_env.N.json and "
        "default.POD.log, and Paddle 2 also prints them to the console when a rank fails. "
        "This check counts the variables whose names or values say that they are secrets. It never shows a value.",
        "启动器会把所有环境变量写入 envlog.N、backup_env.N.json 和 default.POD.log；Paddle 2 在 rank 失败时还会"
        "打印到控制台。本检查统计其中从名字或值看属于敏感信息的变量，绝不显示其值。",
    ),
    why=Text(
        "People attach the log folder to public issues, and tokens and passwords go with it.",
        "人们常把日志目录附到公开的 issue 上，token 和密码也就一起公开了。",
    ),
    cure=Text(
        "Before sharing the folder delete these files; the ranks' workerlog.N are what helps. If it "
        "was shared already, revoke the tokens.",
        "分享日志前先删除这些文件；真正有用的是各 rank 的 workerlog.N。如果已经公开，请吊销相关 token。",
    ),
    since=Text("Paddle 2.3 to 3.3 (paddle.distributed.launch)", "Paddle 2.3 至 3.3（paddle.distributed.launch）"),
    sources=("measured: log folders of both launchers, Paddle 3.3.1 and 2.6.2",),
)

MESSAGE = Text(
    "{files} in the log folder hold the job's whole environment; secrets in it: {secrets}.",
    "日志目录中有 {files}保存了任务的全部环境变量，其中含敏感信息的有 {secrets}。",
)
HOLDS = Text(
    "Variables: {variables}, secrets among them: {secrets}.", "共 {variables} 个变量，其中 {secrets} 个含敏感信息。"
)
FIX = Text(
    "Do not share these files; delete them before you pass the folder on.",
    "不要分享这些文件；转交日志目录之前先删除它们。",
)
SHOWN = 3


def _fires() -> Iterator[Example]:
    yield Example(
        shows=Text("envlog.0 of a job that had a token", "任务环境中有 token 时的 envlog.0"),
        subjects={"joblog": joblog_of({"log/envlog.0": "LANG=C\nHF_TOKEN=not-a-real-one\n"}, ())},
    )


def _silent() -> Iterator[Example]:
    yield Example(
        shows=Text("envlog.0 without anything secret", "不含敏感信息的 envlog.0"),
        subjects={"joblog": joblog_of({"log/envlog.0": "LANG=C\nPADDLE_TRAINER_ID=0\nPWD=/home/me\n"}, ())},
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def log_holds_secrets(joblog: JobLog) -> Iterator[Finding]:
    """One finding for all such files of the job."""
    telling = [file for file in joblog.files if file.secrets]
    if not telling:
        return
    yield PAGE.finding(
        MESSAGE.fill(
            files=counted(len(telling), "file", "files", "个文件"),
            secrets=counted(max(file.secrets for file in telling), "variable", "variables", "个变量"),
        ),
        certainty=Certainty.LIKELY,
        location=Location(path=telling[0].path),
        evidence=[
            Evidence(
                text=file.path,
                path=file.path,
                rank=file.rank,
                note=HOLDS.fill(variables=file.variables, secrets=file.secrets),
            )
            for file in telling[:SHOWN]
        ],
        fix=Fix(summary=FIX),
    )
