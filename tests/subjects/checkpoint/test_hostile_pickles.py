"""Pickles that fool scanners: each is refused and nothing in it runs; Python itself does run those that are `LIVE`."""

import pickle
import struct
import subprocess
import sys

import pytest

numpy = pytest.importorskip("numpy")

#: What the canary's touch is called in; the folder is the working folder.
TOUCH = "open('canary', 'w').close()"


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def glob(module: str, name: str) -> bytes:
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def call(module: str, name: str, *arguments: bytes) -> bytes:
    return glob(module, name) + b"(" + b"".join(arguments) + b"tR"


EXEC = call("builtins", "exec", text(TOUCH))
ARRAY = pickle.dumps(numpy.zeros((2, 3), "f4"), 2)[2:-1]
#: Arguments that are no tuple but a call, and an array to be given its state: version, shape, then dtype, order, data.
NO_ARGUMENTS = glob("collections", "OrderedDict") + b")R"
NEW_ARRAY = call("numpy.core.multiarray", "_reconstruct", glob("numpy", "ndarray"), b"K\x00\x85", text("b"))
NEW_STATE = b"\x80\x02}" + text("w") + NEW_ARRAY + b"(K\x01K\x03\x85"
STATE = b"}(X\x06\x00\x00\x00weightK\x01u"

LIVE = {
    "a plain call": b"\x80\x02" + EXEC + b".",
    "protocol 0": b'c__builtin__\nexec\n(S"' + TOUCH.encode() + b'"\ntR.',
    "the old name of builtins": b"\x80\x02" + call("__builtin__", "eval", text(TOUCH)) + b".",
    "STACK_GLOBAL": b"\x80\x04" + text("builtins") + text("exec") + b"\x93" + text(TOUCH) + b"\x85R.",
    "STACK_GLOBAL by memo": b"\x80\x04"
    + text("builtins")
    + b"\x940"
    + text("exec")
    + b"\x940h\x00h\x01\x93"
    + text(TOUCH)
    + b"\x85R.",
    "a memo that is overwritten": b"\x80\x04"
    + text("decimal")
    + b"q\x000"
    + text("Decimal")
    + b"q\x010"
    + text("builtins")
    + b"q\x000"
    + text("exec")
    + b"q\x010h\x00h\x01\x93"
    + text(TOUCH)
    + b"\x85R.",
    "a memo far away": b"\x80\x02"
    + glob("builtins", "exec")
    + b"r\x00\x00\x01\x000j\x00\x00\x01\x00"
    + text(TOUCH)
    + b"\x85R.",
    "INST": b'(S"' + TOUCH.encode() + b'"\nibuiltins\nexec\n.',
    "OBJ": b"(" + glob("builtins", "exec") + text(TOUCH) + b"o.",
    "NEWOBJ over map": b"\x80\x02"
    + glob("builtins", "bytes")
    + glob("builtins", "map")
    + b"("
    + glob("builtins", "exec")
    + b"]"
    + text(TOUCH)
    + b"at\x81\x85\x81.",
    "NEWOBJ_EX over map": b"\x80\x04"
    + glob("builtins", "bytes")
    + glob("builtins", "map")
    + b"("
    + glob("builtins", "exec")
    + b"]"
    + text(TOUCH)
    + b"at\x81\x85}\x92.",
    "BUILD with __setstate__": b"\x80\x02"
    + glob("argparse", "Namespace")
    + b")\x81}"
    + text("__setstate__")
    + glob("builtins", "exec")
    + b"sb"
    + text(TOUCH)
    + b"b.",
    "getattr chain": b"\x80\x02"
    + call("builtins", "getattr", call("importlib", "import_module", text("builtins")), text("exec"))
    + b"("
    + text(TOUCH)
    + b"tR.",
    "a dotted name": b"\x80\x04"
    + text("argparse")
    + text("_sys.modules.__class__.__base__.__subclasses__")
    + b"\x930"
    + EXEC
    + b".",
    "broken behind the call": b"\x80\x02" + EXEC + b"\xff\xff",
    "cut behind the call": b"\x80\x02" + EXEC,
    "two protocols": b"\x80\x04\x80\x02" + call("__builtin__", "eval", text(TOUCH)) + b".",
    "three protocols": b"\x80\x05\x80\x03\x80\x02" + EXEC + b".",
    "Paddle's eval with other source": b"\x80\x04"
    + call("builtins", "eval", text(TOUCH), b"}" + text("data") + ARRAY + b"s")
    + b".",
    "a pickle in a pickle": b"\x80\x03"
    + call("_pickle", "loads", b"C" + bytes([len(EXEC) + 3]) + b"\x80\x02" + EXEC + b".")
    + b".",
    "a timer": b"\x80\x02" + call("timeit", "timeit", text(TOUCH), text("pass"), glob("time", "time"), b"K\x01") + b".",
    "thrown away before a clean dict": b"\x80\x02" + EXEC + b"0" + STATE + b".",
    "thrown away with its mark": b"\x80\x02(" + EXEC + b"1" + STATE + b".",
    "as a key": b"\x80\x02}" + EXEC + b"K\x01s.",
    "in a tuple in a list": b"\x80\x02](" + EXEC + b"\x85e.",
    "in a set": b"\x80\x04\x8f(" + EXEC + b"\x90.",
    "as a state": b"\x80\x02" + glob("argparse", "Namespace") + b")\x81}" + text("a") + EXEC + b"sb.",
    "as an argument of a known form": b"\x80\x02"
    + call("collections", "OrderedDict", b"](](" + text("k") + EXEC + b"ee")
    + b".",
    "as a name of a tensor": b"\x80\x02" + call("builtins", "tuple", b"](" + text("k") + EXEC + b"e") + b".",
    "partial": b"\x80\x02" + call("functools", "partial", glob("builtins", "exec"), text(TOUCH)) + b")R.",
    "a method caller": b"\x80\x02"
    + call("operator", "methodcaller", text("__call__"), text(TOUCH))
    + b"("
    + glob("builtins", "exec")
    + b"tR.",
    "a frame around it": b"\x80\x04\x95" + struct.pack("<Q", len(EXEC) + 1) + EXEC + b".",
    "text behind line ends": b"cbuiltins\nexec\n(V" + TOUCH.encode() + b"\ntR.",
}

