"""The script itself sets the variables that only a launcher should set."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Finding, Fix, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.script import Origin, Runs, Script, VariableChange, read_script

PAGE = Page(
    code="PD105",
    name="launch-variables-in-script",
    severity=Severity.WARNING,
    title=Text("The script sets launch variables", "脚本自己设置了启动变量"),
    what=Text(
        "The script writes a fixed value into PADDLE_TRAINER_ID, PADDLE_TRAINERS_NUM, PADDLE_TRAINER_ENDPOINTS or "
        "PADDLE_CURRENT_ENDPOINT. A launcher gives every rank its own values; a fixed one is the same in all.",
        "脚本把固定值写入 PADDLE_TRAINER_ID、PADDLE_TRAINERS_NUM、PADDLE_TRAINER_ENDPOINTS 或 "
        "PADDLE_CURRENT_ENDPOINT。启动器会给每个 rank 各自的值；写死的值则对所有 rank 都一样。",
    ),
    why=Text(
        "Paddle takes them at their word. With PADDLE_TRAINERS_NUM=2 and no second process, DistributedBatchSampler "
        "gives half of the data and says nothing; paddle.Model raises or waits for the other rank. With a "
        "PADDLE_TRAINER_ID other than 0, paddle.Model.save saves nothing, evaluate prints nothing, and code under `if "
        "rank == 0` does not run. One endpoint variable alone makes a download of pretrained weights hang.",
        "Paddle 完全相信这些变量。PADDLE_TRAINERS_NUM=2 而没有第二个进程时，DistributedBatchSampler 只给出一半数据，且"
        "没有任何提示；paddle.Model 会报错或一直等待另一个 rank。PADDLE_TRAINER_ID 不为 0 时，paddle.Model.save 什么也"
        "不保存，evaluate 不打印，`if rank == 0` 下的代码不会执行。单独设置一个 endpoint 变量会让预训练权重的下载卡"
        "住。",
    ),
    cure=Text(
        "Remove these lines and start the script with python -m paddle.distributed.launch, which sets them. A single "
        "process needs none of them.",
        "删除这些语句，用 python -m paddle.distributed.launch 启动脚本，由启动器设置。单进程运行不需要它们。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=(
        "measured: tests/checks/script/test_real_paddle.py (half of the data, nothing saved)",
        "measured: paddlepaddle 3.3.1 and 2.6.2 (hanging downloads)",
    ),
)

RANK = Text(
    "The script sets PADDLE_TRAINER_ID to {value}, so this process believes that it is not rank 0: "
    "paddle.Model.save saves nothing, and code for rank 0 does not run. Under a launcher every rank gets "
    "the same number.",
    "脚本把 PADDLE_TRAINER_ID 设为 {value}，进程于是认为自己不是 rank 0：paddle.Model.save 什么也不保存，只在 rank 0 "
    "执行的代码不会运行。在启动器下，所有 rank 都会得到同一个编号。",
)
WORLD = Text(
    "The script sets PADDLE_TRAINERS_NUM to {value}. Unless a launcher starts {value} processes, "
    "DistributedBatchSampler silently leaves {rest} of the data out.",
    "脚本把 PADDLE_TRAINERS_NUM 设为 {value}。除非启动器真的启动了 {value} 个进程，否则 "
    "DistributedBatchSampler 会漏掉 {rest} 的数据，且没有任何提示。",
)
BROKEN = Text(
    "The script sets {variable} to {value}, which Paddle cannot use: it will raise an error later.",
    "脚本把 {variable} 设为 {value}，Paddle 无法使用这个值，之后会报错。",
)
ENDPOINT = Text(
    "The script sets {variable} and not its counterpart: get_weights_path_from_url (pretrained=True) then waits for "
    "ever for ranks that do not exist.",
    "脚本只设置了 {variable}，没有设置与之对应的变量：get_weights_path_from_url（pretrained=True）会一直等待并不存在的"
    " rank。",
)
REMOVE = Text(
    "Remove this line; let a launcher set it where there is more than one process.",
    "删除这一行；需要多进程时由启动器来设置。",
)

RANK_NAME, WORLD_NAME = "PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM"
ENDPOINTS_NAME, CURRENT_NAME = "PADDLE_TRAINER_ENDPOINTS", "PADDLE_CURRENT_ENDPOINT"


def _example(en: str, zh: str, source: str) -> Example:
    return Example(Text(en, zh), {"script": read_script("import os\n" + source, "train.py")})


def _fires() -> Iterator[Example]:
    yield _example("a fixed world size", "写死的进程数", "os.environ['PADDLE_TRAINERS_NUM'] = '2'\n")
    yield _example("a fixed rank", "写死的 rank", "rank = '1'\nos.environ['PADDLE_TRAINER_ID'] = rank\n")
    yield _example("an empty rank", "空的 rank", "os.environ.setdefault('PADDLE_TRAINER_ID', '')\n")
    yield _example(
        "one endpoint alone", "单独一个 endpoint", "os.putenv('PADDLE_CURRENT_ENDPOINT', '127.0.0.1:6170')\n"
    )


def _silent() -> Iterator[Example]:
    yield _example(
        "values that change nothing",
        "不起作用的取值",
        "os.environ.update(PADDLE_TRAINER_ID='0', PADDLE_TRAINERS_NUM='1')\n",
    )
    yield _example(
        "a launcher of one's own: the rank comes from outside",
        "自制的启动方式：rank 来自外部",
        "os.environ['PADDLE_TRAINERS_NUM'] = '2'\nos.environ['PADDLE_TRAINER_ID'] = os.environ['SLURM_PROCID']\n",
    )
    yield _example("for a child process", "为子进程设置", "env = dict(os.environ)\nenv['PADDLE_TRAINERS_NUM'] = '2'\n")
    yield _example("another library's variables", "其他库的变量", "os.environ['WORLD_SIZE'] = '2'\n")


@check(PAGE, fires_on=_fires, silent_on=_silent)
def launch_variables_in_script(script: Script) -> Iterator[Finding]:
    """Judge each fixed value given to a launch variable; values from outside are the user's own plan."""
    changes = [each for each in script.variables if each.runs is not Runs.NEVER]
    if any(each.variable == RANK_NAME and each.origin is Origin.UNKNOWN for each in changes):
        return
    set_here = {each.variable for each in changes}
    for each in changes:
        message = _message(each, set_here)
        if message is not None:
            yield _finding(script, each, message)


