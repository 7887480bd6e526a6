"""The program's top: which commands there are, each imported only when it is called, and how errors are told."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core
import typer.main
from typer.exceptions import TyperException

from paddle_doctor import __version__
from paddle_doctor.cli.help import DoctorCommand, SpeaksHelp
from paddle_doctor.cli.process import Terminated, abandon, open_closed_streams, orderly_end, reader_may_leave
from paddle_doctor.core.errors import InputError
from paddle_doctor.core.language import Language, Text, say, spoken_here

#: The commands, in the order of the help. Each is a module of this package with a function of its name, and `HELP`.
COMMANDS = ("scan", "ckpt", "env", "log", "repro", "preflight", "explain", "checks")

#: The exit status after Ctrl-C: 128 and the number of SIGINT, as shells have it.
INTERRUPT = 130

INTERRUPTED = Text("Interrupted.", "已中断。")
TERMINATED = Text("Terminated.", "已终止。")
NO_ROOM = Text("Cannot write the report: {why}.", "无法写出报告：{why}。")
BUG = Text(
    "paddle-doctor itself failed ({error}). This is a fault of the doctor, not of your job; "
    "with PADDLE_DOCTOR_DEBUG=1 it shows where.",
    "paddle-doctor 自身出错（{error}）。这是本工具的问题，与您的任务无关；设置 PADDLE_DOCTOR_DEBUG=1 可查看出错位置。",
)
TRY_HELP = Text("Try '{command} --help'.", "请查看“{command} --help”。")


class LazyCommands(SpeaksHelp, typer.core.TyperGroup):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names of the commands, in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command of that name, imported now, or None."""
        return _load(cmd_name) if cmd_name in COMMANDS else None


def _load(name: str) -> Any:
    module = import_module(f"paddle_doctor.cli.{name}")
    holder = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")
    holder.command(
        name,
        cls=DoctorCommand,
        help=module.HELP.say(spoken_here()),
        context_settings={"help_option_names": ["--help", "-h"], **getattr(module, "CONTEXT", {})},
    )(getattr(module, name))
    return typer.main.get_command(holder)


app = typer.Typer(
    cls=LazyCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["--help", "-h"]},
    help=say(
        """A PaddlePaddle job died, and nobody knows why: the cause, the evidence, the fix.

        - A job has died: **paddle-doctor log log/**
        - Before it runs: **paddle-doctor scan eval.py**
        - A checkpoint looks wrong: **paddle-doctor ckpt model.pdparams**
        - This machine and shell: **paddle-doctor env**
        - Reading is not enough: **paddle-doctor repro eval.py**
        """,
        """PaddlePaddle 任务挂了，却不知道为什么：给出原因、证据和修复方法。

        - 任务已经挂了：**paddle-doctor log log/**
        - 运行之前检查脚本：**paddle-doctor scan eval.py**
        - 权重文件不对劲：**paddle-doctor ckpt model.pdparams**
        - 检查本机与当前 shell：**paddle-doctor env**
        - 光看不够，需要复现：**paddle-doctor repro eval.py**
        """,
    ),
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"paddle-doctor {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help=say("Show the version.", "显示版本。")),
    ] = False,
    lang: Annotated[
        str,
        typer.Option(metavar="auto|en|zh", help=say("The language of this help.", "帮助信息的语言。")),
    ] = "auto",
) -> None:
    """Options that stand before the command."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line; the exit status. Errors are one sentence on standard error, never a traceback."""
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the terminal's encoding lacks is shown as an escape
            stream.reconfigure(errors="backslashreplace")
    language = spoken_here(arguments)
    status: object = 0
    try:
        with orderly_end(), reader_may_leave():
            status = app(args=list(arguments), prog_name="paddle-doctor", standalone_mode=False)
    except (InputError, TyperException) as error:
        return _refuse(error, language)
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPT
    except Terminated as end:
        _complain(TERMINATED.say(language))
        return end.status
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug of ours, told without a traceback
        _complain(_failure(error).say(language))
        return 2
    if status == INTERRUPT:  # where the parser has caught the interrupt, it says nothing
        _complain(INTERRUPTED.say(language))
    return status if isinstance(status, int) else 0


def _failure(error: Exception) -> Text:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        abandon(sys.stdout)
        return NO_ROOM.fill(why=error.strerror)
    if os.environ.get("PADDLE_DOCTOR_DEBUG"):
        import traceback

        traceback.print_exc()
    return BUG.fill(error=f"{type(error).__name__}: {error}")


def _refuse(error: InputError | TyperException, language: Language) -> int:
    """What was given makes no sense; 2."""
    if isinstance(error, InputError):
        _complain(error.text.say(language))
        return 2
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        with contextlib.suppress(AttributeError):
            error.show()  # type: ignore[attr-defined]
        return 2
    from paddle_doctor.cli.usage import told

    _complain(told(error, COMMANDS).say(language))
    if context is not None:
        _complain(TRY_HELP.fill(command=context.command_path).say(language))
    return error.exit_code


def _complain(sentence: str) -> None:
    from paddle_doctor.report.inert import inert

    try:
        print(inert(sentence), file=sys.stderr, flush=True)  # noqa: T201
    except OSError:  # nobody listens: the exit status has to do
        abandon(sys.stderr)
