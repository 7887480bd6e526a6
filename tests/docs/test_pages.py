"""The documentation is what the code says, in both languages."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def make_pages():
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("make_pages", DOCS / "make_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("language", "name"), [("en", "checks.md"), ("zh", "checks.zh.md")])
def test_the_list_of_checks_is_up_to_date(make_pages, language, name):
    assert (DOCS / name).read_text(encoding="utf-8") == make_pages.checks_page(language), "run `make docs`"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("name", "shows"), [("log", "user-code-exception"), ("scan", "PD101"), ("ckpt", "PD201")])
def test_every_picture_shows_what_its_command_found(name, language, shows):
    assert shows in (DOCS / "images" / f"{name}.{language}.svg").read_text(encoding="utf-8")


def test_both_readmes_show_the_same_commands():
    commands = {
        name: set(re.findall(r"`paddle-doctor (\w+)", (ROOT / name).read_text(encoding="utf-8")))
        for name in ("README.md", "README.zh.md")
    }
    assert commands["README.md"] == commands["README.zh.md"]


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "CONTRIBUTING.md", "docs/architecture.md"])
def test_links_and_pictures_are_there(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)\)", text):
        if not target.startswith("http"):
            assert ((ROOT / name).parent / target).exists(), target
