"""A file is decoded as Python decodes it; what Python would refuse is a fault with its place."""

import pytest

from paddle_doctor.subjects.script import FaultKind, Script, gather_script, read_script


@pytest.fixture
def gathered(tmp_path):
    def gather(data: bytes, name: str = "eval.py") -> Script:
        path = tmp_path / name
        path.write_bytes(data)
        return gather_script(path)

    return gather


def test_utf8_with_a_byte_order_mark(gathered):
    script = gathered("\ufeffimport paddle\n精度 = paddle.load('权重.pdparams')\n".encode())
    assert script.fault is None
    assert script.checkpoints[0].path == "权重.pdparams"
    assert script.calls[0].place.column == 6


def test_gbk_that_is_declared(gathered):
    script = gathered("# -*- coding: gbk -*-\nprint('精度')\n".encode("gbk"))
    assert script.calls[0].arguments[0].value == "精度"


def test_gbk_that_is_not_declared(gathered):
    fault = gathered("import paddle\nprint('验证精度')\n".encode("gbk")).fault
    assert (fault.kind, fault.place.line) == (FaultKind.ENCODING, 2)
    assert fault.message.endswith("GBK")
    assert fault.place.text == "print('验证精度')"


def test_latin1_is_not_taken_for_gbk(gathered):
    assert gathered("# Müller, Förster\n".encode("latin-1")).fault.message == "utf-8: byte 0xfc"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_as_powershell_writes_it(gathered, encoding: str):
    fault = gathered("import paddle\nprint('accuracy')\n".encode(encoding)).fault
    assert (fault.kind, fault.message) == (FaultKind.ENCODING, "UTF-16")


def test_an_unknown_encoding(gathered):
    fault = gathered(b"# coding: klingon\nx = 1\n").fault
    assert (fault.kind, fault.message) == (FaultKind.ENCODING, "unknown encoding: klingon")


def test_an_encoding_that_decodes_nothing(gathered):
    assert gathered(b"# coding: undefined\nx = 1\n").fault.kind is FaultKind.ENCODING


def test_a_nul_byte(gathered):
    fault = gathered(b"import paddle\nx = 1 \x00\n").fault
    assert (fault.kind, fault.place.line, fault.place.column) == (FaultKind.NUL, 2, 7)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_like(gathered, ending: str):
    script = gathered(ending.join(["import paddle", "", "paddle.load('a')", ""]).encode())
    assert (script.lines, script.calls[0].place.line) == (3, 3)


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [("x = (1\ny = 2\n", 1, 5), ("精度 = = 1\n", 1, 6), ("def f():\nreturn\n", 2, 1), ("if x\n  y\n", 1, 5)],
)
def test_a_syntax_error_has_its_place_in_characters(source: str, line: int, column: int):
    fault = read_script(source, "eval.py").fault
    assert fault is not None
    assert (fault.kind, fault.place.line, fault.place.column) == (FaultKind.SYNTAX, line, column)
    assert fault.message


@pytest.mark.parametrize(
    "source",
    [
        "print 'accuracy', 1\n",
        "print x\n",
        "try:\n    f()\nexcept ValueError, e:\n    g()\n",
        "raise ValueError, 'x'\n",
        "exec 'x = 1'\n",
        "x = 0777\n",
        "if a <> b: c()\n",
        "x = ur'a'\n",
    ],
)
def test_python_2_is_recognised(source: str):
    fault = read_script(source, "old.py").fault
    assert fault is not None
    assert fault.kind is FaultKind.PYTHON2


def test_an_ordinary_mistake_is_not_taken_for_python_2():
    for source in ("print(x\n", "print = = 2\n", "x = 'a\n"):
        fault = read_script(source, "eval.py").fault
        assert fault is not None
        assert fault.kind is FaultKind.SYNTAX


@pytest.mark.parametrize(
    "source",
    ["x = " + "-" * 100_000 + "1", "x = " + "[" * 5_000, "x = " + "a." * 50_000 + "b", "f(" * 150 + ")" * 150],
    ids=["minus", "brackets", "attributes", "calls"],
)
def test_deep_nesting_ends_in_facts_or_a_fault(source: str):
    script = read_script(source, "deep.py")
    assert script.fault is None or script.fault.kind in (FaultKind.TOO_DEEP, FaultKind.SYNTAX)


def test_long_sums_and_long_chains_of_elif_are_read():
    total = "x = " + " + ".join(["'a'"] * 400) + "\nwork()\n"
    chain = "if x == 0:\n    pass\n" + "".join(f"elif x == {n}:\n    pass\n" for n in range(250)) + "work()\n"
    for source in (total, chain):
        script = read_script(source, "long.py")
        assert script.fault is None
        assert script.calls[-1].name == "work"


def test_columns_of_a_long_line_are_counted_in_characters():
    words = "'精度', " * 3_000
    script = read_script(f"x = [{words}]; paddle.load('a')\n", "eval.py")
    assert script.calls[0].place.column == len(f"x = [{words}]; ") + 1
