"""The events file as the doctor reads it: what the shim wrote counts, whatever else is in it does no harm."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.subjects.trial.events import LINE_BYTES, Events


def line(**facts: object) -> bytes:
    return json.dumps({"pid": 7, "time": 1.5, "rank": None, **facts}).encode() + b"\n"


@pytest.fixture
def events(tmp_path: Path) -> Iterator[Events]:
    with (tmp_path / "events").open("x+b") as file:
        yield Events(file)


def test_it_follows_a_file_that_grows_in_the_middle_of_a_line(events: Events, tmp_path: Path):
    whole = line(event="start") + line(event="batches", count=3) + line(event="load", path="/job/a.pdparams")
    for end in (10, 70, len(whole)):
        (tmp_path / "events").write_bytes(whole[:end])
        sight = events.follow()
    assert (sight.processes, sight.most_batches, sight.checkpoints) == ({7}, 3, ["/job/a.pdparams"])


def test_the_most_batches_of_one_process_count(events: Events, tmp_path: Path):
    (tmp_path / "events").write_bytes(line(event="batches", count=5) + line(event="batches", count=4, pid=8))
    assert events.follow().most_batches == 5


def test_a_line_that_no_note_of_ours_is_as_long_as_is_passed_over(events: Events, tmp_path: Path):
    (tmp_path / "events").write_bytes(line(event="load", path="/job/" + "a" * LINE_BYTES) + line(event="start"))
    sight = events.follow()
    assert (sight.checkpoints, sight.processes) == ([], {7})


def test_a_rank_is_believed_of_the_launchers_children_only(events: Events, tmp_path: Path):
    fault = {"event": "raised", "type": "E", "message": "", "frames": [], "thread": False, "stands_still": False}
    events.root = 7
    (tmp_path / "events").write_bytes(line(**fault, rank="1") + line(**fault, rank="1", pid=9))
    assert [each.rank for each in events.follow().raised] == [None, 1]


@pytest.mark.parametrize(
    "bad",
    [
        b"not json\n",
        b"[]\n",
        b'{"event": "batches"}\n',
        line(event="batches", count="many"),
        line(event="batches", count=1e400),
        line(event="raised", type=1, message=None, frames=[[1]], thread=0, stands_still=0),
        line(event="_take"),
        line(event=["start"]),
        b"[" * 50_000 + b"\n",
        b"x" * 200_000 + b"\n",
    ],
)
def test_what_is_not_ours_is_passed_over(events: Events, tmp_path: Path, bad: bytes):
    (tmp_path / "events").write_bytes(bad + line(event="start"))
    sight = events.follow()
    assert sight.processes == {7}
    assert sight.most_batches == 0


def test_a_flood_is_kept_within_bounds(events: Events, tmp_path: Path):
    (tmp_path / "events").write_bytes(b"".join(line(event="load", path=f"/{number}") for number in range(5000)))
    assert len(events.follow().checkpoints) <= 100


@given(st.binary(max_size=500))
def test_any_bytes_are_read_without_harm(data: bytes):
    Events(io.BytesIO(data)).follow()


@pytest.mark.parametrize("instead", [Path.touch, Path.mkdir, None])
def test_whatever_becomes_of_its_name_the_file_is_read(events: Events, tmp_path: Path, instead):
    (tmp_path / "events").write_bytes(line(event="start"))
    (tmp_path / "events").unlink()
    if instead:
        instead(tmp_path / "events")
    assert events.follow().processes == {7}
