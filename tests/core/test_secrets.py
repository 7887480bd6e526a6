"""Secrets are hidden where text enters, and ordinary training output passes unchanged."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.core.secrets import HIDDEN, hide_in_text, hide_in_value

LETTERS = string.ascii_letters + string.digits


def _of(length: int, alphabet: str = LETTERS) -> st.SearchStrategy[str]:
    """Random characters with a capital, a small letter and a digit among them, as real tokens have."""
    middle = st.text(alphabet, min_size=length - 3, max_size=length - 3)
    return middle.map(lambda drawn: f"{drawn[:4]}Q{drawn[4:]}z7")


#: Kind of secret → the secret itself (what must not survive), and a line that holds it in place of ``@``.
KINDS: dict[str, tuple[st.SearchStrategy[str], str]] = {
    "hugging face": (_of(34).map("hf_{}".format), "using @ to download"),
    "github classic": (_of(36).map("ghp_{}".format), "git clone failed for @"),
    "github fine-grained": (_of(60, LETTERS + "_").map("github_pat_{}".format), "@"),
    "gitlab": (_of(20).map("glpat-{}".format), "remote: @ expired"),
    "openai": (_of(48).map("sk-{}".format), "Incorrect API key provided: @."),
    "anthropic": (_of(60).map("sk-ant-api03-{}".format), "x @ y"),
    "slack": (_of(40).map("xoxb-{}".format), "slack said no to @"),
    "aws key id": (st.text(string.ascii_uppercase + "234567", min_size=16, max_size=16).map("AKIA{}".format), "id @"),
    "aws secret": (_of(40, LETTERS + "/+"), "AWS_SECRET_ACCESS_KEY=@"),
    "google": (_of(35).map("AIza{}".format), "GET /maps?key=@"),
    "aliyun": (_of(20).map("LTAI{}".format), "AccessKeyId @ not found"),
    "baidu": (_of(40).map("bce-v3/ALTAK-{}".format), "auth string @"),
    "jwt": (_of(80).map(lambda s: f"eyJ{s[:20]}.{s[20:50]}.{s[50:]}"), "jwt @"),
    "url password": (_of(12, LETTERS + "!$@%."), "http_proxy=http://me:@@proxy.example:3128/"),
    "address": (_of(12, LETTERS + "!$%."), "PADDLE_TRAINER_ENDPOINTS=10.0.0.1:6070,me:@@10.0.0.2:6071"),
    "address of IPv6": (_of(12), "meeting at root:@@[::1]:2379"),
    "url password with slash": (_of(12).map(lambda s: f"x{s[:5]}/{s[5:]}"), "redis://:@@127.0.0.1:6379/0"),
    "url signature": (_of(44).map(lambda s: s + "%3D"), "https://bos.example/a.pdparams?sig=@&x=1"),
    "bearer": (_of(30), "> Authorization: Bearer @"),
    "basic": (_of(24), "curl -H 'Authorization: Basic @' https://example.com"),
    "bearer alone": (_of(30), "sent bearer @ to the server"),
    "cookie": (_of(30), "Cookie: BDUSS=@; x=1"),
    "api key header": (_of(30), "x-api-key: @"),
    "password option": (_of(12), "python train.py --db-password @ --lr 0.1"),
    "password option in a list": (
        _of(12),
        "Container rank 1 failed cmd ['python', '-u', 't.py', '--password', '@'] code 1",
    ),
    "api key in words": (_of(30), "API key: @"),
    "token option": (_of(12), "wget --token=@ https://example.com"),
    "password in yaml": (_of(12), "  password: @"),
    "password with spaces in json": (_of(12).map(lambda s: f"{s[:6]} {s[6:]}"), '{"user": "me", "password": "@"}'),
    "password in a dict": (_of(12), "{'user': 'me', 'passwd': '@', 'port': 3306}"),
    "environment dump": (_of(12), "environ({'HOME': '/root', 'QIANFAN_SK': '@'})"),
    "export": (_of(12), "export MYSQL_PWD=@"),
    "assignment in a script": (_of(12), "os.environ['HF_TOKEN'] = '@'"),
    "camel case": (_of(30), 'accessKeySecret: "@"'),
    "wandb login": (st.text("0123456789abcdef", min_size=40, max_size=40), "wandb login --relogin @"),
    "sshpass": (_of(12), "sshpass -p @ ssh root@node1"),
    "curl user": (_of(12), "curl -s -u me:@ https://example.com"),
    "slack hook": (_of(24), "https://hooks.slack.com/services/T000/B000/@"),
    "private key": (
        _of(64, LETTERS + "+/"),
        "-----BEGIN OPENSSH PRIVATE KEY-----\n@\n-----END OPENSSH PRIVATE KEY-----",
    ),
    "line of a private key": (_of(64, LETTERS + "+/"), "@"),
    "npm": (_of(36).map("npm_{}".format), "//registry.npmjs.org/:_authToken=@"),
    "pypi": (_of(80).map("pypi-{}".format), "twine upload -p @"),
    "chinese": (_of(12), "密码：@"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_never_survives_in_text(kind: str) -> None:
    secrets, line = KINDS[kind]

    @given(secrets)
    def hidden(secret: str) -> None:
        shown = hide_in_text(line.replace("@", secret, 1) if line.count("@") == 1 else _planted(line, secret))
        assert secret not in shown
        assert HIDDEN in shown

    hidden()


def _planted(line: str, secret: str) -> str:
    """The line with the secret for its first ``@``; the others belong to the line."""
    before, _, after = line.partition("@")
    return before + secret + after


SECRET_NAMES = [
    "HF_TOKEN", "GITHUB_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "MYSQL_PWD", "DB_PASS",
    "QIANFAN_AK", "QIANFAN_SK", "AISTUDIO_ACCESS_TOKEN", "POSTGRES_PASSWORD", "SENTRY_DSN", "MY_SECRET", "dbpassword",
    "GOOGLE_APPLICATION_CREDENTIALS", "NPM_AUTH", "SESSION_COOKIE", "PADDLE_JOB_TOKEN", "PADDLE_ELASTIC_PASSWORD",
    "PADDLE_AUTH_KEY", "PADDLE_CLOUD_SK",
    "ALIYUN_ACCESSKEYSECRET", "GITLAB_PAT", "ENCRYPTION_KEY",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_variable_with_a_telling_name_is_hidden_whatever_it_holds(name: str) -> None:
    assert hide_in_value(name, "correct horse") == HIDDEN
    assert hide_in_value(name, "1") == HIDDEN
    assert hide_in_value(name, "") == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TOKENIZERS_PARALLELISM", "false"),
        ("PADDLE_TRAINER_ENDPOINTS", "127.0.0.1:6070,127.0.0.1:6071"),
        ("FLAGS_selected_gpus", "0"),
        ("NCCL_SOCKET_IFNAME", "eth0"),
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("PWD", "/home/me/project"),
        ("MAX_TOKENS", "512"),
        ("KEYBOARD", "us"),
        ("LD_LIBRARY_PATH", "/usr/local/cuda/lib64:/opt/nccl/lib"),
    ],
)
def test_an_ordinary_variable_is_shown(name: str, value: str) -> None:
    assert hide_in_value(name, value) == value


def test_a_proxy_is_shown_without_its_password() -> None:
    assert hide_in_value("https_proxy", "http://me:pw@proxy:3128") == f"http://{HIDDEN}@proxy:3128"


@pytest.mark.parametrize(
    "line",
    [
        "token embedding: 512",
        "tokenizer=bert",
        "key points",
        "auth ok",
        "max_tokens: 4096000, num_tokens=131072",
        "pad_token_id=151643, eos_token='<|endoftext|>', mask_token=[MASK]",
        "bert.embeddings.token_type_embeddings.weight: shape [2, 768]",
        "KeyError: 'password'",
        'token = os.environ["HF_TOKEN"]',
        "Skip loading for fc.weight. fc.weight is not found in the provided dict.",
        "missing key: backbone.conv1.weight",
        "[2026-01-01 10:00:00,123] [ INFO] epoch 1, step 10, loss: 0.693147, tokens/s: 123456.78",
        "http://localhost:4873/@scope/package",
        "git clone git@github.com:me/model.git && scp a.log me@10.0.0.1:8080",
        "loss:0.6931@step:100, acc:0.50@10",
        "pip install git+https://github.com/PaddlePaddle/PaddleSeg@release/2.9",
        "https://paddleocr.bj.bcebos.com/PP-OCRv4/chinese/ch_PP-OCRv4_det_train.tar",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "basic block configuration, basic_hyperparameters",
        "the secret of a good learning rate",
        "Token indices sequence length is longer than the specified maximum",
        '  File "/home/me/auth/token.py", line 12, in token',
        "PADDLE_TRAINER_ENDPOINTS=127.0.0.1:6070,127.0.0.1:6071 PADDLE_TRAINER_ID=0",
        "python -m paddle.distributed.launch --nproc_per_node 2 eval.py --tokenizer bert --key-frames 3",
        "W1201 02:43:14.000000 123 gpu_resources.cc:119] Please NOTE: device: 0, GPU Compute Capability: 8.0",
        "分词器 tokenizer 加载完成，关键点 key points：17",
    ],
)
def test_ordinary_lines_are_unchanged(line: str) -> None:
    assert hide_in_text(line) == line


@given(st.text(max_size=300))
def test_hiding_twice_changes_nothing_more(text: str) -> None:
    once = hide_in_text(text)
    assert hide_in_text(once) == once


@given(st.text("0123456789 .,:[]()epochlsavgINFO\n", max_size=400))
def test_numbers_and_plain_words_are_unchanged(text: str) -> None:
    assert hide_in_text(text) == text


@pytest.mark.parametrize(
    "unit", ["token", "a.", "://", "token ", "A_", "eyJ", "'", "password='", "curl ", "?a", "sk-", "_key"]
)
def test_a_hostile_line_costs_no_more_than_its_length(unit: str) -> None:
    """A quadratic pattern would take hours here; the length is what a gatherer lets pass many times over."""
    hide_in_text(unit * 20_000)
