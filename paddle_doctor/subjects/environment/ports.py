"""The TCP ports that a job would use on this machine, and who listens on them."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paddle_doctor.subjects.environment.model import Port
from paddle_doctor.subjects.environment.processes import ProcessTable, shortened, user_of

ENDPOINT_VARIABLES = (
    *("PADDLE_MASTER", "PADDLE_TRAINER_ENDPOINTS", "DISTRIBUTED_TRAINER_ENDPOINTS", "PADDLE_CURRENT_ENDPOINT"),
)
PORT_VARIABLES = ("FLAGS_START_PORT", "PADDLE_START_PORT", "PADDLE_PORT")
#: ``--start_port`` of `paddle.distributed.launch`, used with ``--ips``.
DEFAULT_PORT = 6070
#: The most ports that are looked at; a job of more ranks on one machine is not there yet.
PORTS_LIMIT = 256


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody who listens on a port; `pid` is None where the system does not say who."""

    address: str
    pid: int | None


def wanted_ports(
    variables: Mapping[str, str], asked: Iterable[int], own_addresses: frozenset[str]
) -> dict[int, tuple[str, ...]]:
    """The ports of this machine that a job would use, each with who names it: ``--port``, variables, ``default``."""
    wanted: dict[int, list[str]] = {}
    for port in asked:
        wanted.setdefault(port, []).append("--port")
    for variable in ENDPOINT_VARIABLES:
        for host, port in endpoints(variables.get(variable, "")):
            if host in own_addresses and variable not in wanted.setdefault(port, []):
                wanted[port].append(variable)
    for variable in PORT_VARIABLES:
        value = variables.get(variable, "")
        if value.isdecimal() and 0 < int(value[:9]) < 65536:
            wanted.setdefault(int(value[:9]), []).append(variable)
    wanted.setdefault(DEFAULT_PORT, []).append("default")
    return {port: tuple(names) for port, names in list(wanted.items())[:PORTS_LIMIT] if names}


def endpoints(value: str) -> list[tuple[str, int]]:
    """The hosts and ports of a variable such as ``10.0.0.1:6070,10.0.0.1:6071``; what is no endpoint is passed over."""
    found = re.findall(r"(?:^|,)\s*(?:\w+://)?\[?([^\s,\[\]/]{1,255}?)\]?:(\d{1,5})(?=[\s,/]|$)", value)
    return [(host, int(port)) for host, port in found if 0 < int(port) < 65536]


def own_addresses() -> frozenset[str]:
    """The names and addresses by which this machine can be meant; no name server is asked."""
    import psutil

    found = {"localhost", "0.0.0.0", "::1", "127.0.0.1", "127.0.1.1", socket.gethostname()}  # noqa: S104
    for addresses in psutil.net_if_addrs().values():
        internet = (each for each in addresses if each.family in (socket.AF_INET, socket.AF_INET6))
        found.update(each.address.partition("%")[0] for each in internet)
    return frozenset(found)


def listeners() -> dict[int, Listener]:
    """Everybody who listens on a TCP port of this machine. Raises `psutil.AccessDenied` where that is not told."""
    import psutil

    found: dict[int, Listener] = {}
    for each in psutil.net_connections(kind="tcp"):
        if each.status == psutil.CONN_LISTEN and each.laddr:
            known = found.get(each.laddr.port)
            if known is None or known.pid is None:
                found[each.laddr.port] = Listener(each.laddr.ip, each.pid)
    return found


def seen_ports(
    wanted: Mapping[int, Sequence[str]], listening: Mapping[int, Listener] | None, table: ProcessTable | None
) -> tuple[Port, ...]:
    """The wanted ports with their state; `listening` is None if nobody could tell."""
    return tuple(_seen(number, tuple(names), listening, table) for number, names in sorted(wanted.items()))


def _seen(
    number: int, names: tuple[str, ...], listening: Mapping[int, Listener] | None, table: ProcessTable | None
) -> Port:
    if listening is None:
        return Port(number=number, wanted_by=names, state="unknown")
    listener = listening.get(number)
    if listener is None:
        return Port(number=number, wanted_by=names)
    row = table.rows.get(listener.pid) if table is not None and listener.pid is not None else None
    return Port(
        number=number,
        wanted_by=names,
        state="listening",
        address=listener.address,
        pid=listener.pid,
        command=(shortened(row.arguments) or row.name) if row else None,
        user=user_of(row.pid) if row else None,
    )
