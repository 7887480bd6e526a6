"""The script imports a module that the job's interpreter cannot find."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.script import Import, Runs, Script, read_script

if TYPE_CHECKING:
    from paddle_doctor.subjects.environment import Environment, Interpreter

PAGE = Page(
    code="PD103",
    name="missing-module",
    severity=Severity.ERROR,
    title=Text("An imported module is not installed", "导入的模块没有安装"),
    what=Text(
        "The script imports a module that is neither part of its own project nor installed for the interpreter that "
        "runs the job. Imports in a try block, under a condition or inside a function are left alone: they may be "
        "meant to fail, or never run.",
        "脚本导入了一个模块，它既不属于本项目，也没有安装在运行任务的解释器中。放在 try、条件语句或函数里的导入不算："
        "它们也许本来就允许失败，或者不会执行。",
    ),
    why=Text(
        "The import raises ModuleNotFoundError before anything else happens. Often the module is installed, but for "
        "another interpreter: another conda environment, or the system's Python.",
        "导入时立即抛出 ModuleNotFoundError。常见的情况是模块其实装了，但装在另一个解释器里：另一个 conda 环境，或系统"
        "自带的 Python。",
    ),
    cure=Text(
        "Install the module for the interpreter that runs the job, or run the job with the interpreter that has it; "
        "tell paddle-doctor which one it is with --python.",
        "为运行任务的解释器安装该模块，或改用装有该模块的解释器来运行；可用 --python 告诉 paddle-doctor 是哪一个。",
    ),
    since=Text("every version", "所有版本"),
    sources=(
        "measured: tests/checks/script/test_real_paddle.py",
        "https://docs.python.org/3/library/importlib.html#importlib.util.find_spec",
    ),
)

MISSING = Text(
    "{python} has no module '{module}': this import raises ModuleNotFoundError.",
    "{python} 没有模块“{module}”：这条导入会抛出 ModuleNotFoundError。",
)
MAY_BE_MISSING = Text(
    "{python} has no module '{module}', unless it lies where this script adds to sys.path.",
    "{python} 没有模块“{module}”，除非它位于本脚本添加到 sys.path 的位置。",
)
INSTALL = Text(
    "Install it for the interpreter that runs the job. If that is another one, name it with --python.",
    "为运行任务的解释器安装它。如果任务用的是另一个解释器，请用 --python 指明。",
)
NOT_ON_PYPI = Text(
    "Install it for the interpreter that runs the job, or put its folder on PYTHONPATH. If the job runs on another "
    "interpreter, name it with --python.",
    "为运行任务的解释器安装它，或把它所在的目录加入 PYTHONPATH。如果任务用的是另一个解释器，请用 --python 指明。",
)
LEFT = Text(
    "It was removed from Python; port the script, or use an older Python.",
    "它已从 Python 中移除；请移植脚本，或使用较旧的 Python。",
)
IN_INTERPRETER = Text("the interpreter that was asked", "所询问的解释器")
#: What to install for modules that are often missed. No other name is guessed: a package of the module's name can be
#: somebody else's.
PACKAGES = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "Crypto": "pycryptodome",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "matplotlib": "matplotlib",
    "numpy": "numpy",
    "paddle": "paddlepaddle",
    "pandas": "pandas",
    "PIL": "pillow",
    "pyclipper": "pyclipper",
    "pycocotools": "pycocotools",
    "scipy": "scipy",
    "serial": "pyserial",
    "shapely": "shapely",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "tqdm": "tqdm",
    "usb": "pyusb",
    "visualdl": "visualdl",
    "yaml": "pyyaml",
}
#: Modules that were part of Python and are no longer (3.12 and 3.13).
LEFT_PYTHON = frozenset({"asynchat", "asyncore", "cgi", "distutils", "imp", "pipes", "smtpd", "telnetlib"})


def _lacks(*modules: str) -> Environment:
    from paddle_doctor.subjects.environment import Environment, Interpreter

    interpreter = Interpreter(executable="/opt/conda/bin/python", python_version="3.11.7", missing_modules=modules)
    return Environment(platform="linux", interpreter=interpreter)


def _example(en: str, zh: str, source: str) -> Example:
    return Example(Text(en, zh), {"script": read_script(source, "eval.py"), "environment": _lacks("cv2", "imp")})


def _fires() -> Iterator[Example]:
    yield _example("cv2 is not installed", "没有安装 cv2", "import os\nimport cv2\n")
    yield _example("a part of a missing package", "缺失的包中的一部分", "from cv2.dnn import readNet\n")
    yield _example("imp was removed from Python", "imp 已从 Python 移除", "import imp\n")
    yield _example(
        "it may be on an added path", "可能位于添加的路径上", "import sys\nsys.path.append('lib')\nimport cv2\n"
    )


def _silent() -> Iterator[Example]:
    yield _example("what is imported is there", "所导入的都在", "import numpy\n")
    yield _example(
        "the script can do without", "没有它脚本也能运行", "try:\n    import cv2\nexcept ImportError:\n    cv2 = None\n"
    )
    yield _example("only where it is needed", "只在需要时导入", "def show():\n    import cv2\n")
    yield _example(
        "only for type checkers",
        "仅供类型检查",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import cv2\n",
    )
    yield _example("the project's own module", "项目自己的模块", "from . import cv2\nfrom .cv2 import x\n")


@check(PAGE, fires_on=_fires, silent_on=_silent)
def missing_module(script: Script, environment: Environment) -> Iterator[Finding]:
    """Name each missing module once, at its first import that is sure to run."""
    interpreter = environment.interpreter
    if interpreter is None:
        return
    missing = set(interpreter.missing_modules) - set(script.neighbours)
    for each in script.imports:
        module = each.module.partition(".")[0]
        sure = each.runs in (Runs.IMPORT, Runs.MAIN) and not (each.in_try or each.conditional or each.level)
        if module in missing and sure:
            missing.discard(module)
            yield _finding(script, each, module, interpreter)


def _finding(script: Script, each: Import, module: str, interpreter: Interpreter) -> Finding:
    message = MAY_BE_MISSING if script.changes_path else MISSING
    python = interpreter.executable
    # Where there is no Paddle at all, it may be the wrong interpreter that was asked.
    doubtful = script.changes_path or "paddle" in interpreter.missing_modules
    return PAGE.finding(
        message.fill(python=python, module=module),
        severity=Severity.WARNING if script.changes_path else Severity.ERROR,
        certainty=Certainty.LIKELY if doubtful else Certainty.CERTAIN,
        location=script.location(each.place),
        evidence=[
            script.quote(each.place),
            Evidence(text=f"{python} (Python {interpreter.python_version})", note=IN_INTERPRETER),
        ],
        fix=_fix(module, python),
    )


def _fix(module: str, python: str) -> Fix:
    if module in LEFT_PYTHON:
        return Fix(summary=LEFT)
    if module in PACKAGES:
        return Fix(summary=INSTALL, commands=(f"{shlex.quote(python)} -m pip install {PACKAGES[module]}",))
    return Fix(summary=NOT_ON_PYPI)
