"""Folders, files and standard input as a job's logs."""

import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paddle_doctor.core.errors import InputError
from paddle_doctor.core.facts import from_plain, to_plain
from paddle_doctor.core.registry import load_signatures
from paddle_doctor.subjects.joblog import JobLog, Kind, gather_joblog, joblog_of

SIGNATURES = load_signatures()
PIECES = [
    "step 5 loss: 0.25\n",
    "Traceback (most recent call last):\n",
    '  File "train.py", line 3, in f\n',
    "    x = y\n",
    "ValueError: wrong\n",
    "During handling of the above exception, another exception occurred:\n",
    "LAUNCH INFO 2026-12-01 00:58:31,954 Pod failed\n",
    "Container rank 1 status failed cmd ['python'] code -9 log log/workerlog.1\n",
    "ABORT!!! Out of all 2 trainers, the trainer process with rank=[0, 1] was aborted.\n",
    "  [SignalInfo: *** SIGTERM (@0x42af) received by PID 17083 (TID 0x7f) from PID 17071 ***]\n",
    "RuntimeError: [x/pair.cc:584] TIMEOUT self_rank = 0 pair_rank = 1 peer_str = [127.0.0.1]:1\n",
    "Error Message Summary:\n",
    "env {'A': 'b', 'C\n",
    "======================= Modified FLAGS detected =======================\n",
    "I1201 00:58:28.910689  9187 tcp_store.cc:336] create libuv server at port: 41975\n",
    "[1,0]<stdout>:",
    "> ",
    "\r",
    "\x1b[31m",
    "已杀死\n",
]


def kinds(joblog: JobLog) -> list[tuple[str, Kind, int | None]]:
    return [(Path(file.path).name, file.kind, file.rank) for file in joblog.files]


def test_a_launchers_folder(gather):
    names = ["workerlog.10", "workerlog.2", "envlog.0", "backup_env.0.json", "default.abc.log", "endpoints.log"]
    joblog = gather({f"log/{name}": "A=b\n" for name in names} | {"log/model.pdparams": b"\x80\x02"}, "log")
    assert kinds(joblog) == [
        ("workerlog.2", Kind.WORKER, 2),
        ("workerlog.10", Kind.WORKER, 10),
        ("default.abc.log", Kind.LAUNCHER, None),
        ("backup_env.0.json", Kind.ENVIRONMENT, 0),
        ("envlog.0", Kind.ENVIRONMENT, 0),
        ("endpoints.log", Kind.ENDPOINTS, None),
    ]


def test_folders_of_nodes_are_found_two_levels_deep(gather):
    joblog = gather({"job/a/b/workerlog.0": "x\n", "job/a/b/c/workerlog.1": "too deep\n"}, "job")
    assert kinds(joblog) == [("workerlog.0", Kind.WORKER, 0)]


def test_a_link_to_a_folder_is_not_followed(gather, tmp_path):
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "latest").symlink_to(tmp_path / "log")
    assert len(gather({"log/workerlog.0": "x\n"}, "log").files) == 1


def test_a_file_given_twice_is_read_once(gather):
    assert len(gather({"log/workerlog.0": "x\n"}, "log", "log/workerlog.0").files) == 1


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO("已杀死\n".encode("gb18030"))))
    (file,) = gather_joblog([Path("-")], SIGNATURES).files
    assert [event.signature for event in file.events] == ["shell-killed"]


@pytest.mark.parametrize(
    ("files", "path", "says"),
    [
        ({}, "nowhere", "There is no file or folder"),
        ({"empty/readme.md": "x"}, "empty", "no logs"),
        ({"x.bin": bytes(range(30)) * 9}, "x.bin", "a binary file"),
        ({"x.gz": b"\x1f\x8b\x08\x00rest"}, "x.gz", "gzip archive"),
        ({"x.log": ""}, "x.log", "not a line in"),
        ({"log/workerlog.0": "", "log/workerlog.1": ""}, "log", "not a line in"),
        ({}, "/dev/null", "a device"),
    ],
)
def test_bad_input_is_told_in_a_sentence(gather, files, path, says):
    with pytest.raises(InputError) as raised:
        gather(files, path)
    assert says in raised.value.text.en
    assert "\n" not in raised.value.text.en
    assert raised.value.text.zh != raised.value.text.en


def test_an_empty_file_next_to_others_is_an_empty_log(gather):
    empty, _ = gather({"log/workerlog.0": "", "log/workerlog.1": "x\n"}, "log").files
    assert (empty.lines, empty.events, empty.tail) == (0, (), ())


