"""The script asks for a GPU, and the job's interpreter has a Paddle that was built without CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.script import Call, Runs, Script, read_script

if TYPE_CHECKING:
    from paddle_doctor.subjects.environment import Environment, Interpreter

PAGE = Page(
    code="PD102",
    name="gpu-on-cpu-wheel",
    severity=Severity.ERROR,
    title=Text("The script asks for a GPU, but Paddle is the CPU build", "安装的是 CPU 版 Paddle，脚本却要使用 GPU"),
    what=Text(
        "The script calls set_device('gpu'), CUDAPlace or .cuda(), and the Paddle that the job's interpreter imports "
        "is the CPU build (the package paddlepaddle, not paddlepaddle-gpu).",
        "脚本调用了 set_device('gpu')、CUDAPlace 或 .cuda()，而任务的解释器导入的是 CPU 版 Paddle（安装的是 "
        "paddlepaddle，而不是 paddlepaddle-gpu）。",
    ),
    why=Text(
        "With Paddle 3 the call raises ValueError. With Paddle 2 only set_device does; CUDAPlace and .cuda() "
        "end the process at once with exit status 255, without a traceback, and no try block catches it.\n\nOn "
        "the CPU build a try block around set_device is a working fallback. It does not work on the GPU build "
        "without a driver: there the same call ends the process with exit status 255.",
        "在 Paddle 3 上该调用抛出 ValueError。在 Paddle 2 上只有 set_device 如此；CUDAPlace 和 .cuda() 会让进程"
        "立即退出（退出码 255），没有 traceback，try 也捕获不到。\n\n在 CPU 版上，用 try 包住 set_device 可以回"
        "退到 CPU；但在没有驱动的 GPU 版上不行：同样的调用会让进程直接退出（退出码 255）。",
    ),
    cure=Text(
        "Install paddlepaddle-gpu for your CUDA version after uninstalling paddlepaddle, or choose the device by "
        "paddle.is_compiled_with_cuda().",
        "先卸载 paddlepaddle，再安装与 CUDA 版本对应的 paddlepaddle-gpu；或者用 paddle.is_compiled_with_cuda() 选择设"
        "备。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=(
        "measured: tests/checks/script/test_real_paddle.py (3.3.1 CPU)",
        "measured: paddlepaddle 2.6.2 and paddlepaddle-gpu 2.6.2 without a driver (exit status 255)",
    ),
)

RAISES = Text(
    "{what} asks for a GPU, and {python} has Paddle {version} built for the CPU: the call raises ValueError.",
    "{what} 要使用 GPU，而 {python} 安装的是 CPU 版 Paddle {version}：该调用会抛出 ValueError。",
)
KILLS = Text(
    "{what} asks for a GPU, and {python} has Paddle {version} built for the CPU: the process ends at once "
    "with exit status 255 and without a traceback.",
    "{what} 要使用 GPU，而 {python} 安装的是 CPU 版 Paddle {version}：进程会立即退出（退出码 255），没有 traceback。",
)
CHOOSE = Text(
    "Choose the device by what this Paddle can do, or install the GPU build (paddlepaddle-gpu) in place of "
    "paddlepaddle.",
    "根据当前 Paddle 的能力选择设备；或者卸载 paddlepaddle，改装 GPU 版（paddlepaddle-gpu）。",
)
CODE = 'paddle.set_device("gpu" if paddle.is_compiled_with_cuda() else "cpu")\n'
INSTALLED = Text("the Paddle that the job imports", "任务所导入的 Paddle")
#: A condition that has to do with what is asked for: the author has thought of machines without it.
_ABOUT_DEVICES = re.compile(r"(?i)gpu|cuda|device|place|cpu|xpu|npu")


def _machine(build: str, version: str = "3.3.1") -> Environment:
    from paddle_doctor.subjects.environment import Environment, Interpreter

    interpreter = Interpreter(executable="python", python_version="3.11.7", paddle_version=version, paddle_build=build)
    return Environment(platform="linux", interpreter=interpreter)


def _example(en: str, zh: str, source: str, environment: Environment) -> Example:
    return Example(Text(en, zh), {"script": read_script(source, "eval.py"), "environment": environment})


SET_DEVICE = "import paddle\npaddle.set_device('gpu:0')\n"


def _fires() -> Iterator[Example]:
    caught = "import paddle\ntry:\n    place = paddle.CUDAPlace(0)\nexcept Exception:\n    place = paddle.CPUPlace()\n"
    method = "import paddle\nnet = paddle.nn.Linear(2, 2)\nnet.weight.cuda()\n"
    yield _example("set_device('gpu')", "set_device('gpu')，CPU 版", SET_DEVICE, _machine("cpu"))
    yield _example(
        "CUDAPlace with Paddle 2, which no try catches",
        "Paddle 2 的 CUDAPlace，try 捕获不到",
        caught,
        _machine("cpu", "2.6.2"),
    )
    yield _example(".cuda() of a parameter", "对参数调用 .cuda()", method, _machine("cpu"))


def _silent() -> Iterator[Example]:
    chosen = "import paddle\npaddle.set_device('gpu' if paddle.is_compiled_with_cuda() else 'cpu')\n"
    asked = "import paddle\nif paddle.is_compiled_with_cuda():\n    paddle.set_device('gpu')\n"
    caught = "import paddle\ntry:\n    paddle.set_device('gpu')\nexcept ValueError:\n    paddle.set_device('cpu')\n"
    yield _example("the GPU build", "安装的是 GPU 版", SET_DEVICE, _machine("cuda 12.6"))
    yield _example("the device is chosen", "根据能力选择设备", chosen, _machine("cpu"))
    yield _example("the script asks first", "脚本先做了判断", asked, _machine("cpu"))
    yield _example("a fallback that works here", "此处有效的回退写法", caught, _machine("cpu"))
    yield _example(
        "what CUDA it was built with",
        "查询编译时的 CUDA 版本",
        "import paddle\npaddle.version.cuda()\n",
        _machine("cpu"),
    )
    yield _example(
        "a function that nobody here calls", "本文件没有调用的函数", "def f(net):\n    net.cuda()\n", _machine("cpu")
    )
    yield _example("the CPU", "使用 CPU", SET_DEVICE.replace("gpu:0", "cpu"), _machine("cpu"))


@check(PAGE, fires_on=_fires, silent_on=_silent)
def gpu_on_cpu_wheel(script: Script, environment: Environment) -> Iterator[Finding]:
    """Judge each call that asks for a GPU by the build of Paddle that will answer it."""
    interpreter = environment.interpreter
    if interpreter is None or interpreter.paddle_build != "cpu" or interpreter.paddle_version is None:
        return
    for call in script.calls:
        what = _asks_for_gpu(script, call)
        if (
            what is None
            or call.runs not in (Runs.IMPORT, Runs.MAIN)
            or any(map(_ABOUT_DEVICES.search, call.conditions))
        ):
            continue
        kills = interpreter.paddle_version.startswith("2.") and not what.startswith("paddle.set_device")
        if not call.in_try or kills:
            yield _finding(script, call, what, KILLS if kills else RAISES, interpreter)


def _finding(script: Script, call: Call, what: str, message: Text, interpreter: Interpreter) -> Finding:
    certain = not call.conditions
    build = f"{interpreter.executable}: Paddle {interpreter.paddle_version} ({interpreter.paddle_build})"
    return PAGE.finding(
        message.fill(what=what, python=interpreter.executable, version=interpreter.paddle_version),
        severity=Severity.ERROR if certain else Severity.WARNING,
        certainty=Certainty.CERTAIN if certain else Certainty.LIKELY,
        location=script.location(call.place),
        evidence=[script.quote(call.place), Evidence(text=build, path=interpreter.paddle_path, note=INSTALLED)],
        fix=Fix(summary=CHOOSE, code=CODE),
    )


def _asks_for_gpu(script: Script, call: Call) -> str | None:
    """The call as it is named to the user, if it asks Paddle for a GPU."""
    if call.name == "paddle.set_device":
        device = call.argument("device", 0)
        asked = device.value if device is not None else None
        return f"paddle.set_device({asked!r})" if isinstance(asked, str) and asked.startswith("gpu") else None
    if call.name == "paddle.CUDAPlace":
        return "paddle.CUDAPlace"
    if call.name.endswith(".cuda") and not call.local and _is_paddles(script, call):
        return ".cuda()"
    return None


def _is_paddles(script: Script, call: Call) -> bool:
    if call.name.startswith("paddle."):
        return call.name != "paddle.version.cuda"
    packages = {each.module.partition(".")[0] for each in script.imports}
    return call.name.startswith("?.") and "paddle" in packages and "torch" not in packages
