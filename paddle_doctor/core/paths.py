"""What lies at a path that somebody names: where we may not look, or no name can be that long, nothing lies for us.

`pathlib.Path.is_file` raises there, and not on every version of Python.
"""

from __future__ import annotations

import os


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file lies there that we can see; links are followed."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a folder lies there that we can see; links are followed."""
    return os.path.isdir(path)  # noqa: PTH112


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether anything lies there that we can see; links are followed."""
    return os.path.exists(path)  # noqa: PTH110
