"""PD101 by start method, platform and what is started: error only where it breaks."""

import pytest

from paddle_doctor.core.finding import Certainty, Finding, Severity
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.environment import Environment, Interpreter
from paddle_doctor.subjects.script import read_script

CHECK = load_checks(["script"], plugins=False).checks["PD101"]
ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

PADDLE = "from paddle.io import DataLoader\nfor b in DataLoader(d, num_workers=2): ...\n"
TORCH = PADDLE.replace("paddle.io", "torch.utils.data")
HAPI = "import paddle\nm = paddle.Model(net)\nm.evaluate(d, num_workers=2)\n"
HANDED = "import paddle\nm = paddle.Model(net)\nm.evaluate(paddle.io.DataLoader(d, num_workers=2))\n"
#: The tenth positional argument of Paddle's loader, the sixth of PyTorch's.
BY_POSITION = PADDLE.replace("num_workers=2", "None, None, True, None, 8, False, False, None, 2")
TORCH_BY_POSITION = TORCH.replace("num_workers=2", "8, False, None, None, 2")
DIST = "import paddle.distributed as dist\ndist.spawn(f)\n"
POOL = "import multiprocessing as mp\nmp.Pool(2)\n"
EXECUTOR = "from concurrent.futures import ProcessPoolExecutor as E\nwith E() as e:\n    e.map(f, x)\n"
SET = "import multiprocessing\nmultiprocessing.set_start_method('{}')\n"


def machine(platform: str, method: str | None = None) -> Environment:
    interpreter = Interpreter(executable="python", python_version="3.12.0", start_method=method) if method else None
    return Environment(platform=platform, interpreter=interpreter)


LINUX, LINUX_314 = machine("linux", "fork"), machine("linux", "forkserver")
WINDOWS, MAC = machine("win32"), machine("darwin", "spawn")


def judged(source: str, environment: Environment | None) -> list[Finding]:
    subjects = {"script": read_script(source, "train.py"), "environment": environment}
    return [each for each in CHECK.opinions(subjects) if isinstance(each, Finding)]


@pytest.mark.parametrize(
    ("source", "environment", "severity"),
    [
        (PADDLE, None, INFO),
        (PADDLE, LINUX, INFO),
        (PADDLE, LINUX_314, ERROR),
        (PADDLE, WINDOWS, None),
        (PADDLE, MAC, None),
        (BY_POSITION, LINUX_314, ERROR),
        (BY_POSITION.replace("2)", "0)"), LINUX_314, None),
        (TORCH_BY_POSITION, LINUX_314, ERROR),
        (HAPI, LINUX_314, ERROR),
        (HANDED, LINUX_314, ERROR),
        (SET.format("spawn") + PADDLE, None, ERROR),
        (SET.format("spawn") + PADDLE, LINUX, ERROR),
        (SET.format("spawn") + PADDLE, MAC, WARNING),
        (SET.format("fork") + PADDLE, LINUX_314, None),
        (PADDLE + SET.format("spawn"), LINUX, INFO),
        (TORCH, None, WARNING),
        (TORCH, LINUX, WARNING),
        (TORCH, WINDOWS, ERROR),
        (POOL, LINUX, WARNING),
        (POOL, MAC, ERROR),
        (POOL.replace("Pool", "get_context('spawn').Pool"), LINUX, ERROR),
        (POOL.replace("Pool", "get_context('fork').Pool"), MAC, None),
        (EXECUTOR, WINDOWS, ERROR),
        (EXECUTOR.replace("    e.map(f, x)", "    pass"), WINDOWS, None),
        (DIST, None, ERROR),
        (DIST, LINUX, ERROR),
        (DIST, WINDOWS, ERROR),
        (DIST.replace("(f)", "(f, start_method='fork')"), LINUX, None),
        (DIST.replace("(f)", "(f, start_method='forkserver')"), LINUX, ERROR),
        (DIST.replace("(f)", "(f, start_method=how)"), LINUX, None),
        (DIST.replace("dist.spawn", "if __name__ == '__main__': dist.spawn"), LINUX, None),
    ],
)
def test_severity(source: str, environment: Environment | None, severity: Severity | None):
    assert [each.severity for each in judged(source, environment)] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("source", "severity", "certainty"),
    [
        (PADDLE, ERROR, Certainty.CERTAIN),
        (PADDLE.replace("for", "nw = 2\nfor").replace("=2)", "=nw)"), ERROR, Certainty.CERTAIN),
        (PADDLE.replace("for", "if args.eval:\n  for"), ERROR, Certainty.LIKELY),
        (PADDLE.replace("=2)", "=cfg.workers)"), WARNING, Certainty.POSSIBLE),
        (PADDLE.replace("num_workers=2", "**options"), WARNING, Certainty.POSSIBLE),
    ],
)
def test_certainty_is_that_of_the_text(source: str, severity: Severity, certainty: Certainty):
    assert [(each.severity, each.certainty) for each in judged(source, LINUX_314)] == [(severity, certainty)]


def test_a_loader_used_twice_is_told_once():
    source = "from paddle.io import DataLoader\nl = DataLoader(d, num_workers=2)\nfor a in l: ...\nfor b in l: ...\n"
    assert len(judged(source, LINUX_314)) == 1


def test_the_way_there_and_the_setter_are_shown_and_the_fix_guards_the_entry():
    source = SET.format("spawn") + "from paddle.io import DataLoader\ndef main():\n"
    source += "    for b in DataLoader(d, num_workers=2):\n        pass\nmain()\n"
    (finding,) = judged(source, LINUX)
    assert [each.line for each in finding.evidence] == [5, 7, 2]
    assert finding.fix is not None
    assert finding.fix.code == 'if __name__ == "__main__":\n    main()\n'


def test_a_block_is_guarded_through_a_function():
    (finding,) = judged("import multiprocessing\nwith multiprocessing.Pool(2) as pool:\n    pool.map(f, x)\n", WINDOWS)
    assert finding.fix is not None
    assert finding.fix.code is not None
    compile(finding.fix.code, "fix.py", "exec")
