"""Leftover launch variables: each measured row, what is unset with it, and where they are no leftovers."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.core.finding import Finding, Severity
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.environment import Environment, Interpreter, Process, ProcessKind

CHECK = load_checks(["environment"], plugins=False).checks["PD301"]

TWO_HERE = "127.0.0.1:6170,127.0.0.1:6171"
CLASSIC = {
    "PADDLE_TRAINER_ID": "1",
    "PADDLE_TRAINERS_NUM": "2",
    "PADDLE_TRAINER_ENDPOINTS": TWO_HERE,
    "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:6171",
}
LAUNCH = {**CLASSIC, "PADDLE_MASTER": "127.0.0.1:50001", "PADDLE_DISTRI_BACKEND": "gloo", "PADDLE_GLOBAL_RANK": "1"}


def shell(variables: dict[str, str]) -> Environment:
    return Environment(platform="linux", variables=variables, addresses=("127.0.0.1", "localhost", "10.0.0.5"))


def finding(environment: Environment) -> Finding | None:
    found = CHECK.opinions({"environment": environment})
    assert len(found) < 2, "one set is one finding"
    return found[0] if found and isinstance(found[0], Finding) else None


@pytest.mark.parametrize(
    ("variables", "severity", "words"),
    [
        ({"PADDLE_TRAINER_ID": "1"}, Severity.ERROR, "rank 1"),
        ({"PADDLE_TRAINER_ID": "-1"}, Severity.ERROR, "rank -1"),
        ({"PADDLE_TRAINER_ID": "1", "PADDLE_TRAINERS_NUM": "1"}, Severity.ERROR, "saves nothing"),
        ({"PADDLE_TRAINER_ID": ""}, Severity.ERROR, "import paddle"),
        ({"PADDLE_TRAINER_ID": "abc"}, Severity.ERROR, "import paddle"),
        ({"PADDLE_TRAINERS_NUM": "2"}, Severity.ERROR, "1 of every 2 samples"),
        ({"PADDLE_TRAINERS_NUM": "8"}, Severity.ERROR, "1 of every 8 samples"),
        ({"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "0"}, Severity.ERROR, "1 of every 2 samples"),
        ({"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "2"}, Severity.ERROR, "then hangs"),
        ({"PADDLE_TRAINERS_NUM": ""}, Severity.ERROR, "every DataLoader"),
        ({"PADDLE_TRAINERS_NUM": "0"}, Severity.ERROR, "ZeroDivisionError"),
        (CLASSIC, Severity.ERROR, "without printing a line"),
        ({**CLASSIC, "PADDLE_TRAINER_ID": "0"}, Severity.ERROR, "without printing a line"),
        (LAUNCH, Severity.ERROR, "Retry to connect"),
        ({**LAUNCH, "PADDLE_TRAINER_ID": "0"}, Severity.ERROR, "15 minutes"),
        ({"PADDLE_PG_TIMEOUT": "abc"}, Severity.ERROR, "PADDLE_PG_TIMEOUT"),
        ({"PADDLE_CURRENT_ENDPOINT": "127.0.0.1:6170"}, Severity.WARNING, "pretrained=True"),
        ({"PADDLE_TRAINER_ENDPOINTS": TWO_HERE}, Severity.WARNING, "pretrained=True"),
        ({"DISTRIBUTED_TRAINER_ENDPOINTS": "10.0.0.5:1,10.0.0.6:1"}, Severity.WARNING, "Waiting peer start"),
        ({"PADDLE_NNODES": "2"}, Severity.WARNING, "Waiting peer start"),
        ({"PADDLE_NPROC_PER_NODE": "4"}, Severity.WARNING, "PADDLE_NPROC_PER_NODE"),
        ({"PADDLE_NPROC_PER_NODE": ""}, Severity.WARNING, "ValueError"),
        ({"PADDLE_SERVER_NUM": "1"}, Severity.WARNING, "parameter server"),
        ({"PADDLE_RUN_MODE": "ps"}, Severity.WARNING, "parameter server"),
        ({"PADDLE_TRAINER_NUM": "2"}, Severity.WARNING, "parameter-server mode"),
        ({"POD_IP": "10.0.0.9"}, Severity.WARNING, "POD_IP"),
        ({"PADDLE_IPS": "10.0.0.9"}, Severity.WARNING, "PADDLE_IPS"),
        ({"PADDLE_MASTER": "10.0.0.9:6170"}, Severity.WARNING, "fleetrun"),
        ({"PADDLE_MASTER": ""}, Severity.WARNING, "fleetrun"),
        ({"PORT_RANGE": "abc"}, Severity.WARNING, "35100:64000"),
        (
            {"PADDLE_ELASTIC_SERVER": "h:1", "PADDLE_ELASTIC_JOB_ID": "j", "PADDLE_ELASTIC_NP": "2"},
            Severity.WARNING,
            "etcd3",
        ),
        ({"PADDLE_PSERVERS_IP_PORT_LIST": "127.0.0.1:1"}, Severity.WARNING, "PADDLE_TRAINERS_NUM"),
        ({"PADDLE_LOG_DIR": "old"}, Severity.INFO, "--log_dir"),
    ],
)
def test_each_measured_row(variables, severity, words):
    found = finding(shell(variables))
    assert found is not None
    assert found.severity is severity
    assert words in found.message.en
    assert found.fix is not None
    (command,) = found.fix.commands
    assert command.split()[0] == "unset"
    assert set(command.split()[1:]) == set(variables)


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"PADDLE_TRAINER_ID": "0"},
        {"PADDLE_TRAINERS_NUM": "1"},
        {"PADDLE_NNODES": "1"},
        {"FLAGS_selected_gpus": "3"},
        {"MASTER_ADDR": "10.0.0.9", "MASTER_PORT": "29500", "RANK": "1", "WORLD_SIZE": "8", "LOCAL_RANK": "1"},
        {"PADDLE_TRAINER_ENDPOINTS": TWO_HERE, "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:6170"},
        {"PADDLE_MASTER": "127.0.0.1:50001"},
        {"POD_IP": "127.0.0.1"},
        {"POD_IP": "10.0.0.5"},
        {"TRAINING_ROLE": "TRAINER", "PADDLE_WITH_GLOO": "1", "PADDLE_DISTRI_BACKEND": "gloo", "PADDLE_JOB_ID": "x"},
        {"PADDLE_START_PORT": "7000", "FLAGS_START_PORT": "7000", "PADDLE_PORT": "7000", "TRAINER_PORTS_NUM": "1"},
        {"PADDLE_ELASTIC_SERVER": "h:1"},
        {"PADDLE_PG_TIMEOUT": "1800000"},
        {"PORT_RANGE": "35100:64000"},
        {"PADDLE_RUN_MODE": "collective"},
        {"PADDLE_DEVICES": "0"},
        {"OMP_NUM_THREADS": "abc", "http_proxy": "http://p:3128", "NCCL_DEBUG": "INFO"},
        {"SLURM_PROCID": "1", "SLURM_NTASKS": "4"},
    ],
)
def test_what_does_nothing_is_not_told(variables):
    assert finding(shell(variables)) is None


def test_devices_break_the_launcher_of_a_cpu_build_only():
    python = Interpreter(executable="python", python_version="3.11.7", paddle_build="cpu")
    of_cpu = replace(shell({"PADDLE_DEVICES": "0"}), interpreter=python)
    assert finding(of_cpu) is not None
    assert finding(replace(of_cpu, interpreter=replace(python, paddle_build="cuda 11.8"))) is None


def test_the_whole_set_is_unset_because_half_of_it_does_other_harm():
    found = finding(shell({**LAUNCH, "FLAGS_selected_gpus": "1", "PADDLE_NNODES": "1"}))
    assert found is not None
    assert found.fix is not None
    left = set(found.fix.commands[0].split()[1:])
    assert {"FLAGS_selected_gpus", "PADDLE_NNODES", "PADDLE_GLOBAL_RANK", "PADDLE_DISTRI_BACKEND"} <= left
    after = {name: value for name, value in LAUNCH.items() if name not in left}
    assert finding(shell(after)) is None


def test_other_effects_stand_at_their_variable():
    found = finding(shell({**CLASSIC, "PADDLE_NNODES": "2"}))
    assert found is not None
    notes = {each.text: each.note for each in found.evidence}
    note = notes["PADDLE_NNODES=2"]
    assert note is not None
    assert "Waiting peer start" in note.en


LAUNCHER = Process(pid=9, ppid=8, name="python", kind=ProcessKind.LAUNCHER)


def test_under_a_launcher_they_are_right():
    assert finding(replace(shell(LAUNCH), ancestors=(LAUNCHER,))) is None


def test_under_a_launcher_somebody_else_s_endpoints_are_not():
    wrong = {**CLASSIC, "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:7777"}
    assert finding(replace(shell(wrong), ancestors=(LAUNCHER,))) is not None


def test_those_of_a_running_job_are_no_leftovers_and_those_of_its_orphans_are():
    rank = Process(pid=50, ppid=9, name="python", kind=ProcessKind.RANK, endpoint="127.0.0.1:6170")
    assert finding(replace(shell(CLASSIC), processes=(rank,))) is None
    assert finding(replace(shell(CLASSIC), processes=(replace(rank, orphan=True),))) is not None
    assert finding(replace(shell(CLASSIC), processes=(replace(rank, endpoint="127.0.0.1:9999"),))) is not None


def test_what_the_container_was_started_with_is_no_leftover():
    assert finding(replace(shell(CLASSIC), preset=tuple(CLASSIC))) is None
    changed = replace(shell({**CLASSIC, "PADDLE_TRAINERS_NUM": "4"}), preset=("PADDLE_TRAINER_ID",))
    assert finding(changed) is not None


def test_what_the_user_has_chosen_or_the_container_came_with_is_left_alone():
    mixed = {**CLASSIC, "PADDLE_PG_TIMEOUT": "1800000", "FLAGS_START_PORT": "7000", "POD_IP": "10.0.0.5"}
    found = finding(replace(shell(mixed), preset=("POD_IP",)))
    assert found is not None
    assert found.fix is not None
    assert set(found.fix.commands[0].split()[1:]) == set(CLASSIC)


def test_of_addresses_that_are_not_known_nothing_is_said():
    assert finding(Environment(platform="linux", variables={"POD_IP": "10.0.0.9"})) is None


def test_on_windows_the_command_is_windows():
    found = finding(replace(shell({"PADDLE_TRAINERS_NUM": "2"}), platform="win32"))
    assert found is not None
    assert found.fix is not None
    assert found.fix.commands == ('set "PADDLE_TRAINERS_NUM="',)


@given(
    st.dictionaries(
        st.sampled_from(
            [*LAUNCH, "PADDLE_NNODES", "POD_IP", "PORT_RANGE", "PADDLE_NPROC_PER_NODE", "PADDLE_PG_TIMEOUT"]
        ),
        st.one_of(st.text(max_size=12), st.integers().map(str), st.sampled_from(["{0}", "%s", "1:2,3:4", "²", "１"])),
    )
)
def test_whatever_the_variables_hold_the_check_has_an_opinion_or_none(variables):
    found = finding(shell(variables))
    assert found is None or found.fix is not None
