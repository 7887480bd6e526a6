"""GPU memory, leftover processes, ports, shared memory, installs: what the examples of their pages do not show."""

import pytest

from paddle_doctor.core.finding import Certainty, Finding, Severity
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.environment import (
    Environment,
    Gpu,
    GpuProcess,
    Interpreter,
    Port,
    Process,
    ProcessKind,
    Space,
)

CHECKS = load_checks(["environment"], plugins=False).checks
GIB = 1 << 30


def found(code: str, environment: Environment) -> list[Finding]:
    return [each for each in CHECKS[code].opinions({"environment": environment}) if isinstance(each, Finding)]


def commands(finding: Finding) -> tuple[str, ...]:
    return finding.fix.commands if finding.fix else ()


def gpu(used: float, *processes: GpuProcess, **more: object) -> Gpu:
    return Gpu(
        index=0, name="A100", memory_total=40 * GIB, memory_used=int(used * GIB), processes=processes, **more  # type: ignore[arg-type]
    )  # fmt: skip


class TestGpuMemory:
    def test_nine_tenths_are_the_line(self):
        assert not found("PD302", Environment(platform="linux", gpus=(gpu(35.9),)))
        assert found("PD302", Environment(platform="linux", gpus=(gpu(36),)))

    def test_who_holds_it_is_named_and_only_one_s_own_processes_are_offered_to_be_ended(self):
        mine = GpuProcess(pid=11, memory=20 * GIB, command="python a.py", user="me")
        theirs = GpuProcess(pid=12, memory=18 * GIB, command="python b.py", user="wang")
        (finding,) = found("PD302", Environment(platform="linux", user="me", gpus=(gpu(38.5, mine, theirs),)))
        assert "pid 11 (me), pid 12 (wang)" in finding.message.en
        assert commands(finding) == ("kill 11",)
        assert finding.fix is not None
        assert not finding.fix.safe

    def test_a_process_number_of_another_container_is_not_offered(self):
        (finding,) = found("PD302", Environment(platform="linux", gpus=(gpu(39, GpuProcess(pid=1, memory=GIB)),)))
        assert commands(finding) == ()

    def test_memory_that_nobody_holds_is_said_only_where_the_driver_tells_who_does(self):
        (finding,) = found("PD302", Environment(platform="linux", gpus=(gpu(39),)))
        assert "no process that can be seen" in finding.message.en
        (finding,) = found("PD302", Environment(platform="linux", gpus=(gpu(39, processes_told=False),)))
        assert "no process" not in finding.message.en
        (finding,) = found("PD302", Environment(platform="linux", gpus=(gpu(39, GpuProcess(pid=5, memory=None)),)))
        assert "no process" not in finding.message.en

    def test_inside_a_running_job_it_is_the_job_s_own(self):
        launcher = Process(pid=9, ppid=8, name="python", kind=ProcessKind.LAUNCHER)
        assert not found("PD302", Environment(platform="linux", gpus=(gpu(39),), ancestors=(launcher,)))


class TestProcesses:
    def test_all_orphans_are_one_finding(self):
        orphans = tuple(
            Process(pid=pid, ppid=1, name="python", kind=ProcessKind.RANK, rank=pid - 100, orphan=True)
            for pid in (100, 101)
        )
        (finding,) = found("PD303", Environment(platform="linux", processes=orphans))
        assert finding.severity is Severity.WARNING
        assert commands(finding) == ("kill 100 101",)

    def test_an_orphan_that_has_ended_is_not_offered_to_be_ended(self):
        running = Process(pid=100, ppid=1, name="python", kind=ProcessKind.RANK, orphan=True)
        ended = Process(pid=101, ppid=1, name="python", kind=ProcessKind.RANK, orphan=True, status="zombie")
        first, _ = found("PD303", Environment(platform="linux", processes=(running, ended)))
        assert commands(first) == ("kill 100",)

    def test_zombies_of_the_first_process_are_no_reason_to_signal_it(self):
        zombie = Process(pid=50, ppid=1, name="python", status="zombie")
        (finding,) = found("PD303", Environment(platform="linux", processes=(zombie,)))
        assert finding.severity is Severity.INFO
        assert commands(finding) == ()
        assert finding.fix is not None
        assert "--init" in finding.fix.summary.en

    def test_a_stopped_launcher_with_a_dead_rank_is_a_job_that_stands_still(self):
        launcher = Process(pid=9, ppid=8, name="python", status="stopped", kind=ProcessKind.LAUNCHER)
        rank = Process(pid=50, ppid=9, name="python", status="zombie", kind=ProcessKind.RANK)
        (finding,) = found("PD303", Environment(platform="linux", processes=(launcher, rank)))
        assert finding.severity is Severity.WARNING
        assert commands(finding) == ("kill -s CONT 9",)


