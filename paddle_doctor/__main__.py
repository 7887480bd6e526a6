"""The program: `paddle-doctor`, or `python -m paddle_doctor`."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line and exit with its status."""
    gc.set_threshold(100_000)  # a short life makes little garbage; looking for it is a tenth of our start-up
    try:
        from paddle_doctor.cli.app import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:  # before or after the program could speak
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
