"""The program: `paddle-doctor`, or `python -m paddle_doctor`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its status."""
    from paddle_doctor.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
