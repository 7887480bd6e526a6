"""The script loads weights from a path at which there is no file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Finding, Fix, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.script import Call, CheckpointLoad, Origin, Runs, Script, read_script

PAGE = Page(
    code="PD106",
    name="checkpoint-path-missing",
    severity=Severity.WARNING,
    title=Text("A checkpoint that the script loads does not exist", "要加载的权重文件不存在"),
    what=Text(
        "The script loads weights by a fixed path, and no such file exists, neither from the working folder "
        "nor next to the script. Or the path is a folder.",
        "脚本按固定路径加载权重，但无论从当前工作目录还是脚本所在目录看，都没有这个文件；或者该路径是一个目录。",
    ),
    why=Text(
        "paddle.load raises ValueError: The ``path`` … to load model not exists. Relative paths start from the "
        "folder in which the job is started (under a launcher: the launcher's), not from the script's; `~` is "
        "not expanded.\n\nA folder is worse: paddle.load gives an empty dict and says nothing, set_state_dict "
        "then only warns, and untrained weights are evaluated.",
        "paddle.load 会抛出 ValueError: The ``path`` … to load model not exists。相对路径以启动任务时所在的目录"
        "为准（在启动器下就是启动器的目录），而不是脚本所在的目录；`~` 不会展开。\n\n路径是目录时更糟："
        "paddle.load 不作任何提示就返回空 dict，set_state_dict 只给出警告，于是评估的是未训练的权重。",
    ),
    cure=Text(
        "Correct the path, write it out with its suffix (.pdparams), or start the job in the folder that the "
        "path starts from.",
        "改正路径，写全后缀（.pdparams），或者在该相对路径所对应的目录下启动任务。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=(
        "measured: tests/checks/script/test_real_paddle.py (missing file, folder, ~)",
        "read: paddle/framework/io.py, load, Paddle 3.3.1",
    ),
)

NOT_THERE = Text(
    "'{path}' was not found from this folder or from the script's: {loader} will raise {error}.",
    "从当前目录和脚本所在目录都找不到“{path}”：{loader} 会抛出 {error}。",
)
TILDE = Text(
    "{loader} does not expand '~': it looks for a folder of that name and will raise {error}.",
    "{loader} 不会展开“~”，而是去找名字就叫“~”的目录，因此会抛出 {error}。",
)
A_FOLDER = Text(
    "'{path}' is a folder. paddle.load gives an empty dict for it and says nothing, so no weights are loaded and the "
    "model stays untrained.",
    "“{path}”是目录。paddle.load 不作任何提示就返回空 dict，于是没有加载任何权重，模型仍未训练。",
)
CORRECT = Text("Correct the path, or start the job where it is right.", "改正路径，或在正确的目录下启动任务。")
NAME_A_FILE = Text("Give the path of the file inside it.", "请写出其中权重文件的路径。")
EXPAND = Text("Expand it in the script.", "在脚本里展开它。")
EXPANDED = "os.path.expanduser({path!r})"
ERRORS = {"paddle.load": "ValueError", "paddle.Model.load": "AssertionError", "torch.load": "FileNotFoundError"}
#: Calls that make a file or ask whether it is there, before it is loaded.
_SAVES_OR_ASKS = ("paddle.save", "torch.save", "os.path.exists", "os.path.isfile", "os.path.lexists")
_FETCHES = (
    "shutil.copy",
    "shutil.copyfile",
    "urllib.request.urlretrieve",
    "os.system",
    "subprocess.run",
    "subprocess.check_call",
)


def _example(en: str, zh: str, source: str, *, found: str | None = None, is_folder: bool = False) -> Example:
    script = read_script("import os, paddle\n" + source, "eval.py")
    looked = tuple(replace(each, looked=True, found=found, is_folder=is_folder) for each in script.checkpoints)
    return Example(Text(en, zh), {"script": replace(script, checkpoints=looked)})


LOAD = "state = paddle.load('output/best.pdparams')\n"


def _fires() -> Iterator[Example]:
    yield _example("no such file", "没有这个文件", LOAD)
    yield _example("a folder", "路径是目录", "paddle.load('output')\n", found="output", is_folder=True)
    yield _example("a path from home", "以 ~ 开头的路径", "paddle.load('~/best.pdparams')\n")


def _silent() -> Iterator[Example]:
    yield _example("the file is there", "文件存在", LOAD, found="output/best.pdparams")
    yield _example("the script saves it first", "脚本先保存了它", "paddle.save({}, 'output/best.pdparams')\n" + LOAD)
    yield _example(
        "the script asks first", "脚本先判断是否存在", "if os.path.exists('output/best.pdparams'):\n    " + LOAD
    )
    yield _example(
        "a failure is expected", "允许加载失败", "try:\n    " + LOAD + "except ValueError:\n    state = {}\n"
    )
    yield _example("nobody has looked", "没有查看过磁盘", "print(1)\n")


@check(PAGE, fires_on=_fires, silent_on=_silent)
def checkpoint_path_missing(script: Script) -> Iterator[Finding]:
    """Judge each literal path that was looked for and is not a file."""
    for each in script.checkpoints:
        call = script.calls[each.call]
        argument = call.argument("path", 0) or call.argument("f", 0)
        if not each.looked or call.in_try or argument is None or argument.origin is Origin.DEFAULT:
            continue
        if each.is_folder and call.name == "paddle.load":
            yield _finding(script, call, A_FOLDER.fill(path=each.path), Fix(summary=NAME_A_FILE))
        elif each.found is None and not _made_or_asked_for(script, each):
            yield _missing(script, call, each)


def _missing(script: Script, call: Call, checkpoint: CheckpointLoad) -> Finding:
    words = {"path": checkpoint.path, "loader": call.name, "error": ERRORS[call.name]}
    if checkpoint.path.startswith("~"):
        fix = Fix(summary=EXPAND, code=f"{call.name}({EXPANDED.format(path=checkpoint.path)})")
        return _finding(script, call, TILDE.fill(**words), fix)
    return _finding(script, call, NOT_THERE.fill(**words), Fix(summary=CORRECT))


def _finding(script: Script, call: Call, message: Text, fix: Fix) -> Finding:
    reached = call.runs is not Runs.CALLED and not call.conditions
    return PAGE.finding(
        message,
        certainty=Certainty.LIKELY if reached else Certainty.POSSIBLE,
        location=script.location(call.place),
        evidence=[script.quote(call.place)],
        fix=fix,
    )


def _made_or_asked_for(script: Script, checkpoint: CheckpointLoad) -> bool:
    """Whether the script names the same path to a call that makes the file or asks for it, or fetches files at all."""
    for call in script.calls:
        if call.name in _SAVES_OR_ASKS and any(each.value == checkpoint.path for each in call.arguments):
            return True
        if call.name in _FETCHES:
            return True
    return False
