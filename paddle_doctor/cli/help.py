"""Help in the user's language, down to the words that are Typer's own."""

from __future__ import annotations

from typing import Any

import typer.core

from paddle_doctor.core.language import say, spoken_here

#: Typer's words for its own two options, and ours.
_COMPLETION = {
    "Install completion for the current shell.": "为当前 shell 安装命令补全。",
    "Show completion for the current shell, to copy it or customize the installation.": "显示当前 shell 的补全脚本。",
}


class SpeaksHelp:
    """What a command and a group of commands have in common: help that speaks the language of this process."""

    def get_help_option(self, ctx: Any) -> Any:
        """The option ``--help``."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.help = say("Show this help and exit.", "显示本帮助并退出。")
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        if spoken_here() == "zh":
            self._speak_chinese()
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def _speak_chinese(self) -> None:
        from rich.markdown import Markdown
        from typer import rich_utils

        class Folded(Markdown):
            """Chinese has no spaces: what a column cannot hold goes on in the next line, and is not cut off."""

            def __rich_console__(self, console: Any, options: Any) -> Any:
                return super().__rich_console__(console, options.update(overflow="fold"))

        rich_utils.Markdown = Folded  # type: ignore[attr-defined]
        rich_utils.OPTIONS_PANEL_TITLE = "选项"
        rich_utils.ARGUMENTS_PANEL_TITLE = "参数"
        rich_utils.COMMANDS_PANEL_TITLE = "命令"
        rich_utils.DEFAULT_STRING = "[默认：{}]"
        rich_utils.REQUIRED_LONG_STRING = "[必填]"
        for parameter in getattr(self, "params", ()):
            parameter.help = _COMPLETION.get(parameter.help, parameter.help)


class DoctorCommand(SpeaksHelp, typer.core.TyperCommand):
    """A command of ours."""
