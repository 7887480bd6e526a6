"""Asked of the job's own interpreter, in a child process: its version, its packages, what Paddle it would import.

Run as a file by any Python from 3.7 on, with the asked modules as arguments, in the job's working folder. Imports
nothing but the standard library, and neither Paddle nor anything of the working folder, whatever lies there. Prints
one line of JSON that begins with ``{"paddle-doctor-probe"``.
"""

from __future__ import annotations

import sys


def _standard_library_only(path: list[str]) -> list[str]:
    """The entries of `sys.path` that hold the standard library: others may hold a ``json.py`` of the user's."""
    from os import __file__ as library_file  # long imported by the interpreter itself, unlike pathlib
    from os.path import basename, dirname

    library = dirname(library_file)  # noqa: PTH120
    kept = []
    for entry in path:
        name = basename(entry).lower()  # noqa: PTH119
        archive = name.startswith("python") and name.endswith(".zip")
        extensions = name == "dlls" or (dirname(entry) == library and name == "lib-dynload")  # noqa: PTH120
        if archive or extensions or entry == library:
            kept.append(entry)
    return kept


def _without_this_folder(path: list[str]) -> list[str]:
    """`sys.path` as the job would have it, but for the folder of the job's script."""
    from os.path import dirname, realpath

    own = dirname(realpath(__file__))  # noqa: PTH120
    return path[1:] if path and realpath(path[0]) == own else list(path)


JOB_PATH = _without_this_folder(sys.path)
sys.path[:] = _standard_library_only(sys.path)

import importlib.machinery  # noqa: E402
import json  # noqa: E402
import multiprocessing  # noqa: E402
import re  # noqa: E402
from pathlib import Path  # noqa: E402

#: Distributions that matter to a Paddle job: names, and beginnings of names.
PACKAGES = ("numpy", "protobuf", "pillow", "scipy", "pandas", "torch", "setuptools", "pip")
FAMILIES = ("paddle", "opencv", "nvidia-cu", "nvidia-nccl")

#: Names that break `import paddle` when a file of that name lies next to the script (measured on 2.6.2 and 3.3.1).
SHADOWED = [
    *("queue", "types", "random", "string", "token", "select", "tokenize", "platform", "copy", "inspect", "typing"),
    *("logging", "json", "pickle", "socket", "struct", "calendar", "email", "html", "http", "enum", "operator"),
    *("secrets", "decorator", "dl", "PIL", "numpy", "google", "setuptools", "paddle"),
]

READ_LIMIT = 1 << 16


def main(modules: list[str]) -> dict[str, object]:
    """All that is asked, as plain data."""
    folder = _working_folder()
    where = ([folder] if folder else []) + JOB_PATH
    facts: dict[str, object] = {
        "paddle-doctor-probe": 1,
        "executable": sys.executable or "",
        "python_version": ".".join(str(number) for number in sys.version_info[:3]),
        "prefix": sys.prefix,
        "platform": sys.platform,
        "start_method": multiprocessing.get_all_start_methods()[0],
        "packages": _packages(JOB_PATH),
        "missing_modules": [name for name in modules if not _is_there(name, where)],
        "shadowing": _shadowing(folder),
    }
    facts.update(_paddle(where))
    return facts


def _working_folder() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:
        return None


def _packages(path: list[str]) -> dict[str, str]:
    """Installed distributions by the names of their metadata folders; the first on the path is the one in force."""
    found: dict[str, str] = {}
    for entry in path:
        for name in _listed(entry):
            match = re.match(r"([A-Za-z0-9][A-Za-z0-9._]*)-([0-9][^-]*)(-.*)?\.(dist|egg)-info$", name)
            if match:
                distribution = re.sub(r"[-_.]+", "-", match.group(1)).lower()
                if distribution in PACKAGES or distribution.startswith(FAMILIES):
                    found.setdefault(distribution, match.group(2))
    return found


def _listed(folder: str) -> list[str]:
    try:
        return [each.name for each in Path(folder).iterdir()]
    except OSError:
        return []


def _is_there(name: str, path: list[str]) -> bool:
    """Whether an import would find the module. Its parents are looked up too, and never imported."""
    parts = name.split(".")
    found = _spec(parts[0], None, path)
    for depth in range(2, len(parts) + 1):
        if found is None:
            return False
        if found.submodule_search_locations is None:
            return True  # an attribute of a plain module, for all that can be known from outside
        found = _spec(".".join(parts[:depth]), list(found.submodule_search_locations), path)
    return found is not None


def _spec(name: str, locations: list[str] | None, path: list[str]) -> importlib.machinery.ModuleSpec | None:
    before = list(sys.path)
    sys.path[:] = path
    try:
        for finder in sys.meta_path:
            try:
                found = finder.find_spec(name, locations)
            except Exception:  # noqa: BLE001, S112 - a finder of somebody else's: it knows no such module
                continue
            if found is not None:
                return found
    finally:
        sys.path[:] = before
    return None


def _shadowing(folder: str | None) -> list[str]:
    """Files and packages of the working folder that would be imported in place of a module that Paddle needs."""
    if folder is None or folder in JOB_PATH:
        return []
    names = set(_listed(folder))
    files = [name + ".py" for name in SHADOWED if name + ".py" in names]
    packages = [name + "/" for name in SHADOWED if name in names and Path(folder, name, "__init__.py").is_file()]
    return files + packages


def _paddle(path: list[str]) -> dict[str, object]:
    """What `import paddle` would find, read from its files."""
    found = _spec("paddle", None, path)
    if found is None:
        return {}
    if found.origin is None or found.origin == "namespace":
        places = list(found.submodule_search_locations or ())
        return {"paddle_is_namespace": True, "paddle_path": places[0] if places else None}
    folder = Path(found.origin).parent
    text = _read(folder / "version" / "__init__.py") or _read(folder / "version.py")
    values = dict(re.findall(r"(?m)^(\w+)\s*=\s*['\"]?([^'\"\r\n]*)", text))
    return {
        "paddle_path": str(folder),
        "paddle_version": values.get("full_version") or None,
        "paddle_build": _build(values),
    }


def _build(values: dict[str, str]) -> str | None:
    for key, name in (("cuda_version", "cuda"), ("hip_version", "rocm"), ("xpu_xre_version", "xpu")):
        if values.get(key, "False").strip() not in ("False", "None", ""):
            return name + " " + values[key].strip()
    return "cpu" if "cuda_version" in values else None


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(READ_LIMIT)
    except OSError:
        return ""


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(main(sys.argv[1:])) + "\n")
