"""Any text at all, and any damage to real source, ends in facts that go to JSON and back equal."""

import ast
import contextlib
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.core.errors import InputError
from paddle_doctor.core.facts import from_plain, to_plain
from paddle_doctor.subjects.script import Script, gather_script, read_script

REAL = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("test_*.py"))]

NAMES = st.sampled_from(["a", "b", "f", "self", "paddle", "io", "DataLoader", "args", "os", "environ", "__name__", "x"])
WORDS = st.sampled_from(
    ["'a'", "'__main__'", "4", "-1", "None", "1e999", "2**70", "b'x'", "...", "1j", "9" * 30, "'\\ud800'"]
)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{}.{}".format, inner, NAMES),
        st.builds("{}({}, {}={}, **{})".format, inner, inner, NAMES, inner, inner),
        st.builds("{}({}, *{})".format, inner, inner, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("({} == {})".format, inner, inner),
        st.builds("({} and not {})".format, inner, inner),
        st.builds("[{} for {} in {} if {}]".format, inner, NAMES, inner, inner),
        st.builds("(lambda {}={}: {})".format, NAMES, inner, inner),
        st.builds("({} := {})".format, NAMES, inner),
        st.builds("({} + {})".format, inner, inner),
        st.builds("{}[{}]".format, inner, inner),
    )


EXPRESSIONS = st.recursive(NAMES | WORDS, _compound, max_leaves=8)


def _indented(block: str) -> str:
    return "\n".join("    " + line for line in block.split("\n"))


def _block(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.builds(_indented, inner)
    return st.one_of(
        st.builds("{}\n{}".format, inner, inner),
        st.builds("if {}:\n{}\nelse:\n{}".format, EXPRESSIONS, body, body),
        st.builds("def {}({}, {}=1):\n{}\n    return {}".format, NAMES, st.just("p"), st.just("q"), body, EXPRESSIONS),
        st.builds("class {}({}):\n{}".format, NAMES, EXPRESSIONS, body),
        st.builds("for {} in {}:\n{}".format, NAMES, EXPRESSIONS, body),
        st.builds("try:\n{}\nexcept ImportError as {}:\n{}".format, body, NAMES, body),
        st.builds("with {} as {}:\n{}".format, EXPRESSIONS, NAMES, body),
    )


STATEMENTS = st.one_of(
    EXPRESSIONS,
    st.builds("{} = {}".format, NAMES, EXPRESSIONS),
    st.builds("{}, {} = {}".format, NAMES, NAMES, EXPRESSIONS),
    st.builds("os.environ[{}] = {}".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("{} += {}".format, NAMES, EXPRESSIONS),
    st.builds("import paddle.{} as {}".format, NAMES, NAMES),
    st.builds("from {} import {}".format, NAMES, NAMES),
    st.builds("global {}".format, NAMES),
    st.just("import os, paddle"),
    st.just("from paddle.io import *"),
)
MODULES = st.recursive(STATEMENTS, _block, max_leaves=10)


def survives(source: str, path: str = "eval.py") -> Script:
    script = read_script(source, path)
    assert from_plain(Script, json.loads(json.dumps(to_plain(script))), "here") == script
    return script


@given(MODULES)
def test_generated_source_gives_facts(source: str):
    script = survives(source)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        assert script.fault is not None
    else:
        assert script.fault is None
        assert len(script.calls) == sum(isinstance(node, ast.Call) for node in ast.walk(tree))


@given(st.text(), st.sampled_from(["eval.py", "eval.ipynb"]))
def test_any_text_gives_facts_or_a_fault(source: str, path: str):
    survives(source, path)


@given(st.sampled_from(REAL), st.data())
def test_damaged_source_gives_facts_or_a_fault(source: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, min(start + 200, len(source))))
    survives(source[:start] + data.draw(st.text(max_size=5)) + source[end:])


@given(st.binary(max_size=300), st.sampled_from(["eval.py", "eval.ipynb"]))
def test_any_bytes_give_facts_or_one_sentence(tmp_path_factory, data: bytes, name: str):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data)
    with contextlib.suppress(InputError):
        assert gather_script(path).path == str(path)
