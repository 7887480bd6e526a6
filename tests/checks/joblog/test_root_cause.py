"""The one cause: who died first, what merely followed, and what is honest where the log does not tell."""

from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paddle_doctor.core.finding import Certainty, Verdict
from paddle_doctor.core.registry import load_checks, load_signatures
from paddle_doctor.subjects.joblog import joblog_of

SIGNATURES = load_signatures()
CHECK = load_checks(["joblog"], plugins=False).checks["PD501"]
CAUSES = import_module("paddle_doctor.checks.joblog.causes").CAUSES
STORIES = import_module("paddle_doctor.checks.joblog.stories").STORIES
SIGTERM = (
    "FatalError: `Termination signal` is detected by the operating system.\n"
    "  [SignalInfo: *** SIGTERM (@0x{0:x}) received by PID {1} (TID 0x7f) from PID {0} ***]\n"
)
ABORT = (
    "INFO 2026-03-02 10:00:32,888 launch_utils.py:334] terminate all the procs\n"
    "ERROR 2026-03-02 10:00:32,888 launch_utils.py:648] ABORT!!! Out of all 2 trainers, "
    "the trainer process with rank=[{}] was aborted. Please check its log.\n"
)


def judge(files: dict[str, str] | str) -> Verdict:
    texts = {"console.txt": files} if isinstance(files, str) else files
    (verdict,) = CHECK.opinions({"joblog": joblog_of(texts, SIGNATURES)})
    assert isinstance(verdict, Verdict)
    return verdict


def traceback(error: str, *, frame: str = '  File "/home/me/train.py", line 7, in step\n    x = f(y)\n') -> str:
    return f"Traceback (most recent call last):\n{frame}{error}\n"


@pytest.mark.parametrize("story", STORIES, ids=lambda each: each.shows.en)
def test_stories(story: Any):
    verdict = judge(dict(story.files))
    assert (verdict.cause, verdict.rank) == (story.cause, story.rank)
    assert verdict.failed == (story.cause != "no-failure")


def test_the_first_in_time_over_all_ranks_is_the_cause():
    verdict = judge(
        {
            "log/workerlog.0": f"[2026-03-02 10:00:09,000] step\n{traceback('KeyError: 0')}",
            "log/workerlog.1": f"[2026-03-02 10:00:05,000] step\n{traceback('KeyError: 1')}",
        }
    )
    assert verdict.rank == 1
    assert verdict.evidence[0].text == "KeyError: 1"


def test_without_times_it_is_the_rank_that_its_peers_miss():
    verdict = judge(
        {
            "log/workerlog.0": traceback("KeyError: 0"),
            "log/workerlog.1": traceback("KeyError: 1"),
            "log/workerlog.2": "RuntimeError: [x/pair.cc:584] TIMEOUT self_rank = 2 pair_rank = 1 peer_str = x\n",
        }
    )
    assert verdict.rank == 1


def test_the_frame_in_the_users_code_is_part_of_fix_and_evidence():
    verdict = judge(traceback("ValueError: bad"))
    assert verdict.fix is not None
    assert "/home/me/train.py, line 7" in verdict.fix.summary.en
    assert any("train.py" in each.text for each in verdict.evidence)


@pytest.mark.parametrize(
    ("first", "link", "second", "cause"),
    [
        (
            "_pickle.UnpicklingError: pickle data was truncated",
            "During handling of the above exception, another exception occurred:",
            "ValueError: not readable",
            "checkpoint-corrupt",
        ),
        (
            "StopIteration",
            "During handling of the above exception, another exception occurred:",
            "OSError: [Errno 12] Cannot allocate memory",
            "host-oom-kill",
        ),
        (
            "KeyError: 'gt'",
            "Exception ignored in: <function X.__del__ at 0x7f>",
            "AttributeError: 'X' object has no attribute 'y'",
            "user-code-exception",
        ),
    ],
)
def test_a_chain_is_read_to_the_exception_that_counts(first: str, link: str, second: str, cause: str):
    assert judge(f"{traceback(first)}\n{link}\n\n{traceback(second)}").cause == cause


def test_a_samples_exception_with_the_loaders_echoes():
    verdict = judge(
        "Exception in thread Thread-1 (_thread_loop):\n"
        + traceback("ValueError: bad box", frame='  File "/home/me/data.py", line 3, in __getitem__\n    raise\n')
        + "SystemError: (Fatal) Blocking queue is killed because the data reader raises an exception.\n"
    )
    assert verdict.cause == "dataset-exception-in-worker"
    assert verdict.certainty is Certainty.LIKELY
    assert [each.line for each in verdict.consequences] == [6]


