"""What the subject and the pages say of checkpoints, against real Paddle: what it writes, what it does on loading."""

import importlib.util
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from paddle_doctor.core.finding import Finding
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.checkpoint import Break, Format, gather_checkpoint

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(importlib.util.find_spec("paddle") is None, reason="needs paddlepaddle"),
]

CANNOT_PARSE = "ValueError: `paddle.load` can not parse the file"
ALL_MISSING = {"raised": None, "missing": 8, "of": 8, "changed": 0}
ALL_LOADED = {"raised": None, "missing": 0, "of": 8, "changed": 8}


def in_paddle(script: Path, folder: Path) -> str:
    """Run a script in the folder; its last line of output."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("paddle")


@pytest.fixture(scope="module")
def paddle(folder):
    """What Paddle did with each file; the files are in `folder`."""
    return json.loads(in_paddle(Path(__file__).with_name("on_paddle.py"), folder))


@pytest.fixture
def examined(folder, paddle):
    """The codes that the checks give for a file."""

    def look(name):
        checkpoint = gather_checkpoint(folder / name)
        checks = load_checks(["checkpoint"], plugins=False).checks.values()
        opinions = (check.opinions({"checkpoint": checkpoint}) for check in checks if check.needs == ("checkpoint",))
        return {each.code: each for found in opinions for each in found if isinstance(each, Finding)}

    return look


def test_keys_shapes_and_dtypes_are_those_of_paddle_load(folder, paddle):
    assert len(paddle["saved"]) >= 20
    for name, expected in paddle["saved"].items():
        checkpoint = gather_checkpoint(folder / name)
        found = sorted([each.key, list(each.shape), each.dtype] for each in checkpoint.tensors)

        assert found == sorted(expected), name
        assert checkpoint.damage is None, name
        assert checkpoint.suspicious == (), name
        assert checkpoint.trailing == 0, name


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        ("state?.pdparams", Format.STATE_DICT),
        ("half.pdparams", Format.STATE_DICT),
        ("adam?.pdopt", Format.OPTIMIZER),
        ("momentum.pdopt", Format.OPTIMIZER),
        ("nested?.pdparams", Format.NESTED),
        ("half_nested.pdparams", Format.NESTED),
        ("inference.pdiparams", Format.INFERENCE_PARAMS),
        ("inference.json", Format.INFERENCE_PROGRAM),
        ("state.safetensors", Format.SAFETENSORS),
    ],
)
def test_what_paddle_saved_is_recognised(folder, paddle, pattern, form):
    paths = list(folder.glob(pattern))

    assert paths
    for path in paths:
        assert gather_checkpoint(path).format is form, path.name


@pytest.mark.parametrize(
    "name", ["state4.pdparams", "adam4.pdopt", "half.pdparams", "inference.pdiparams", "state.safetensors"]
)
def test_nothing_is_found_in_a_healthy_file(examined, name):
    assert examined(name) == {}


def test_who_adds_the_prefix(paddle):
    """PD201: DataParallel.state_dict() does not; Layer.state_dict of it, named_parameters() and a holder do."""
    wrappers = paddle["wrappers"]

    assert not any("_layers" in key for key in wrappers["DataParallel.state_dict"])
    assert all(key.startswith("_layers.") for key in wrappers["Layer.state_dict"])
    assert all(key.startswith("_layers.") for key in wrappers["named_parameters"])
    assert all(key.startswith("net._layers.") for key in wrappers["holder"])


@pytest.mark.parametrize("name", ["front", "module"])
def test_prefixed_keys_only_warn_and_load_nothing(paddle, examined, name):
    """PD201."""
    assert paddle["given"][name] == ALL_MISSING
    assert set(examined(f"{name}.pdparams")) == {"PD201"}


@pytest.mark.parametrize("name", ["front", "module", "middle"])
def test_the_fix_gives_a_file_that_fits_with_every_value_as_it_was(folder, examined, name):
    """PD201: the very code of the finding, run by Paddle."""
    finding = examined(f"{name}.pdparams")["PD201"]
    script = folder / f"strip_{name}.py"
    script.write_text(
        f"""
