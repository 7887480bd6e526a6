"""GPUs through the real binding and a stand-in of the driver's library."""

import os

import psutil
import pytest

from paddle_doctor.subjects.environment.gpus import hide_invisible
from paddle_doctor.subjects.environment.model import Gpu
from paddle_doctor.subjects.environment.processes import ProcessTable

GIB = 1 << 30
A100 = f"gpu A100 {40 * GIB}"


def test_memory_and_processes_are_told(seen_with):
    facts = seen_with(f"{A100} {38 * GIB}", f"{A100} {GIB}", f"process 0 {os.getpid()} {30 * GIB}")
    first, second = facts["gpus"]
    assert (first["index"], first["name"], first["memory_total"], first["memory_used"]) == (
        0,
        "A100",
        40 * GIB,
        38 * GIB,
    )
    assert [(each["pid"], each["memory"]) for each in first["processes"]] == [(os.getpid(), 30 * GIB)]
    assert second["processes"] == []
    assert facts["driver"] == "535.104.05"
    assert "gpus" not in facts["unseen"]


def test_a_process_of_this_machine_is_named(seen_with):
    if ProcessTable(rows={}).in_own_namespace:
        pytest.skip("in a container the driver's process numbers are not ours")
    (process,) = seen_with(f"{A100} {GIB}", f"process 0 {os.getpid()} {GIB}")["gpus"][0]["processes"]
    assert process["command"].startswith(psutil.Process().cmdline()[0])
    assert process["user"]


def test_memory_that_the_driver_does_not_tell_is_unknown(seen_with):
    (process,) = seen_with(f"{A100} {GIB}", "process 0 1 -1")["gpus"][0]["processes"]
    assert process["memory"] is None


def test_a_driver_that_tells_no_processes_is_not_taken_for_an_idle_gpu(seen_with):
    (gpu,) = seen_with(f"{A100} {39 * GIB}", "silent 0")["gpus"]
    assert gpu["processes_told"] is False


def test_an_old_driver_is_asked_in_its_own_way(seen_with):
    (gpu,) = seen_with(f"{A100} {GIB}", "process 0 1 1024", "old")["gpus"]
    assert [each["memory"] for each in gpu["processes"]] == [1024]
    assert gpu["processes_told"] is True


def test_a_lost_gpu_does_not_hide_the_others(seen_with):
    facts = seen_with(f"{A100} 0", f"{A100} 0", "lost 0")
    assert [gpu["index"] for gpu in facts["gpus"]] == [1]
    assert facts["unseen"]["gpu 0"] == {"why": "failed", "detail": "GPU is lost"}


@pytest.mark.parametrize(
    ("answer", "why"), [(9, "no-driver"), (18, "version-mismatch"), (4, "no-rights"), (999, "failed")]
)
def test_what_is_wrong_with_a_driver_is_told_apart(seen_with, answer, why):
    assert seen_with(f"init {answer}")["unseen"]["gpus"]["why"] == why


def test_no_driver_at_all(tmp_path, seen_with):
    facts = seen_with(LD_LIBRARY_PATH=str(tmp_path))
    if facts["gpus"]:
        pytest.skip("this machine has a GPU")
    assert facts["unseen"]["gpus"]["why"] in {"no-library", "no-driver"}


WHOLE = """
import json, time
from paddle_doctor.core.facts import to_plain
from paddle_doctor.subjects.environment import gather, gather_environment
gather.SECONDS = 1.0
print(json.dumps(to_plain(gather_environment())))
"""


def test_a_driver_that_hangs_does_not_hang_the_doctor(seen_with):
    facts = seen_with("hang", script=WHOLE)
    assert facts["unseen"]["gpus"]["why"] == "timed-out"
    assert facts["memory"]
    assert facts["interpreter"]


def gpu(index: int, name: str = "A100") -> Gpu:
    return Gpu(index=index, name=name, memory_total=40 * GIB, memory_used=0, uuid=f"GPU-0000-{index}")


@pytest.mark.parametrize(
    ("value", "hidden"),
    [
        ("1", [True, False]),
        ("0,1", [False, False]),
        ("", [True, True]),
        ("-1", [True, True]),
        ("GPU-0000-0", [False, True]),
        ("1,7,0", [True, False]),
        ("all", [False, False]),
    ],
)
def test_cuda_visible_devices_hides_what_it_leaves_out(value, hidden):
    gpus = hide_invisible((gpu(0), gpu(1)), {"CUDA_VISIBLE_DEVICES": value})
    assert [each.hidden for each in gpus] == hidden


def test_numbers_say_nothing_where_the_gpus_differ_and_cuda_counts_by_speed():
    unlike = (gpu(0), gpu(1, "T4"))
    only_first = {"CUDA_VISIBLE_DEVICES": "0"}
    assert not any(each.hidden for each in hide_invisible(unlike, only_first))
    ordered = hide_invisible(unlike, {**only_first, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"})
    assert [each.hidden for each in ordered] == [False, True]
