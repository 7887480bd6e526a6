"""Write what is made of the code: the list of checks in both languages, and the screenshots of the README."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text as Styled

from paddle_doctor.core.check import Check
from paddle_doctor.core.language import LANGUAGES, Language, Text
from paddle_doctor.core.registry import load_checks, subjects_with_checks
from paddle_doctor.report.words import SEVERITY, SUBJECT

DOCS = Path(__file__).parent
DEMO = DOCS / "demo"

TITLE = Text("What paddle-doctor checks", "paddle-doctor 的检查项")
INTRO = Text(
    "Made from the pages in `checks/` by `make docs`; `paddle-doctor explain CODE` shows the same in a terminal.",
    "本页由 `make docs` 从 `checks/` 中的页面生成；在终端中用 `paddle-doctor explain 编号` 可看到同样的内容。",
)
WHAT, WHY, CURE = Text("What.", "是什么："), Text("Why.", "有何影响："), Text("What to do.", "怎么办：")
SINCE, SOURCES = Text("Holds for:", "适用版本："), Text("How it is known:", "依据：")
PICTURES = {"log": ["log", "log"], "scan": ["scan", "--static", "eval.py"], "ckpt": ["ckpt", "model.pdparams"]}


def checks_page(language: Language) -> str:
    """The list of all checks in one language, as Markdown."""
    lines = [f"# {TITLE.say(language)}", "", INTRO.say(language), ""]
    for subject in subjects_with_checks():
        lines += [f"## {SUBJECT[subject].say(language)}", ""]
        checks = load_checks([subject], plugins=False).checks
        for code in sorted(checks):
            lines += page_of(checks[code], language)
    return "\n".join(lines).rstrip() + "\n"


def page_of(check: Check, language: Language) -> list[str]:
    """The page of one check, as lines of Markdown."""
    page = check.page
    parts = [
        f"### {page.code} {page.name}",
        f"*{SEVERITY[page.severity].say(language)}* · {page.title.say(language)}",
        *(f"**{label.say(language)}** {words.say(language)}" for label, words in
          ((WHAT, page.what), (WHY, page.why), (CURE, page.cure))),
        f"**{SINCE.say(language)}** {page.since.say(language)}",
        f"**{SOURCES.say(language)}** {page.known.say(language)}",
    ]  # fmt: skip
    return [line for part in parts for line in (part, "")]


def picture(command: list[str], language: Language) -> str:
    """A screenshot of a command on the demo, as SVG; what it shows is what the command really printed."""
    ran = subprocess.run(
        [sys.executable, "-m", "paddle_doctor", *command, "--lang", language, "--color", "always"],
        capture_output=True,
        cwd=DEMO,
        check=False,
        env={**os.environ, "COLUMNS": "92", "PYTHONIOENCODING": "utf-8", "TERM": "xterm-256color"},
    )
    if ran.returncode not in (0, 1):
        sys.exit(ran.stderr.decode("utf-8"))
    console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True)
    console.print(Styled.from_ansi(f"$ paddle-doctor {' '.join(command)}\n\n" + ran.stdout.decode("utf-8").rstrip()))
    return console.export_svg(title="paddle-doctor", theme=MONOKAI, unique_id=f"doctor-{command[0]}-{language}")


def main() -> None:
    """Write all pages and pictures; print their names."""
    made = {
        DOCS / name: checks_page(language)
        for language, name in zip(LANGUAGES, ("checks.md", "checks.zh.md"), strict=True)
    }
    for name, command in PICTURES.items():
        for language in LANGUAGES:
            made[DOCS / "images" / f"{name}.{language}.svg"] = picture(command, language)
    for path, text in made.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(json.dumps([str(path.relative_to(DOCS)) for path in made]))


if __name__ == "__main__":
    main()
