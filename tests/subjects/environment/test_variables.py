"""The variables that matter, secrets hidden, odd bytes made harmless; and which of them the container was given."""

import json

from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.core.secrets import HIDDEN
from paddle_doctor.subjects.environment.variables import dangling, job_variables, preset

NAMES = st.sampled_from(["PADDLE_TRAINER_ID", "FLAGS_x", "POD_IP", "NCCL_DEBUG", "RANK", "http_proxy", "HOME", "AWS_X"])


def test_only_families_that_matter_are_taken():
    environ = {
        "PADDLE_TRAINER_ID": "1",
        "FLAGS_selected_gpus": "0",
        "TRAINING_ROLE": "TRAINER",
        "POD_IP": "10.0.0.1",
        "MASTER_ADDR": "h",
        "WORLD_SIZE": "2",
        "NCCL_DEBUG": "INFO",
        "CUDA_VISIBLE_DEVICES": "0",
        "XPU_VISIBLE_DEVICES": "0",
        "OMP_NUM_THREADS": "1",
        "https_proxy": "http://p",
        "HTTP_PROXY": "http://p",
        "LD_LIBRARY_PATH": "/x",
        "PYTHONPATH": "/y",
        "PORT_RANGE": "1:2",
    }
    others = {
        "HOME": "/root",
        "PADDLE_DOCTOR_LANG": "zh",
        "PATH": "/bin",
        "MYRANK": "1",
        "HF_TOKEN": "hf_x",
        "SSH_CLIENT": "1.2.3.4",
        "RANKING": "x",
    }
    assert set(job_variables({**environ, **others})) == set(environ)


def test_secrets_in_them_are_hidden():
    told = job_variables({"https_proxy": "http://me:secret@proxy:3128", "PADDLE_CLOUD_TOKEN": "abc"})
    assert told == {"https_proxy": f"http://{HIDDEN}@proxy:3128", "PADDLE_CLOUD_TOKEN": HIDDEN}


@given(st.dictionaries(NAMES, st.text(alphabet=st.characters(codec=None), max_size=40)))
def test_whatever_they_hold_can_be_written_as_json(environ):
    told = job_variables(environ)
    json.dumps(told, ensure_ascii=False).encode("utf-8")
    assert all(name in environ for name in told)


def test_bytes_that_are_no_text_become_escapes():
    assert job_variables({"PYTHONPATH": "/caf\udce9"}) == {"PYTHONPATH": "/caf\\udce9"}


def test_what_the_container_was_started_with_is_preset(tmp_path):
    init = tmp_path / "environ"
    init.write_bytes(b"PADDLE_TRAINER_ID=1\0PADDLE_TRAINERS_NUM=2\0HOME=/root\0")
    environ = {"PADDLE_TRAINER_ID": "1", "PADDLE_TRAINERS_NUM": "4", "HOME": "/root"}
    assert preset(environ, init) == ("PADDLE_TRAINER_ID",)


def test_without_rights_nothing_is_known_to_be_preset(tmp_path):
    assert preset({"PADDLE_TRAINER_ID": "1"}, tmp_path / "gone") == ()


def test_a_file_that_is_gone_is_noted(tmp_path):
    there = tmp_path / "backup_env.0.json"
    there.write_text("{}")
    assert dangling({"PADDLE_BACKUP_ENV_PATH": str(there)}) == ()
    assert dangling({"PADDLE_BACKUP_ENV_PATH": str(tmp_path / "gone")}) == ("PADDLE_BACKUP_ENV_PATH",)
    assert dangling({"PADDLE_BACKUP_ENV_PATH": "/" + "x" * 5000}) == ("PADDLE_BACKUP_ENV_PATH",)
    assert dangling({}) == ()
