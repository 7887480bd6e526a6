"""Tracebacks as text: what was raised, where in the user's code, and what merely follows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.subjects.trial.tracebacks import is_users_own, last_traceback, raised, tells_of_dead_workers

PLAIN = """
loading
Traceback (most recent call last):
  File "/job/eval.py", line 9, in <module>
    main()
  File "/job/eval.py", line 5, in main
    paddle.load(path)
  File "/env/lib/python3.11/site-packages/paddle/framework/io.py", line 1368, in load
    raise ValueError(
ValueError: can not parse
""".splitlines()

FROM_A_WORKER = """DataLoader worker(0) caught KeyError with message:
Traceback (most recent call last):
  File "/env/lib/python3.11/site-packages/paddle/io/dataloader/worker.py", line 380, in _worker_loop
    batch = fetcher.fetch(indices)
            ^^^^^^^^^^^^^^^^^^^^^^
  File "/job/data.py", line 7, in __getitem__
    return self.labels[name]
           ~~~~~~~~~~~^^^^^^
KeyError: 'cat'
"""


def test_the_deepest_frame_of_the_users_own_is_the_place():
    found = last_traceback(PLAIN)
    assert found is not None
    assert (found.type, found.message) == ("ValueError", "can not parse")
    assert found.place is not None
    assert (found.place.path, found.place.line, found.place.function) == ("/job/eval.py", 5, "main")


def test_what_a_worker_raised_is_unpacked():
    found = raised("KeyError", FROM_A_WORKER, [("/env/x.py", 1, "_thread_loop")], thread=True)
    assert (found.type, found.message) == ("KeyError", "'cat'")
    assert (found.in_worker, found.in_reader, found.in_thread) == (True, True, False)
    assert found.place is not None
    assert found.place.path == "/job/data.py"


def test_the_thread_that_reads_is_told_from_other_threads():
    assert raised("E", "", [("/job/x.py", 1, "heartbeat")], thread=True).in_thread
    assert not raised("E", "", [("/p/dataloader_iter.py", 1, "_thread_loop")], thread=True).in_thread


@pytest.mark.parametrize(
    "message",
    [
        "(Fatal) Blocking queue is killed because the data reader raises an exception.",
        "(Fatal) DataLoader process (pid 12) exited is killed by signal: Killed.",
        "[/paddle/third_party/gloo/gloo/transport/tcp/pair.cc:584] TIMEOUT self_rank = 0 pair_rank = 1",
        "TCP send error. Details: Broken pipe.",
    ],
)
def test_what_follows_from_another_death_is_secondary(message: str):
    assert raised("SystemError", message, []).secondary


def test_paddles_long_errors_are_told_by_their_summary():
    rule = "-" * 22
    message = f"\n\n{rule}\nC++ Traceback\n{rule}\nError Message Summary:\n{rule}\nInvalidArgumentError: no\n  [Hint]"
    assert raised("ValueError", message, []).message == "InvalidArgumentError: no"


def test_secrets_in_messages_are_hidden():
    assert "hunter2" not in raised("OSError", "cannot open https://me:hunter2@host/x", []).message


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/job/eval.py", True),
        ("C:\\job\\eval.py", True),
        ("/home/u/lib/models/net.py", True),
        ("/env/lib/python3.11/site-packages/paddle/x.py", False),
        ("/usr/lib/python3.10/threading.py", False),
        ("/usr/lib/python3/dist-packages/x.py", False),
        ("<frozen runpy>", False),
    ],
)
def test_whose_code_it_is(path: str, own: bool):
    assert is_users_own(path) is own


def test_dead_workers_are_recognized_by_paddles_words():
    assert tells_of_dead_workers("WARNING dataloader_iter.py - DataLoader 2 workers exit unexpectedly, pids: 3, 4")
    assert tells_of_dead_workers("ERROR: Unexpected BUS error encountered in DataLoader worker. This might be")
    assert not tells_of_dead_workers("DataLoader with 2 workers")


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from(PLAIN)), max_size=30))
def test_any_text_is_read_without_harm(lines: list[str]):
    found = last_traceback(lines)
    assert found is None or found.type.isidentifier()
