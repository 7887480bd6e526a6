"""Which checks there are: those in the package `paddle_doctor.checks`, and those that other packages add.

A folder of the package is a subject, a module in it is a check's page. Only the folders of the subjects at hand are
imported, so that a command pays for nothing that it does not use.

Other packages add checks through the entry-point group ``paddle_doctor.checks``: the entry point's name is a subject
(``checkpoint``, or ``checkpoint.acme`` where the subject alone is taken), its value a module that holds checks.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from paddle_doctor.core.check import Check
from paddle_doctor.core.finding import Crashed

if TYPE_CHECKING:
    from paddle_doctor.core.signature import Signature

PACKAGE = "paddle_doctor.checks"
GROUP = "paddle_doctor.checks"
#: Where installed packages keep their entry points.
_METADATA = (".dist-info", ".egg-info")


@dataclass
class Registry:
    """The checks of some subjects, by code; `broken` are modules of others that could not be imported."""

    checks: dict[str, Check] = field(default_factory=dict)
    broken: list[Crashed] = field(default_factory=list)

    def add(self, check: Check) -> None:
        """Take a check in; two checks with one code are a fault of whoever added the second."""
        other = self.checks.setdefault(check.page.code, check)
        if other is not check:
            raise ValueError(f"{check.page.code} is {other.page.name} and cannot be {check.page.name} too")


def subjects_with_checks() -> list[str]:
    """The subjects that have a folder of checks, in alphabetical order."""
    return sorted(each.name for each in pkgutil.iter_modules(import_module(PACKAGE).__path__) if each.ispkg)


def load_checks(subjects: Iterable[str], *, plugins: bool = True) -> Registry:
    """The checks that live in the folders of these subjects, and those that other packages add to them."""
    registry = Registry()
    wanted = list(subjects)
    for subject in wanted:
        for module in _modules(subject):
            for check in _of_type(module, Check):
                registry.add(check)
    if plugins:
        _load_plugins(registry, wanted)
    return registry


def load_signatures() -> tuple[Signature, ...]:
    """The signatures of failure logs: every tuple ``SIGNATURES`` in the modules of ``checks/joblog``."""
    tables = (getattr(module, "SIGNATURES", ()) for module in _modules("joblog"))
    return tuple(signature for table in tables for signature in table)


def _modules(subject: str) -> Iterator[ModuleType]:
    try:
        folder = import_module(f"{PACKAGE}.{subject}")
    except ModuleNotFoundError as error:
        if error.name == f"{PACKAGE}.{subject}":
            return  # a subject without checks
        raise
    for each in sorted(pkgutil.iter_modules(folder.__path__), key=lambda found: found.name):
        yield import_module(f"{folder.__name__}.{each.name}")


def _of_type(module: ModuleType, kind: type[Check]) -> Iterator[Check]:
    return (value for value in vars(module).values() if isinstance(value, kind))


def _load_plugins(registry: Registry, subjects: list[str]) -> None:
    if not any(map(_adds_checks, sys.path)):
        return
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        if point.name.partition(".")[0] not in subjects:
            continue
        try:
            module = point.load()
            for check in _of_type(module, Check):
                registry.add(check)
        except Exception as error:  # noqa: BLE001 - somebody else's module: whatever it raises must not stop the examination
            registry.broken.append(Crashed(point.value, point.name, f"{type(error).__name__}: {error}"))


def _adds_checks(folder: str) -> bool:
    """Whether a package installed there may add checks: a look that costs a fraction of that of importlib.metadata."""
    try:
        with os.scandir(folder or ".") as entries:
            announced = [Path(each.path, "entry_points.txt") for each in entries if each.name.endswith(_METADATA)]
    except NotADirectoryError:  # an archive: only importlib.metadata can look into it
        return Path(folder).is_file()
    except OSError:
        return False
    return any(path.is_file() and GROUP.encode() in path.read_bytes() for path in announced)
