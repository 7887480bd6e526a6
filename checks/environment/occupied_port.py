"""A port that the job would use is taken by somebody else."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text, listing
from paddle_doctor.subjects.environment import Environment, Port

PAGE = Page(
    code="PD304",
    name="occupied-port",
    severity=Severity.ERROR,
    title=Text("A port that the job would use is taken", "任务要用的端口已被占用"),
    what=Text(
        "Something already listens on the port at which the ranks would meet: the one of PADDLE_MASTER, else "
        "that of the first of PADDLE_TRAINER_ENDPOINTS; the first port that fleetrun takes from "
        "FLAGS_START_PORT; or a port that you asked about with --port. Only rank 0 binds the meeting port. The "
        "endpoints of the other ranks are only names: nobody opens those ports, so it does no harm if they are "
        "taken.",
        "各 rank 建立连接所用的端口（rendezvous）上已有程序在监听：即 PADDLE_MASTER 的端口，否则是 "
        "PADDLE_TRAINER_ENDPOINTS 中第一个的端口；或 fleetrun 按 FLAGS_START_PORT 使用的第一个端口；或您用 "
        "--port 指定的端口。只有 rank 0 会绑定该端口。其他 rank 的 endpoint 只是名字，不会被打开，所以即使被占"
        "用也无妨。",
    ),
    why=Text(
        "Rank 0 fails when it binds the port. Paddle 3 does not say why: it prints 'create libuv server at "
        "port', then an assertion of uv__finish_close, and aborts (SIGABRT); the words 'Address already in "
        "use' never appear. Paddle 2 raises 'ValueError: Bind network on IP_ANY:PORT failed'. The other ranks "
        "hang, or are stopped by the launcher.",
        "rank 0 绑定端口时会失败退出。Paddle 3 不会说明原因：它先打印“create libuv server at port”，随后是 "
        "uv__finish_close 的断言失败并中止（SIGABRT），“Address already in use”根本不会出现。Paddle 2 会抛出"
        "“ValueError: Bind network on IP_ANY:PORT failed”。其他 rank 会卡住，或被启动器终止。",
    ),
    cure=Text(
        "Choose another port, or end the process that holds it if it is a leftover of yours.",
        "换一个端口；如果占用者是您残留的进程，就结束它。",
    ),
    since=Text("Paddle 2.6 and 3.3", "Paddle 2.6 和 3.3"),
    sources=(
        "measured: tests/checks/environment/test_on_paddle.py (3.3.1; the meeting port taken, another one taken)",
        "measured: paddlepaddle 2.6.2: ValueError",
        "read: --start_port 6070 is used with --ips only (distributed/launch/controllers/collective.py)",
    ),
)

MESSAGE = Text(
    "Port {port} ({wanted}) is taken by {holder}. {effect}", "端口 {port}（{wanted}）已被 {holder} 占用。{effect}"
)
RANK_0_DIES = Text(
    "Rank 0 cannot bind it: Paddle 3 aborts with an assertion of uv__finish_close, Paddle 2 raises a ValueError.",
    "rank 0 无法绑定：Paddle 3 会因 uv__finish_close 断言失败而中止，Paddle 2 会抛出 ValueError。",
)
A_JOB_DIES = Text(
    "A job whose ranks meet there fails: Paddle 3 aborts with an assertion of uv__finish_close, Paddle 2 "
    "raises a ValueError.",
    "使用该端口建立连接的任务会失败：Paddle 3 会因 uv__finish_close 断言失败而中止，Paddle 2 会抛出 ValueError。",
)
ONLY_WITH_IPS = Text(
    "It is the launcher's default and used only with --ips; without it the launcher takes a free port.",
    "它是启动器的默认端口，仅在使用 --ips 时才会用到；否则启动器会自动选择空闲端口。",
)
DEFAULT = Text("the launcher's default", "启动器默认值")
SOMEBODY = Text("a process that cannot be seen from here (another user's)", "从这里看不到的进程（属于其他用户）")
PID = Text("pid {pid}{who}", "pid {pid}{who}")
OTHER_PORT = Text(
    "Choose another port, or end pid {pid} if it is a leftover of yours.",
    "换一个端口；如果 pid {pid} 是您残留的进程，就结束它。",
)
OTHER_PORT_ONLY = Text("Choose another port.", "换一个端口。")


def _shell(port: int, wanted_by: tuple[str, ...], *, state: str = "listening", **variables: str) -> Environment:
    listening = state == "listening"
    seen = Port(
        number=port,
        wanted_by=wanted_by,
        state=state,
        address="127.0.0.1" if listening else None,
        pid=4711 if listening else None,
        command="python -m http.server" if listening else None,
        user="wang" if listening else None,
    )
    return Environment(platform="linux", variables=variables, ports=(seen,))


ENDPOINTS = "127.0.0.1:6170,127.0.0.1:6171"


def _fires() -> Iterator[Example]:
    for shows, environment in (
        (Text("the port that was asked about", "所询问的端口"), _shell(8173, ("--port",))),
        (
            Text("the port where the ranks meet", "各 rank 建立连接的端口"),
            _shell(6170, ("PADDLE_TRAINER_ENDPOINTS",), PADDLE_TRAINER_ENDPOINTS=ENDPOINTS, PADDLE_TRAINERS_NUM="2"),
        ),
        (
            Text("the port of PADDLE_MASTER", "PADDLE_MASTER 的端口"),
            _shell(5000, ("PADDLE_MASTER",), PADDLE_MASTER="127.0.0.1:5000", PADDLE_TRAINER_ENDPOINTS=ENDPOINTS),
        ),
        (
            Text("the port of FLAGS_START_PORT", "FLAGS_START_PORT 的端口"),
            _shell(7000, ("FLAGS_START_PORT",), FLAGS_START_PORT="7000"),
        ),
        (Text("the launcher's default", "启动器默认端口"), _shell(6070, ("default",))),
    ):
        yield Example(shows=shows, subjects={"environment": environment})


def _silent() -> Iterator[Example]:
    for shows, environment in (
        (Text("a free port", "空闲端口"), _shell(8173, ("--port",), state="free")),
        (
            Text("the endpoint of rank 1, which nobody binds", "rank 1 的 endpoint，没有人会绑定它"),
            _shell(6171, ("PADDLE_TRAINER_ENDPOINTS",), PADDLE_TRAINER_ENDPOINTS=ENDPOINTS),
        ),
        (
            Text("the meeting port, seen from rank 1: rank 0 holds it", "从 rank 1 看建立连接的端口：由 rank 0 占用"),
            _shell(6170, ("PADDLE_TRAINER_ENDPOINTS",), PADDLE_TRAINER_ENDPOINTS=ENDPOINTS, PADDLE_TRAINER_ID="1"),
        ),
    ):
        yield Example(shows=shows, subjects={"environment": environment})


@check(PAGE, fires_on=_fires, silent_on=_silent)
def occupied_port(environment: Environment) -> Iterator[Finding]:
    """One finding for each port that matters and is taken."""
    for port in environment.ports:
        if port.state == "listening" and (reason := _reason(port, environment)) is not None:
            severity, wanted, effect = reason
            yield PAGE.finding(
                MESSAGE.fill(port=port.number, wanted=wanted, holder=_holder(port), effect=effect),
                severity=severity,
                location=Location(port=port.number, pid=port.pid),
                evidence=[Evidence(text=_row(port))],
                fix=_fix(port, environment),
            )


def _reason(port: Port, environment: Environment) -> tuple[Severity, Text | str, Text] | None:
    """How much it matters that the port is taken, by whom it is wanted, and what happens; None if it does not."""
    if "--port" in port.wanted_by:
        return Severity.ERROR, "--port", A_JOB_DIES
    if environment.launcher is not None:
        return None  # a rank of a running job sees its own job's ports
    meeting = _meeting_variable(environment)
    named = [name for name in port.wanted_by if name == meeting]
    if named and environment.variables.get("PADDLE_TRAINER_ID", "0") == "0" and _is_first(port, meeting, environment):
        sure = environment.variables.get("PADDLE_TRAINERS_NUM", "1").strip() not in ("0", "1", "")
        return (Severity.ERROR, listing(named), RANK_0_DIES) if sure else (Severity.WARNING, listing(named), A_JOB_DIES)
    if "FLAGS_START_PORT" in port.wanted_by:
        return Severity.ERROR, "FLAGS_START_PORT", A_JOB_DIES
    if port.wanted_by == ("default",):
        return Severity.INFO, DEFAULT, ONLY_WITH_IPS
    return None


def _meeting_variable(environment: Environment) -> str:
    return "PADDLE_MASTER" if environment.variables.get("PADDLE_MASTER") else "PADDLE_TRAINER_ENDPOINTS"


def _is_first(port: Port, variable: str, environment: Environment) -> bool:
    first = environment.variables.get(variable, "").split(",")[0]
    return first.strip().endswith(f":{port.number}")


def _holder(port: Port) -> Text:
    if port.pid is None:
        return SOMEBODY
    return PID.fill(pid=port.pid, who=f" ({port.user})" if port.user else "")


def _row(port: Port) -> str:
    words = (f"{port.address}:{port.number}", f"pid {port.pid}" if port.pid else None, port.user, port.command)
    return "  ".join(word for word in words if word)


def _fix(port: Port, environment: Environment) -> Fix:
    if port.pid is None or not environment.may_end(port.user):
        return Fix(summary=OTHER_PORT_ONLY)
    return Fix(summary=OTHER_PORT.fill(pid=port.pid), commands=(f"kill {port.pid}",))