#: What Python would not come to run here, or what is no call of the canary, and is refused all the same.
REFUSED = {
    "an extension code": b"\x80\x02\x82\x01.",
    "a wide extension code": b"\x80\x02\x84\x01\x00\x00\x00.",
    "an import alone": b"\x80\x02" + glob("this", "s") + b".",
    "an import that is thrown away": b"\x80\x02" + glob("antigravity", "webbrowser") + b"0" + STATE + b".",
    "eval as a value": b"\x80\x02}" + text("a") + glob("builtins", "eval") + b"s.",
    "Paddle's eval without an array": b"\x80\x04"
    + call("builtins", "eval", text("data"), b"}" + text("data") + b"K\x01s")
    + b".",
    "Paddle's eval with more names": b"\x80\x04"
    + call("builtins", "eval", text("data"), b"}(" + text("data") + b"K\x01" + text("x") + b"K\x01u")
    + b".",
    "a class of somebody": b"\x80\x02" + glob("my.project", "Config") + b")\x81}" + text("a") + b"K\x01sb.",
    "a subclass trick": b"\x80\x02ccopy_reg\n_reconstructor\n(csubprocess\nPopen\nc__builtin__\nobject\nNtR.",
    "attributes of a class": b"\x80\x02"
    + glob("collections", "OrderedDict")
    + b"N}"
    + text("update")
    + b"K\x01s\x86b.",
    "items of a module": b"\x80\x02" + glob("sys", "modules") + text("a") + b"K\x01s.",
    "elements of a path": b"\x80\x02" + glob("sys", "path") + text("/x") + b"a.",
    "a name of a kilobyte": b"\x80\x04" + text("x" * 2000) + text("y") + b"\x93.",
    "a dotted numpy name": b"\x80\x04" + text("numpy") + text("core.multiarray.scalar") + b"\x93.",
    "numpy's own exec": b"\x80\x02" + call("numpy.testing._private.utils", "runstring", text("1"), b"}") + b".",
    "numpy scalar of an object": b"\x80\x02" + call("numpy.core.multiarray", "scalar", text("O"), b"K\x01") + b".",
    "another array class": b"\x80\x02"
    + call("numpy.core.multiarray", "_reconstruct", glob("my", "Array"), b"K\x00\x85", text("b"))
    + b".",
    "an array that reads a file": b"\x80\x02" + call("numpy", "load", text("/etc/passwd")) + b".",
    "memory for nothing": b"\x80\x02" + call("builtins", "bytearray", b"\x8a\x05\x00\x00\x00\x00\x10") + b".",
    "another codec": b"\x80\x02" + call("_codecs", "encode", text("x"), text("idna")) + b".",
    "a factory": b"\x80\x02" + call("collections", "defaultdict", glob("os", "getcwd")) + b".",
    "__dict__ of a Namespace": b"\x80\x02"
    + glob("argparse", "Namespace")
    + b")\x81}"
    + text("__class__")
    + b"K\x01sb.",
    "a dtype of nothing": NEW_STATE + glob("numpy", "dtype") + NO_ARGUMENTS + b"R\x89" + text("abc") + b"tbs.",
    "bytes of nothing": NEW_STATE
    + call("numpy", "dtype", text("u1"), b"\x89", b"\x88")
    + b"\x89"
    + glob("_codecs", "encode")
    + NO_ARGUMENTS
    + b"Rtbs.",
    "the class of an array in bytes of nothing": b"\x80\x02"
    + call(
        "numpy.core.multiarray",
        "_reconstruct",
        glob("numpy", "ndarray"),
        b"K\x00\x85",
        glob("_codecs", "encode") + NO_ARGUMENTS + b"R",
    )
    + b".",
    "a state twice": b"\x80\x02"
    + glob("argparse", "Namespace")
    + b")\x81}"
    + text("a")
    + b"K\x01sb}"
    + text("b")
    + b"K\x01sb.",
}


