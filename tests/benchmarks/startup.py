"""Start-up times as ratios to ``python -c "import typer"``, whole processes, in one run; prints, never judges.

Usage: python tests/benchmarks/startup.py [RUNS]
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 15
PEER = "import typer"
DOCTOR = [sys.executable, "-m", "paddle_doctor"]

#: As a user has it: without this variable Python keeps the compiled modules, the peer's and ours.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

#: What is promised, as a multiple of the peer.
PROMISED = {"--version": 1.5, "scan --static (300 lines)": 2.5, "ckpt (small file)": 2.5}

SCRIPT_LINES = (
    "import paddle\nfrom paddle.io import DataLoader, Dataset\n\n\n"
    "class Data(Dataset):\n    def __getitem__(self, index):\n        return index\n\n"
    "    def __len__(self):\n        return 8\n\n\n"
)


def a_script(folder: Path) -> Path:
    """An ordinary evaluation script of 300 lines."""
    functions = "".join(
        f"def step_{number}(model, batch):\n    out = model(batch)\n    loss = out.mean()\n    return loss.item()\n\n\n"
        for number in range(47)
    )
    end = 'if __name__ == "__main__":\n    loader = DataLoader(Data(), num_workers=2)\n    print(len(loader))\n'
    path = folder / "eval.py"
    path.write_text(SCRIPT_LINES + functions + end, encoding="utf-8")
    return path


def a_checkpoint() -> Path:
    """A small real checkpoint."""
    return Path(__file__).parents[2] / "docs" / "demo" / "model.pdparams"


def timed(command: list[str]) -> float:
    """Seconds of one whole process."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=ENVIRONMENT)
    return time.perf_counter() - start


def main() -> None:
    """Run each command between two runs of the peer, and print the median of the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "--version": [*DOCTOR, "--version"],
            "scan --static (300 lines)": [*DOCTOR, "scan", "--static", str(a_script(Path(folder)))],
            "ckpt (small file)": [*DOCTOR, "ckpt", str(a_checkpoint())],
        }
        peer = [sys.executable, "-c", PEER]
        for command in (peer, *commands.values()):
            timed(command)  # fill the caches
        print(f'{"command":28} {"median":>9} {"ratio":>7} {"promised":>9}   (peer: python -c "{PEER}")')
        for name, command in commands.items():
            ratios, seconds = [], []
            for _ in range(RUNS):
                base = timed(peer)
                own = timed(command)
                seconds.append(own)
                ratios.append(own / base)
            ratio = statistics.median(ratios)
            print(f"{name:28} {statistics.median(seconds) * 1000:6.0f} ms {ratio:7.2f} {PROMISED[name]:9.1f}")


if __name__ == "__main__":
    main()