def _message(change: VariableChange, set_here: set[str]) -> Text | None:
    if change.origin not in (Origin.LITERAL, Origin.CONSTANT) or not isinstance(change.value, str):
        return None
    if change.variable in (RANK_NAME, WORLD_NAME):
        return _of_number(change.variable, change.value)
    pair = {ENDPOINTS_NAME, CURRENT_NAME}
    if change.variable in pair and change.value and not pair <= set_here:
        return ENDPOINT.fill(variable=change.variable)
    return None


def _of_number(variable: str, value: str) -> Text | None:
    number = int(value) if value.strip().lstrip("-").isdecimal() else None
    if variable == RANK_NAME and number is not None:
        return RANK.fill(value=number) if number else None
    if number is not None and number > 1:
        return WORLD.fill(value=number, rest="1/2" if number == 2 else f"{number - 1}/{number}")
    return None if number == 1 else BROKEN.fill(variable=variable, value=repr(value))


def _finding(script: Script, change: VariableChange, message: Text) -> Finding:
    reached = change.runs is not Runs.CALLED
    return PAGE.finding(
        message,
        certainty=Certainty.LIKELY if reached else Certainty.POSSIBLE,
        location=script.location(change.place),
        evidence=[script.quote(change.place)],
        fix=Fix(summary=REMOVE),
    )