import json, numpy
{finding.fix.code}
old, new = paddle.load({str(folder / name)!r} + ".pdparams"), paddle.load({str(folder / name)!r} + ".clean.pdparams")
same = all(numpy.array_equal(a.numpy(), b.numpy()) for a, b in zip(old.values(), new.values(), strict=True))
print(json.dumps([list(new), same]))
""",
        encoding="utf-8",
    )
    keys, same = json.loads(in_paddle(script, folder))

    expected = [
        "fc.weight",
        "fc.bias",
        "norm.weight",
        "norm.bias",
        "norm._mean",
        "norm._variance",
        "head.weight",
        "head.bias",
    ]
    assert keys == [f"net.{key}" if name == "middle" else key for key in expected]
    assert same


@pytest.mark.parametrize(
    "name", ["lfs", "html", "xml", "json", "text", "gzip", "tar", "npz", "npy", "zeros", "noise", "safetensors"]
)
def test_whatever_is_no_checkpoint_gives_the_same_error(paddle, examined, name):
    """PD202."""
    assert paddle["others"][name].startswith(CANNOT_PARSE)
    assert set(examined(f"{name}.pdparams")) == {"PD202"}


def test_an_empty_file_ran_out_of_input(paddle, examined):
    """PD202."""
    assert paddle["others"]["empty"] == "EOFError: Ran out of input"
    assert set(examined("empty.pdparams")) == {"PD202"}


def test_parameters_of_an_inference_model_load_without_a_word(paddle, examined):
    """PD202."""
    assert paddle["others"]["inference"] == "Tensor"
    assert set(examined("inference.pdparams")) == {"PD202"}


def test_safetensors_load_when_told_so(paddle):
    """PD202's fix."""
    assert paddle["safetensors"]["told"] == "dict"


def test_a_cut_anywhere_is_refused(paddle, folder, examined):
    """PD203."""
    for at, outcome in paddle["cuts"]:
        assert outcome.startswith((CANNOT_PARSE, "EOFError")), at
        if at > 1:
            assert set(examined(f"cut{at}.pdparams")) == {"PD203"}, at


def test_an_inference_model_cut_in_its_last_tensor_runs_and_is_wrong(paddle, examined):
    """PD203."""
    right, cut = paddle["inference"]["inference"], paddle["inference"]["cut"]

    assert isinstance(cut, list)
    assert json.dumps(cut) != json.dumps(right)
    assert set(examined("cut.pdiparams")) == {"PD203"}


def test_optimizer_state_leaves_the_model_untrained(paddle, folder, examined):
    """PD204."""
    assert paddle["given"]["optimizer"] == ALL_MISSING
    (folder / "adam.pdparams").write_bytes((folder / "adam4.pdopt").read_bytes())
    assert set(examined("adam.pdparams")) == {"PD204"}


def test_a_hostile_pickle_is_run_by_paddle_and_refused_by_us(paddle, folder, examined):
    """PD205."""
    assert paddle["hostile ran"] is True
    (folder / "canary").unlink(missing_ok=True)

    assert set(examined("hostile.pdparams")) == {"PD205"}
    assert not (folder / "canary").exists()


def test_a_nested_file_loads_nothing_as_a_whole_and_everything_taken_out(paddle, examined):
    """PD206."""
    assert paddle["given"]["nested"] == ALL_MISSING
    assert paddle["given"]["nested taken out"] == ALL_LOADED
    assert set(examined("nested4.pdparams")) == {"PD206"}


def test_files_of_pytorch(paddle, examined):
    """PD207; Paddle's Linear keeps its weight as [in, out]."""
    assert paddle["others"]["torch_zip"].startswith(CANNOT_PARSE)
    assert paddle["others"]["torch_legacy"] == "int"
    assert "AttributeError" in paddle["given"]["torch_legacy"]["raised"]
    assert paddle["linear"] == [3, 4]
    assert set(examined("torch_zip.pdparams")) == set(examined("torch_legacy.pdparams")) == {"PD207"}


def test_bytes_behind_the_end(paddle, examined):
    """PD209: a state dict loads in silence, an inference model and safetensors are refused."""
    assert paddle["given"]["longer"] == ALL_LOADED
    assert "Not allowed to load partial data" in paddle["inference"]["longer"]
    assert "incomplete metadata" in paddle["safetensors"]["longer"]
    for name in ("longer.pdparams", "longer.pdiparams", "longer.safetensors"):
        assert set(examined(name)) == {"PD209"}


def test_damage_inside(paddle, examined, folder):
    """PD210."""
    assert paddle["damaged"]["opcode"].startswith(CANNOT_PARSE)
    assert paddle["damaged"]["size"] == "ValueError: buffer size does not match array size"
    assert set(examined("size.pdparams")) == {"PD210"}
    damage = gather_checkpoint(folder / "size.pdparams").damage
    assert damage is not None
    assert damage.kind is Break.SIZE_MISMATCH


def test_what_is_no_state_dict(paddle, folder, examined):
    """PD211."""
    assert paddle["given"]["no tensors"] == ALL_MISSING
    for name in ("list", "tensor"):
        assert "has no attribute 'get'" in paddle["given"][name]["raised"]
    (folder / "one.pdparams").write_bytes((folder / "one.pdtensor").read_bytes())
    assert set(examined("list.pdparams")) == set(examined("one.pdparams")) == {"PD211"}


def test_the_pages_name_this_file():
    """Every page of a checkpoint's check that claims a measurement here is right to do so."""
    here = "tests/subjects/checkpoint/test_real_paddle.py"
    pages = [import_module(check.function.__module__).PAGE for check in load_checks(["checkpoint"]).checks.values()]
    measured = [page.code for page in pages if any(here in source for source in page.sources)]

    assert set(measured) == {f"PD2{number:02}" for number in range(1, 12)} - {"PD208"}