class TestPorts:
    @staticmethod
    def taken(number: int, *wanted_by: str, **variables: str) -> Environment:
        port = Port(number=number, wanted_by=wanted_by, state="listening", address="0.0.0.0", pid=77, user="wang")
        return Environment(platform="linux", user="me", variables=variables, ports=(port,))

    def test_another_user_s_process_is_not_offered_to_be_ended(self):
        (finding,) = found("PD304", self.taken(8000, "--port"))
        assert finding.severity is Severity.ERROR
        assert commands(finding) == ()

    def test_without_a_world_size_a_plain_script_does_not_bind_it(self):
        alone = {"PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:6170,127.0.0.1:6171"}
        (finding,) = found("PD304", self.taken(6170, "PADDLE_TRAINER_ENDPOINTS", **alone))
        assert finding.severity is Severity.WARNING
        ranks = {**alone, "PADDLE_TRAINERS_NUM": "2"}
        (finding,) = found("PD304", self.taken(6170, "PADDLE_TRAINER_ENDPOINTS", **ranks))
        assert finding.severity is Severity.ERROR

    def test_with_a_master_the_first_endpoint_is_not_bound(self):
        both = {"PADDLE_MASTER": "127.0.0.1:5000", "PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:6170,127.0.0.1:6171"}
        assert not found("PD304", self.taken(6170, "PADDLE_TRAINER_ENDPOINTS", **both))
        assert found("PD304", self.taken(5000, "PADDLE_MASTER", **both))

    def test_the_default_is_worth_a_note_only(self):
        (finding,) = found("PD304", self.taken(6070, "default"))
        assert finding.severity is Severity.INFO

    def test_inside_a_running_job_its_own_port_is_taken_rightly(self):
        launcher = Process(pid=9, ppid=8, name="python", kind=ProcessKind.LAUNCHER)
        port = Port(number=5000, wanted_by=("PADDLE_MASTER",), state="listening", pid=77)
        inside = Environment(
            platform="linux", variables={"PADDLE_MASTER": "h:5000"}, ports=(port,), ancestors=(launcher,)
        )
        assert not found("PD304", inside)

    def test_what_could_not_be_seen_is_not_taken(self):
        port = Port(number=8000, wanted_by=("--port",), state="unknown")
        assert not found("PD304", Environment(platform="linux", ports=(port,)))


@pytest.mark.parametrize(
    ("total", "free", "certainty"),
    [(64, 64, Certainty.LIKELY), (4, 4, Certainty.LIKELY), (1024, 10, Certainty.POSSIBLE), (65, 65, None)],
)
def test_shared_memory(total, free, certainty):
    findings = found("PD305", Environment(platform="linux", shm=Space(total=total << 20, free=free << 20)))
    assert [each.certainty for each in findings] == ([] if certainty is None else [certainty])


class TestInstall:
    @staticmethod
    def python(**more: object) -> Environment:
        packages = {"paddlepaddle": "3.3.1", "paddlepaddle-gpu": "3.3.1"}
        fields = {"packages": packages, "paddle_version": "3.3.1", "paddle_build": "cpu", "paddle_path": "/p", **more}
        return Environment(
            platform="linux", interpreter=Interpreter(executable="/venv/bin/python", python_version="3.11.7", **fields)  # type: ignore[arg-type]
        )  # fmt: skip

    def test_both_are_a_warning_and_an_empty_one_is_an_error(self):
        (both,) = found("PD306", self.python())
        assert both.severity is Severity.WARNING
        (empty,) = found("PD306", self.python(paddle_is_namespace=True, paddle_version=None))
        assert empty.severity is Severity.ERROR
        assert commands(empty)[0] == "/venv/bin/python -m pip uninstall -y paddlepaddle paddlepaddle-gpu"

    def test_one_of_them_is_well(self):
        assert not found("PD306", self.python(packages={"paddlepaddle": "3.3.1"}))


def test_an_interpreter_with_any_name_is_one_word_of_the_command():
    python = Interpreter(
        executable="/opt/my env; ls/python", python_version="3.10.1", packages={"paddlepaddle": "2.6.2; ls"}
    )
    uninstall, install = commands(found("PD306", Environment(platform="linux", interpreter=python))[0])
    assert uninstall.startswith("'/opt/my env; ls/python' -m pip uninstall ")
    assert install == "'/opt/my env; ls/python' -m pip install 'paddlepaddle==2.6.2; ls'"
