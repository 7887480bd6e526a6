"""The launch variables of a shell, read as Paddle reads them."""

from __future__ import annotations

from dataclasses import dataclass

from paddle_doctor.subjects.environment import Environment

#: What launchers, PaddleCloud included, put into the environment of a rank. They are unset together: half of a set
#: does other harm than the whole.
RANK_VARIABLES = (
    *("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ENDPOINTS", "PADDLE_CURRENT_ENDPOINT"),
    *("PADDLE_MASTER", "PADDLE_GLOBAL_SIZE", "PADDLE_LOCAL_SIZE", "PADDLE_GLOBAL_RANK", "PADDLE_LOCAL_RANK"),
    *("PADDLE_NNODES", "PADDLE_RANK_IN_NODE", "PADDLE_AUTO_CLUSTER", "PADDLE_DISTRI_BACKEND", "PADDLE_LOG_DIR"),
    *("PADDLE_BACKUP_ENV_PATH", "PADDLE_LOCAL_DEVICE_IDS", "PADDLE_WORLD_DEVICE_IDS", "PADDLE_TRAINERS"),
    *("TRAINER_PORTS_NUM", "PADDLE_PORT", "POD_IP", "POD_NAME", "TRAINING_ROLE"),
    *("FLAGS_selected_gpus", "FLAGS_selected_accelerators"),
)


@dataclass(frozen=True, slots=True)
class Shell:
    """The launch variables of a shell, read as Paddle reads them."""

    environment: Environment

    def get(self, name: str) -> str | None:
        """The variable's value, or None if it is not set."""
        return self.environment.variables.get(name)

    def filled(self, *names: str) -> bool:
        """Whether all these variables are set and not empty."""
        return all(self.get(name) for name in names)

    def number(self, name: str) -> int | None:
        """The variable as `int()` takes it; None if it is not set or no number."""
        try:
            return int(self.get(name) or "")
        except ValueError:
            return None

    def no_number(self, name: str) -> bool:
        """Whether the variable is set to what `int()` refuses, the empty text included."""
        return self.get(name) is not None and self.number(name) is None

    @property
    def rank(self) -> int:
        """The rank that Paddle takes from the shell."""
        return self.number("PADDLE_TRAINER_ID") or 0

    @property
    def world_size(self) -> int:
        """The number of ranks that Paddle takes from the shell."""
        number = self.number("PADDLE_TRAINERS_NUM")
        return 1 if number is None else number

    @property
    def endpoints(self) -> list[str]:
        """The endpoints of all ranks; one empty text if there are none, as Paddle has it."""
        return (self.get("PADDLE_TRAINER_ENDPOINTS") or "").split(",")

    @property
    def downloads(self) -> bool:
        """Whether a download (``pretrained=True``) is done by this process: it is for the first endpoint of each host.

        The others wait until the file is there. Read in `paddle.utils.download`.
        """
        first: dict[str, str] = {}
        for endpoint in sorted(self.endpoints):
            first.setdefault(endpoint.partition(":")[0], endpoint)
        return (self.get("PADDLE_CURRENT_ENDPOINT") or "") in first.values()

    def hosts(self, name: str) -> set[str]:
        """The hosts of a variable that lists endpoints or addresses."""
        words = (self.get(name) or "").split(",")
        return {word.strip().rpartition(":")[0] or word.strip() for word in words if word.strip()}

    def foreign(self, name: str) -> bool:
        """Whether the variable names a host that is not this machine; False where nothing is known of its addresses."""
        known = self.environment.addresses
        return bool(known) and any(host not in known for host in self.hosts(name))