def test_a_missing_file_is_that_also_in_a_worker():
    text = traceback(
        "FileNotFoundError: [Errno 2] No such file or directory: 'a.jpg'",
        frame='  File "/home/me/data.py", line 3, in __getitem__\n    open(p)\n',
    )
    assert judge(text).cause == "file-not-found"


def test_only_the_loaders_echo_is_possible_at_most():
    verdict = judge("SystemError: (Fatal) Blocking queue is killed because the data reader raises an exception.\n")
    assert (verdict.cause, verdict.certainty) == ("dataset-exception-in-worker", Certainty.POSSIBLE)


def test_no_space_in_shared_memory_is_not_the_disk():
    frame = '  File "/usr/lib/python3.8/multiprocessing/heap.py", line 73, in __init__\n    os.posix_fallocate()\n'
    assert judge(traceback("OSError: [Errno 28] No space left on device", frame=frame)).cause == "shm-exhausted"
    assert judge(traceback("OSError: [Errno 28] No space left on device")).cause == "disk-full"


def test_a_crash_after_the_peer_has_gone_is_a_consequence():
    verdict = judge(
        {
            "log/workerlog.0": "RuntimeError: [x/pair.cc:584] TIMEOUT self_rank = 0 pair_rank = 1 peer_str = x\n"
            "FatalError: `Process abort signal` is detected by the operating system.\n",
            "log/workerlog.1": "step 3\n",
        }
    )
    assert (verdict.cause, verdict.rank) == ("unknown", 1)
    assert verdict.next_steps


@pytest.mark.parametrize(("others", "rank"), [({}, 1), ({"log/workerlog.2": "step 3\n"}, None)])
def test_in_a_job_of_two_the_peer_that_is_gone_needs_no_name(others: dict[str, str], rank: int | None):
    gone = "RuntimeError: [gloo/transport/tcp/pair.cc:576] Read error [127.0.0.1]:62134: Connection reset by peer\n"
    verdict = judge({"log/workerlog.0": gone, "log/workerlog.1": "step 3\n", **others})
    assert (verdict.cause, verdict.rank) == ("unknown", rank)


@pytest.mark.parametrize(
    ("sender", "pid", "console", "cause"),
    [
        (4790, 4801, ABORT.format("1"), "launcher-only"),
        (4801, 4801, ABORT.format("1"), "killed-from-outside"),
        (0, 4801, "", "killed-from-outside"),
        (0, 57, ABORT.format("1"), "killed-from-outside"),
        (190, 48010, "", "killed-from-outside"),
    ],
)
def test_who_sent_the_sigterm(sender: int, pid: int, console: str, cause: str):
    verdict = judge({"log/workerlog.0": "step 1\n" + SIGTERM.format(sender, pid), "console.txt": console})
    assert verdict.cause == cause


def test_a_launcher_that_was_ended_itself_was_ended_from_outside():
    verdict = judge(
        {
            "console.txt": "LAUNCH INFO 2026-12-01 01:02:29,865 Terminating with signal 15\n",
            "log/workerlog.0": SIGTERM.format(4790, 4801),
        }
    )
    assert verdict.cause == "killed-from-outside"


def test_launcher_only_names_the_file_to_open():
    verdict = judge(
        "LAUNCH ERROR 2026-03-02 10:00:31,954 Container failed !!!\n"
        "Container rank 3 status failed cmd ['python'] code 1 log out/workerlog.3\n"
    )
    assert (verdict.cause, verdict.rank) == ("launcher-only", 3)
    assert "out/workerlog.3" in verdict.next_steps[0].en


def test_a_launcher_without_logs_is_told_apart():
    verdict = judge(f"log_dir: None\nINFO 2020-11-04 23:34:17,991 launch.py:210] get cluster\n{ABORT.format(0)}")
    assert "--log_dir" in verdict.next_steps[0].en


def test_ctrl_c_makes_the_rest_noise():
    verdict = judge(f"step 3\n^C{traceback('ValueError: half a batch')}")
    assert verdict.cause == "killed-from-outside"


