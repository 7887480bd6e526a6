"""The command as a person uses it."""

import pickle

import pytest

numpy = pytest.importorskip("numpy")


@pytest.fixture
def healthy(tmp_path):
    path = tmp_path / "model.pdparams"
    weights = {"fc.weight": numpy.zeros((300, 200), "f4"), "fc.bias": numpy.zeros(200, "f4")}
    path.write_bytes(pickle.dumps({**weights, "StructuredToParameterName@@": {"fc.weight": "linear_0.w_0"}}, 4))
    return path


def test_a_healthy_file_is_described(doctor, healthy):
    ran = doctor("ckpt", "model.pdparams", LANG="en_US.UTF-8")

    assert ran.returncode == 0
    assert "Paddle state dict" in ran.stdout
    assert "60,200" in ran.stdout
    assert "235.2 KiB (240,800 bytes)" in ran.stdout
    assert "float32 × 2" in ran.stdout
    assert "Nothing found" in ran.stdout


def test_in_chinese(doctor, healthy):
    ran = doctor("ckpt", "model.pdparams", LANG="zh_CN.UTF-8")

    assert "Paddle state dict" in ran.stdout
    assert "元素总数" in ran.stdout


def test_keys_lists_every_tensor(doctor, report, healthy):
    assert "[300, 200]" in doctor("ckpt", "--keys", healthy).stdout
    assert report("ckpt", "--keys", healthy)["subject"]["tensors"] == [
        {"key": "fc.weight", "shape": [300, 200], "dtype": "float32", "nbytes": 240000},
        {"key": "fc.bias", "shape": [200], "dtype": "float32", "nbytes": 800},
    ]


def test_without_keys_the_tensors_are_counted(report, healthy):
    subject = report("ckpt", healthy)["subject"]

    assert "tensors" not in subject
    assert (subject["tensor_count"], subject["elements"], subject["nbytes"]) == (2, 60200, 240800)
    assert subject["format"] == "paddle-state-dict"


def test_several_files_are_judged_side_by_side(report, healthy, tmp_path):
    (tmp_path / "empty.pdparams").touch()
    data = report("ckpt", healthy, "empty.pdparams")

    assert [each["format"] for each in data["subject"]["checkpoints"]] == ["paddle-state-dict", "empty"]
    assert [each["code"] for each in data["findings"]] == ["PD202"]


def test_a_fault_is_an_exit_status(doctor, tmp_path):
    (tmp_path / "m.pdparams").write_bytes(pickle.dumps({"_layers.fc.weight": numpy.zeros(3)}))
    ran = doctor("ckpt", "m.pdparams")

    assert ran.returncode == 1
    assert "untrained weights" in " ".join(ran.stdout.split())


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en_US.UTF-8", "is a folder, not a checkpoint file"), ("zh_CN.UTF-8", "是目录，不是权重文件")],
)
def test_a_folder_is_a_wrong_input(doctor, tmp_path, lang, words):
    ran = doctor("ckpt", tmp_path, LANG=lang)

    assert ran.returncode == 2
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_hostile_key_cannot_reach_the_terminal(doctor, tmp_path):
    (tmp_path / "m.pdparams").write_bytes(pickle.dumps({"\x1b]0;owned\x07[red]w[/red]": numpy.zeros(3)}))
    ran = doctor("ckpt", "--keys", "m.pdparams")

    assert "\x1b" not in ran.stdout
    assert "[red]w[/red]" in ran.stdout