def test_empty_standard_input_is_told(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    with pytest.raises(InputError, match="not a line in standard input"):
        gather_joblog([Path("-")], SIGNATURES)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX files")
def test_nobody_waits_for_a_pipe_that_nobody_fills(gather, tmp_path):
    os.mkfifo(tmp_path / "pipe.log")
    with pytest.raises(InputError, match="a pipe"):
        gather({}, "pipe.log")


def test_blank_lines_do_not_push_out_what_was_last_said(worker):
    file = worker("last words\n" + "\n" * 500)
    assert ([line.text for line in file.tail], file.lines) == (["last words"], 501)


def test_of_an_appended_log_the_last_run_counts(worker):
    banner = "======================= Modified FLAGS detected =======================\n"
    first = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: first run\n'
    file = worker(f"{banner}step 1\n{first}{banner}step 1\nKeyError: 'second run'\n")
    assert (file.runs, file.run_starts) == (2, 6)
    assert [error.type for error in file.errors] == ["KeyError"]


def test_a_banner_of_a_spawned_child_begins_no_run(worker):
    banner = "======================= Modified FLAGS detected =======================\n"
    child = (
        'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
        '  File "/usr/lib/python3.11/multiprocessing/spawn.py", line 122, in spawn_main\n'
        "RuntimeError: bootstrapping phase\n"
    )
    assert worker(f"{banner}{child}{banner}{child}").runs == 1


def test_a_legacy_banner_that_comes_late_begins_no_run(console):
    """Standard output is buffered where it goes to a file, and the banner then follows the obituary."""
    start = "INFO 2026-12-01 03:37:13,222 launch_utils.py:559] Local start 2 processes. First process\n"
    abort = "ERROR 2026-12-01 03:37:32,338 launch_utils.py:648] ABORT!!! Out of all 2 trainers, rank=[1]\n"
    banner = "-----------  Configuration Arguments -----------\nbackend: gloo\n"
    assert console(start + abort + "INFO x launch_utils.py:334] terminate all the procs\n" + banner).runs == 1
    assert console((start + "INFO x launch_utils.py:334] terminate all the procs\n") * 2).runs == 2


def test_another_process_in_the_same_log_is_another_run(worker):
    line = "I1201 00:58:28.926913  {pid} tcp_utils.cc:132] Successfully connected to 127.0.0.1:41975\n"
    assert worker(line.format(pid=9188) + "step 1\n" + line.format(pid=9300) + "step 1\n").runs == 2


def test_secrets_never_enter(gather):
    token = "hf_" + "a1B2" * 8
    joblog = gather(
        {
            "log/envlog.0": f"HF_TOKEN={token}\nLANG=C\n",
            "log/backup_env.0.json": f'{{\n    "HF_TOKEN": "{token}",\n    "LANG": "C"\n}}\n',
            "log/default.x.log": f"environ({{'HF_TOKEN': '{token}'}})\n",
            "console.txt": f"env {{'A': 'b',\n'HF_TOKEN': '{token}',\n'C': 'd'}}\nValueError: bad {token}\n",
        },
        "log",
        "console.txt",
    )
    assert token not in repr(joblog)
    assert [file.secrets for file in joblog.files] == [1, 1, 1, 1]


TOKEN = "hf_" + "a1B2" * 8


@pytest.mark.parametrize(
    "text",
    [
        f'Traceback (most recent call last):\n  File "/runs/{TOKEN}/train.py", line 3, in f\nValueError: x\n',
        f'Traceback (most recent call last):\n  File "train.py", line 3, in f_{TOKEN}\nValueError: x\n',
        f"Exception in thread {TOKEN}:\nValueError: x\n",
        f"log_dir: /logs/{TOKEN}/log\nLAUNCH INFO Pod failed\n",
        f"LAUNCH ERROR x Container rank 1 status failed cmd ['python'] code 1 log /logs/{TOKEN}/workerlog.1\n",
        f"LAUNCH INFO {TOKEN} Exit code 1\n",
        f"{TOKEN} ABORT!!! Out of all 2 trainers, the trainer process with rank=[1] was aborted\n",
    ],
)
def test_a_secret_is_hidden_wherever_a_log_holds_it(console, text):
    file = console(text)
    assert file.errors or file.launcher  # it was read
    assert TOKEN not in repr(file)


def test_repeated_statements_are_counted(worker):
    (event,) = worker("Bus error\n" * 500).events
    assert (event.count, event.line, event.last) == (500, 1, 500)


def test_many_different_statements_are_bounded(worker):
    text = "".join(f"ModuleNotFoundError: No module named 'm{number}'\n" for number in range(500))
    assert len(worker(text).events) <= 40


def test_an_event_has_its_time_and_its_neighbours(worker):
    (event,) = worker("[2026-12-01 01:04:19,841] step\na\nb\nBus error\nc\nd\ne\n").events
    assert event.time == 1796087059.841
    assert [line.text for line in event.context] == ["a", "b", "c", "d"]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=60),
    st.sampled_from(["workerlog.0", "console.txt"]),
)
def test_any_mixture_of_pieces_is_read_and_survives_json(pieces: list[str], name: str):
    joblog = joblog_of({name: "".join(pieces).encode("utf-8", "replace").decode()}, SIGNATURES)
    assert from_plain(JobLog, to_plain(joblog), "here") == joblog


@given(st.binary(max_size=3000))
def test_any_bytes_are_read(data: bytes):
    joblog = joblog_of({"console.txt": data.decode("latin-1")}, SIGNATURES)
    assert joblog.files[0].size >= 0
