"""Which ports a job would use, and who listens on them."""

import os
import socket
from collections.abc import Iterator
from types import SimpleNamespace

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.subjects.environment.ports import endpoints, listeners, own_addresses, seen_ports, wanted_ports
from paddle_doctor.subjects.environment.processes import ProcessTable

HERE = frozenset({"127.0.0.1", "localhost", "10.0.0.5"})


@pytest.fixture
def service() -> Iterator[int]:
    """The number of a port on which this process listens."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


@pytest.fixture
def client(service) -> Iterator[int]:
    """The number of a port from which somebody has called a service: used, but nobody listens on it."""
    with socket.create_connection(("127.0.0.1", service)) as connected:
        yield connected.getsockname()[1]


def test_a_listener_is_told_with_its_process(service):
    (port,) = seen_ports({service: ("--port",)}, listeners(), ProcessTable.read())
    assert (port.state, port.address, port.pid) == ("listening", "127.0.0.1", os.getpid())
    assert str(port.command).startswith(psutil.Process().cmdline()[0])
    assert port.user


def test_a_port_without_a_listener_is_free(client):
    (port,) = seen_ports({client: ("--port",)}, listeners(), ProcessTable.read())
    assert (port.state, port.pid) == ("free", None)


def test_what_nobody_may_tell_is_unknown():
    (port,) = seen_ports({80: ("--port",)}, None, None)
    assert port.state == "unknown"


def test_who_wants_a_port_is_told():
    variables = {
        "PADDLE_MASTER": "127.0.0.1:5000",
        "PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:6170,10.0.0.5:6171,10.0.0.9:6172",
        "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:6170",
        "FLAGS_START_PORT": "7000",
    }
    assert wanted_ports(variables, [5000], HERE) == {
        5000: ("--port", "PADDLE_MASTER"),
        6170: ("PADDLE_TRAINER_ENDPOINTS", "PADDLE_CURRENT_ENDPOINT"),
        6171: ("PADDLE_TRAINER_ENDPOINTS",),
        7000: ("FLAGS_START_PORT",),
        6070: ("default",),
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", []),
        ("10.0.0.1:6170", [("10.0.0.1", 6170)]),
        ("a:1, b:2", [("a", 1), ("b", 2)]),
        ("tcp://10.0.0.1:6170/", [("10.0.0.1", 6170)]),
        ("[::1]:6170", [("::1", 6170)]),
        ("10.0.0.1", []),
        ("10.0.0.1:", []),
        ("10.0.0.1:99999", []),
        ("10.0.0.1:0", []),
    ],
)
def test_endpoints_are_read(value, expected):
    assert endpoints(value) == expected


@given(st.text(max_size=200), st.text(max_size=20))
def test_whatever_a_variable_holds_ports_are_ports(value, start):
    wanted = wanted_ports({"PADDLE_TRAINER_ENDPOINTS": value, "FLAGS_START_PORT": start}, (), HERE)
    assert all(0 < port < 65536 for port in wanted)


def test_a_job_of_absurdly_many_ranks_is_bounded():
    many = ",".join(f"127.0.0.1:{port}" for port in range(1, 60000))
    assert len(wanted_ports({"PADDLE_TRAINER_ENDPOINTS": many}, (), HERE)) <= 256


def test_this_machine_knows_its_own_addresses():
    assert {"127.0.0.1", "localhost", socket.gethostname()} <= own_addresses()


def test_of_two_listeners_on_a_port_the_one_with_a_process_is_told(monkeypatch):
    def connection(ip: str, pid: int | None) -> SimpleNamespace:
        return SimpleNamespace(status=psutil.CONN_LISTEN, laddr=SimpleNamespace(ip=ip, port=6170), pid=pid)

    unknown, known = connection("0.0.0.0", None), connection("127.0.0.1", 4711)
    for order in ([unknown, known], [known, unknown]):
        monkeypatch.setattr(psutil, "net_connections", lambda order=order, **_: order)
        assert listeners()[6170].pid == 4711