def test_the_machines_line_explains_a_failure_that_is_else_unexplained():
    note = (
        "W1 gpu_context.cc:278] Please NOTE: device: 0, GPU Compute Capability: {}, "
        "Driver API Version: 12.4, Runtime API Version: 10.2\n"
    )
    crash = "ExternalError: CUDNN error(8), CUDNN_STATUS_EXECUTION_FAILED.\n"
    verdict = judge(note.format("8.6") + crash)
    assert (verdict.cause, verdict.certainty) == ("gpu-arch-mismatch", Certainty.LIKELY)
    assert "11.1" in verdict.summary.en
    assert judge(note.format("7.0") + crash).cause == "unknown"
    assert judge(note.format("8.6").replace("10.2", "11.1") + crash).cause == "unknown"


def test_a_request_of_petabytes_is_not_out_of_memory():
    text = "ResourceExhaustedError: \n\nOut of memory error on GPU 0. Cannot allocate 655.1PB memory on GPU 0.\n"
    assert judge(text).cause == "unknown"
    assert judge(text.replace("655.1PB", "2.5GB")).cause == "gpu-oom"


@pytest.mark.parametrize(
    "text",
    [
        "step 1\nstep 2\n",
        "I1201 tcp_store.cc:289] receive shutdown event and so quit from MasterDaemon run loop\n",
        "UserWarning: Skip loading for fc.w. fc.w receives a shape [9, 5], but the expected shape is [9, 2].\nstep\n",
        "W1 init.cc:100] Compiled with WITH_GPU, but no GPU found in runtime.\n" + "step\n" * 100,
        "weights.pdparams is not found, try to load weights.pdmodel\n" + "step\n" * 100,
        "INFO 2026-12-01 01:06:36,309 launch.py:436] Local processes completed.\n",
    ],
)
def test_what_is_no_failure(text: str):
    verdict = judge(text)
    assert (verdict.cause, verdict.failed, verdict.fix) == ("no-failure", False, None)


def test_the_same_retries_are_a_slow_start_or_the_trouble_itself():
    retry = "I1 tcp_utils.cc:109] Retry to connect to 127.0.0.1:5 while the server is not yet listening.\n"
    connected = "I1 tcp_utils.cc:132] Successfully connected to 127.0.0.1:5\n"
    assert judge(retry + connected + "step\n").cause == "no-failure"
    assert judge(retry * 5).cause == "connection-refused-or-timeout"
    assert judge(ABORT.format("1") + retry * 5).cause == "launcher-only"
    assert judge(ABORT.format("1") + retry * 50).cause == "connection-refused-or-timeout"


def test_an_exception_while_a_launch_variable_is_read_is_a_leftover():
    frame = (
        '  File "/v/site-packages/paddle/hapi/logger.py", line 9, in setup\n    int(os.getenv("PADDLE_TRAINER_ID"))\n'
    )
    assert judge(traceback("ValueError: invalid literal for int()", frame=frame)).cause == "env-leftover"


PIECES = [line for each in SIGNATURES for line in each.matches] + [
    SIGTERM.format(4790, 4801),
    ABORT.format("0, 1"),
    "Container rank 1 status failed cmd ['python'] code -9 log log/workerlog.1",
    traceback("ValueError: x"),
    "step",
    "^C",
]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.sampled_from(["workerlog.0", "workerlog.1", "workerlog.7", "console.txt", "endpoints.log", "envlog.0"]),
        st.lists(st.sampled_from(PIECES) | st.text(max_size=10), max_size=25).map("\n".join),
        min_size=1,
    )
)
def test_there_is_one_verdict_for_whatever_was_logged(files: dict[str, str]):
    clean = {name: text.encode("utf-8", "replace").decode() for name, text in files.items()}
    verdict = judge(clean)
    assert verdict.cause in CAUSES
    assert verdict.failed is (verdict.cause != "no-failure")
    assert verdict.evidence or not verdict.failed
    deciding = {(each.path, each.line) for each in verdict.evidence}
    assert not deciding & {(each.path, each.line) for each in verdict.consequences}


@pytest.mark.parametrize(
    ("codes", "cause"),
    [
        ((-9, 137, 247), "host-oom-kill"),
        ((-7, 135, 249), "shm-exhausted"),
        ((-4, 132, 252), "illegal-instruction"),
        ((-11, 139, 245, 3221225477, -1073741819), "segfault-unknown"),
        ((-6, 134, 250, 3221226505, -1073740791), "segfault-unknown"),
        ((-8, 136), "segfault-unknown"),
    ],
)
def test_an_exit_code_is_read_in_every_form_in_which_it_is_written(codes: tuple[int, ...], cause: str):
    for code in codes:
        verdict = judge(f"Container rank 1 status failed cmd ['python', 'eval.py'] code {code} log log/workerlog.1\n")
        assert (verdict.cause, verdict.rank) == (cause, 1), code
