"""Signals, Paddle's error summaries, and what launchers say."""

import pytest

SIGTERM = (
    "FatalError: `Termination signal` is detected by the operating system.\n"
    '  [TimeInfo: *** Aborted at 1796087397 (unix time) try "date -d @1796087397" if you are using GNU date ***]\n'
    "  [SignalInfo: *** SIGTERM (@0x42af) received by PID 17083 (TID 0x7fb9a8c5db80) from PID 17071 ***]\n"
)


def test_a_signal_with_its_sender_and_time(worker):
    (block,) = worker(SIGTERM).signals
    assert (block.signal, block.pid, block.sender, block.time) == ("SIGTERM", 17083, 17071, 1796087397.0)


def test_the_sender_of_a_crash_is_half_an_address(worker):
    (block,) = worker("*** SIGSEGV (@0x7f0001430dc0) received by PID 9 (TID 0x7f) from PID 21164032 ***\n").signals
    assert (block.signal, block.sender) == ("SIGSEGV", None)


def test_the_announcement_alone_is_a_signal_too(worker):
    (block,) = worker("FatalError: `Segmentation fault` is detected by the operating system.\n").signals
    assert (block.signal, block.pid) == ("SIGSEGV", None)


def test_an_error_summary_with_its_hint(worker):
    (summary,) = worker(
        "----------------------\n"
        "Error Message Summary:\n"
        "----------------------\n"
        "InvalidArgumentError: The axis is expected to be in range of [0, 2), but got 5\n"
        "  [Hint: Expected axis < rank, but received axis:5 >= rank:2.] (at /paddle/phi/kernels/split.cc:42)\n"
    ).summaries
    assert summary.type == "InvalidArgumentError"
    assert summary.message.startswith("The axis")
    assert summary.hint == "Expected axis < rank, but received axis:5 >= rank:2."
    assert summary.place == "/paddle/phi/kernels/split.cc:42"


def test_a_hint_far_below_is_another_errors(worker):
    summary = "Error Message Summary:\n----\nInvalidArgumentError: The axis is wrong\n"
    text = summary + "{}  [Hint: Expected more.] (at a.cc:1)\n"
    near, far = (worker(text.format("\n" * lines)).summaries[0].hint for lines in (5, 15))
    assert (near, far) == ("Expected more.", None)


def test_the_launcher(console):
    file = console(
        "LAUNCH INFO 2026-12-01 00:58:26,925 nproc_per_node: 2\n"
        "LAUNCH INFO 2026-12-01 00:58:26,925 log_dir: /home/me/log\n"
        "LAUNCH INFO 2026-12-01 00:58:26,952 Watching Pod: nvbwdm, replicas 2, status running\n"
        "step 1\n"
        "LAUNCH INFO 2026-12-01 00:58:31,954 Pod failed\n"
        "Container rank 1 status failed cmd ['python', '-u', 'job.py', '--key', 'value'] code -9 log log/workerlog.1 \n"
        "env {'PATH': '/bin', 'MY_PASSWORD': 'hunter2hunter2'}\n"
        "LAUNCH INFO 2026-12-01 00:58:31,955 ------------------------- ERROR LOG DETAIL -------------------------\n"
        "ValueError: from rank 1\n"
        "LAUNCH INFO 2026-12-01 00:58:32,155 Exit code -15\n"
    )
    launcher = file.launcher
    assert launcher is not None
    assert (launcher.name, launcher.world_size, launcher.exit_code, launcher.log_dir) == (
        "launch",
        2,
        -15,
        "/home/me/log",
    )
    (failed,) = launcher.failed
    assert (failed.rank, failed.code, failed.log) == (1, -9, "log/workerlog.1")
    assert [each.rank for each in file.errors] == [1]
    assert (file.variables, file.secrets) == (2, 1)
    assert "hunter2" not in repr(file)


def test_the_legacy_launcher(console):
    launcher = console(
        "launch proc_id:15732 idx:0\n"
        "launch proc_id:15733 idx:1\n"
        "INFO 2026-12-01 01:08:25,945 launch_utils.py:313] terminate process group gid:15732\n"
        "ERROR 2026-12-01 01:07:29,316 launch_utils.py:648] ABORT!!! Out of all 2 trainers, "
        "the trainer process with rank=[0, 1] was aborted. Please check its log.\n"
    ).launcher
    assert launcher is not None
    assert launcher.name == "legacy"
    assert launcher.blamed == (0, 1)
    assert launcher.pids == {"0": 15732, "1": 15733}
    assert launcher.stopped == (15732,)


def test_a_launcher_that_keeps_no_logs(console):
    launcher = console("log_dir: None\nINFO 2020-11-04 23:34:17,991 launch.py:210] get cluster\n").launcher
    assert launcher is not None
    assert not launcher.keeps_logs


@pytest.mark.parametrize("text", ["step 1\nloss: 0.5\n", "", "\n\n"])
def test_no_launcher(console, text: str):
    assert console(text).launcher is None