@pytest.fixture
def canary(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "canary"


@pytest.mark.parametrize("name", [*LIVE, *REFUSED])
def test_it_is_refused_and_nothing_runs(gather, canary, name):
    checkpoint = gather({**LIVE, **REFUSED}[name])

    assert checkpoint.is_pickle
    assert checkpoint.suspicious
    assert not canary.exists()


def test_python_does_run_them(tmp_path):
    """The set means something only if its members bite: each touches its canary when Python unpickles it."""
    loader = (
        "import os, pathlib, pickle, sys\n"
        "os.chdir(sys.argv[1])\n"
        "for line in sys.stdin:\n"
        "    try:\n"
        "        pickle.loads(bytes.fromhex(line), encoding='latin1')\n"
        "    except Exception:\n"
        "        pass\n"
        "    canary = pathlib.Path('canary')\n"
        "    print(canary.exists())\n"
        "    canary.unlink(missing_ok=True)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", loader, str(tmp_path)],
        input="".join(each.hex() + "\n" for each in LIVE.values()),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    bites = dict(zip(LIVE, ran.stdout.split(), strict=True))

    assert [name for name, bit in bites.items() if bit != "True"] == []


def test_what_it_would_run_is_quoted(gather):
    first = gather(b"\x80\x02" + call("os", "system", text("rm -rf ~")) + b".").suspicious[0]

    assert first.text == "os.system('rm -rf ~')"
    assert first.opcode == "REDUCE"


def test_a_secret_in_what_it_would_run_is_hidden(gather):
    command = "curl https://me:hunter22secret@example.org"
    first = gather(b"\x80\x02" + call("os", "system", text(command)) + b".").suspicious[0]

    assert "hunter22secret" not in first.text


def test_a_text_that_happens_to_begin_like_a_pickle_is_a_text(gather):
    checkpoint = gather(b"checkpoint\nof a model\nnot here\n")

    assert not checkpoint.is_pickle
    assert checkpoint.suspicious == ()


def test_paddles_eval_is_accepted_in_its_own_form(gather):

    class Dense:
        def __reduce__(self):
            return eval, ("data", {"data": numpy.zeros((2, 3), "f4")})

    for protocol in range(2, 6):
        checkpoint = gather(pickle.dumps({"w": Dense()}, protocol))

        assert checkpoint.suspicious == ()
        assert [(each.key, each.shape) for each in checkpoint.tensors] == [("w", (2, 3))]


def test_it_stays_small(gather):
    """A file that would import a million things names some of them and is done."""
    checkpoint = gather(b"\x80\x02" + b"".join(glob("m", f"n{number}") + b"0" for number in range(20_000)) + b"N.")

    assert 0 < len(checkpoint.suspicious) <= 50
