"""The changes that a rung makes inside the job: one named change to Paddle's own functions, and nothing else."""

# pathlib would be imported into the job before its time; stand-ins take what the originals take.
# ruff: noqa: PTH118, PTH119, ARG001, ARG002

from __future__ import annotations

import os
import sys

import paddle_doctor_notes as notes  # type: ignore[import-not-found]

TYPE_CHECKING = False  # not from typing, which a user's file may shadow
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The variable that names the change; without it the job is only watched.
CHANGE = "PADDLE_DOCTOR_CHANGE"


def wanted_for(module: str) -> bool:
    """Whether the change that was asked for touches this module."""
    return module in _CHANGES.get(os.environ.get(CHANGE, ""), {})


def apply(module: Any) -> None:
    """Make the change in a module just imported, and in the proxy that may stand for it (paddle.device has one)."""
    change = _CHANGES[os.environ[CHANGE]][module.__name__]
    change(module)
    stand_in = sys.modules.get(module.__name__)
    if stand_in is not None and stand_in is not module:
        change(stand_in)


# no-workers: every DataLoader reads its data in the process that asks for it.


def _no_workers(module: Any) -> None:
    loader = module.DataLoader
    init, iterate = loader.__init__, loader.__iter__

    def in_this_process(self: Any) -> None:
        self.num_workers = 0
        self.use_shared_memory = False

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  stands for the loader's own
        init(self, *args, **kwargs)
        in_this_process(self)

    def __iter__(self: Any) -> Any:  # noqa: N807
        in_this_process(self)
        return iterate(self)

    loader.__init__ = __init__
    loader.__iter__ = __iter__


# cpu: whoever asks for a card gets the CPU.


def _asks_for_a_card(place: Any) -> bool:
    if isinstance(place, str):
        return not place.strip().lower().startswith("cpu")
    return type(place).__name__ in ("CUDAPlace", "CUDAPinnedPlace", "XPUPlace", "XPUPinnedPlace", "CustomPlace")


def _cpu_for_devices(module: Any) -> None:
    convert = module._convert_to_place  # noqa: SLF001  the one gate that set_device and its kin go through
    module._convert_to_place = lambda device: convert("cpu" if _asks_for_a_card(device) else device)  # noqa: SLF001
    _replace(module, ("synchronize",), lambda *_, **__: None)


def _cpu_for_places(module: Any) -> None:
    convert = module._get_paddle_place  # noqa: SLF001  as above, for tensors, layers and loaders
    module._get_paddle_place = lambda place: convert("cpu" if _asks_for_a_card(place) else place)  # noqa: SLF001


def _cpu_for_cuda(module: Any) -> None:
    _replace(module, ("synchronize", "empty_cache"), lambda *_, **__: None)
    counters = ("max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved")
    _replace(module, counters, lambda *_, **__: 0)


def _cpu_for_paddle(module: Any) -> None:
    class _OnTheCPU:
        """Stands for a card's place: to make one gives the CPU's, and nothing is an instance of it."""

        def __new__(cls, *_: Any) -> Any:
            return module.CPUPlace()

    _replace(module, ("CUDAPlace", "CUDAPinnedPlace", "XPUPlace", "XPUPinnedPlace", "CustomPlace"), _OnTheCPU)
    for owner in (module.Tensor, module.nn.Layer):
        _replace(owner, ("cuda", "xpu", "pin_memory"), lambda self, *_, **__: self)
    module.set_device("cpu")  # a GPU wheel stands on card 0 unless told otherwise


def _replace(owner: Any, names: tuple[str, ...], stand_in: Any) -> None:
    for name in names:
        if hasattr(owner, name):
            setattr(owner, name, stand_in)


# random-weights: nothing is read from a file, nothing is set from what was read; the model stays as it was made.


class _Nothing(dict):  # type: ignore[type-arg]
    """What ``paddle.load`` gives when it reads nothing: an empty dict whose missing keys give further ones.

    Code that takes a checkpoint apart (``ckpt["model"]``, ``ckpt["epoch"] + 1``) goes on: asked for a number, it is 0.
    """

    def __missing__(self, key: object) -> _Nothing:
        return _Nothing()

    def pop(self, key: object, *default: Any) -> Any:
        return default[0] if default else _Nothing()

    def __delitem__(self, key: object) -> None:
        return

    def copy(self) -> _Nothing:
        return _Nothing()

    def __int__(self) -> int:
        return 0

    __index__ = __int__

    def __float__(self) -> float:
        return 0.0

    def __add__(self, other: Any) -> Any:
        return other

    __radd__ = __add__

    def __lt__(self, other: Any) -> Any:
        return other > 0

    def __gt__(self, other: Any) -> Any:
        return other < 0

    def __le__(self, other: Any) -> Any:
        return other >= 0

    def __ge__(self, other: Any) -> Any:
        return other <= 0

    def __format__(self, form: str) -> str:
        return format(0.0 if form else "{}", form)


def _nothing_loaded(module: Any) -> None:
    def load(path: Any, **_: Any) -> _Nothing:
        notes.load(path)
        return _Nothing()

    module.load = load


def _nothing_set(*names: str) -> Callable[[Any], None]:
    """Replaces the methods that take a state, in every class of the module that has them."""

    def change(module: Any) -> None:
        keys: Any = getattr(module, "_IncompatibleKeys", lambda missing, unexpected: (missing, unexpected))

        def untouched(self: Any, *_: Any, **__: Any) -> Any:
            return keys([], [])

        for owner in list(vars(module).values()):
            if isinstance(owner, type) and owner.__module__ == module.__name__:
                for name in names:
                    if name in vars(owner):
                        setattr(owner, name, untouched)

    return change


def _model_not_loaded(module: Any) -> None:
    def load(self: Any, path: Any, *_: Any, **__: Any) -> None:
        notes.load_model(path)

    module.Model.load = load


def _nothing_downloaded(module: Any) -> None:
    def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
        return os.path.join(module.WEIGHTS_HOME, os.path.basename(url))

    module.get_weights_path_from_url = get_weights_path_from_url


_STATE_SETTERS = ("set_state_dict", "set_dict", "load_dict", "load_state_dict")

_CHANGES: dict[str, dict[str, Callable[[Any], None]]] = {
    "no-workers": {"paddle.io.reader": _no_workers, "paddle.fluid.reader": _no_workers},
    "cpu": {
        "paddle": _cpu_for_paddle,
        "paddle.device": _cpu_for_devices,
        "paddle.device.cuda": _cpu_for_cuda,
        "paddle.base.framework": _cpu_for_places,
        "paddle.fluid.framework": _cpu_for_places,
    },
    "random-weights": {
        "paddle.framework.io": _nothing_loaded,
        "paddle.nn.layer.layers": _nothing_set(*_STATE_SETTERS),
        "paddle.fluid.dygraph.layers": _nothing_set(*_STATE_SETTERS),
        "paddle.optimizer.optimizer": _nothing_set(*_STATE_SETTERS),
        "paddle.fluid.optimizer": _nothing_set(*_STATE_SETTERS),
        "paddle.optimizer.lr": _nothing_set(*_STATE_SETTERS),
        "paddle.amp.grad_scaler": _nothing_set(*_STATE_SETTERS),
        "paddle.fluid.dygraph.amp.loss_scaler": _nothing_set(*_STATE_SETTERS),
        "paddle.hapi.model": _model_not_loaded,
        "paddle.utils.download": _nothing_downloaded,
    },
}
