"""Both Paddle packages in one environment, or one of them half removed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text, listing
from paddle_doctor.subjects.environment import Environment, Interpreter

PAGE = Page(
    code="PD306",
    name="broken-paddle-install",
    severity=Severity.ERROR,
    title=Text(
        "paddlepaddle and paddlepaddle-gpu conflict with each other", "paddlepaddle 与 paddlepaddle-gpu 互相冲突"
    ),
    what=Text(
        "paddlepaddle (CPU) and paddlepaddle-gpu install the same folder, paddle. Where both are installed, the last "
        "one wins; when one of them is uninstalled, it takes files of the other with it, while pip still lists the "
        "other as installed.",
        "paddlepaddle（CPU 版）和 paddlepaddle-gpu 安装的是同一个目录 paddle。两者都安装时，后安装的生效；"
        "卸载其中一个会把另一个的文件一起删掉，而 pip 仍显示另一个已安装。",
    ),
    why=Text(
        "A CPU build that was installed over the GPU build makes the job run without GPUs, or fail when it asks for "
        "one. After one is uninstalled, 'import paddle' gives an empty namespace package (AttributeError: module "
        "'paddle' has no attribute '__version__') or a ModuleNotFoundError.",
        "CPU 版覆盖 GPU 版后，任务会不使用 GPU，或在请求 GPU 时报错。卸载其中一个之后，import paddle 得到的是空的"
        "命名空间包（AttributeError: module 'paddle' has no attribute '__version__'），或抛出 ModuleNotFoundError。",
    ),
    cure=Text("Uninstall both, then install the one that you want.", "把两个都卸载，再安装需要的那一个。"),
    since=Text("Paddle 2.6 and 3.3", "Paddle 2.6 和 3.3"),
    sources=(
        "measured: paddlepaddle and paddlepaddle-gpu 2.6.2 installed and uninstalled in both orders",
        "the probe's side: tests/subjects/environment/test_probe.py",
    ),
)

NAMES = ("paddlepaddle", "paddlepaddle-gpu")

BOTH = Text(
    "Both paddlepaddle {cpu} and paddlepaddle-gpu {gpu} are installed. They share one folder; what is imported is "
    "{version} ({build}).",
    "同时安装了 paddlepaddle {cpu} 和 paddlepaddle-gpu {gpu}。两者共用一个目录，实际导入的是 {version}（{build}）。",
)
EMPTY = Text(
    "pip lists {packages}, but 'import paddle' finds an empty folder: another Paddle package was uninstalled and took "
    "its files with it.",
    "pip 显示已安装 {packages}，但 import paddle 只找到一个空目录：卸载另一个 Paddle 包时把它的文件也删掉了。",
)
GONE = Text(
    "pip lists {packages}, but there is no module 'paddle': another Paddle package was uninstalled and took its files "
    "with it.",
    "pip 显示已安装 {packages}，但找不到 paddle 模块：卸载另一个 Paddle 包时把它的文件也删掉了。",
)
UNKNOWN = Text("unknown build", "类型未知")


def _python(*, namespace: bool = False, version: str | None = None, **packages: str) -> Environment:
    interpreter = Interpreter(
        executable="/opt/venv/bin/python",
        python_version="3.10.13",
        packages={name.replace("_", "-"): number for name, number in packages.items()},
        paddle_version=version,
        paddle_build="cpu" if version else None,
        paddle_path="/opt/venv/lib/python3.10/site-packages/paddle" if version or namespace else None,
        paddle_is_namespace=namespace,
    )
    return Environment(platform="linux", interpreter=interpreter)


def _fires() -> Iterator[Example]:
    yield Example(
        shows=Text("both are installed", "两个都已安装"),
        subjects={"environment": _python(version="2.6.2", paddlepaddle="2.6.2", paddlepaddle_gpu="2.6.2")},
    )
    yield Example(
        shows=Text("the CPU one was uninstalled", "卸载了 CPU 版"),
        subjects={"environment": _python(namespace=True, paddlepaddle_gpu="2.6.2")},
    )
    yield Example(
        shows=Text("the GPU one was uninstalled", "卸载了 GPU 版"),
        subjects={"environment": _python(paddlepaddle="2.6.2")},
    )


def _silent() -> Iterator[Example]:
    yield Example(
        shows=Text("one of them", "只有一个"),
        subjects={"environment": _python(version="3.3.1", paddlepaddle="3.3.1")},
    )
    yield Example(shows=Text("no Paddle at all", "没有安装 Paddle"), subjects={"environment": _python(numpy="2.1.0")})
    yield Example(
        shows=Text("a folder that happens to be called paddle", "恰好叫 paddle 的目录"),
        subjects={"environment": _python(namespace=True)},
    )
    yield Example(
        shows=Text("an interpreter that could not be queried", "无法查询的解释器"),
        subjects={"environment": Environment(platform="linux")},
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def broken_paddle_install(environment: Environment) -> Iterator[Finding]:
    """At most one finding about the job's interpreter."""
    python = environment.interpreter
    if python is None:
        return
    installed = [name for name in NAMES if name in python.packages]
    if not installed:
        return
    if python.paddle_is_namespace:
        message, severity = EMPTY.fill(packages=listing(installed)), Severity.ERROR
    elif python.paddle_path is None:
        message, severity = GONE.fill(packages=listing(installed)), Severity.ERROR
    elif len(installed) == 2:
        message, severity = _both(python), Severity.WARNING
    else:
        return
    program = shlex.quote(python.executable)
    wanted = shlex.quote(f"{installed[-1]}=={python.packages[installed[-1]]}")
    yield PAGE.finding(
        message,
        severity=severity,
        location=Location(path=python.paddle_path or python.executable),
        evidence=[Evidence(text=f"{name} {python.packages[name]}", path=python.executable) for name in installed],
        fix=Fix(
            summary=PAGE.cure,
            commands=(
                f"{program} -m pip uninstall -y paddlepaddle paddlepaddle-gpu",
                f"{program} -m pip install {wanted}",
            ),
        ),
    )


def _both(python: Interpreter) -> Text:
    return BOTH.fill(
        cpu=python.packages["paddlepaddle"],
        gpu=python.packages["paddlepaddle-gpu"],
        version=python.paddle_version or "?",
        build=python.paddle_build or UNKNOWN,
    )
