"""The quick tests on every Python from 3.10 on that is at hand, each in its own environment; prints one line each.

Usage: python tests/pythons.py
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")


def interpreter(version: str) -> str | None:
    """A working interpreter of that version, or None (a version manager's shim may exist and refuse to run)."""
    found = shutil.which(f"python{version}")
    places = [found] if found else []
    places += [str(path) for path in Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
    for place in places:
        ran = subprocess.run([place, "--version"], capture_output=True, text=True, check=False)
        if ran.returncode == 0 and f"Python {version}." in ran.stdout:
            return place
    return None


def main() -> int:
    """The number of versions on which something failed."""
    failed = 0
    for version in VERSIONS:
        python = interpreter(version)
        if python is None:
            print(f"Python {version}: not at hand", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([python, "-m", "venv", folder], check=True)
            own = str(Path(folder) / "bin" / "python")
            subprocess.run([own, "-m", "pip", "install", "--quiet", "--upgrade", "pip"], check=True)
            subprocess.run([own, "-m", "pip", "install", "--quiet", "-e", ".", "--group", "test"], check=True, cwd=ROOT)
            ran = subprocess.run(
                [own, "-m", "pytest", "-m", "not lab and not packaging", "-n", "2", "-p", "no:cacheprovider"],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
            last = ran.stdout.strip().splitlines()[-1] if ran.stdout.strip() else ran.stderr.strip()[-200:]
            print(f"Python {version}: {last}", flush=True)
            if ran.returncode:
                failed += 1
                print(ran.stdout[-4000:], flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
