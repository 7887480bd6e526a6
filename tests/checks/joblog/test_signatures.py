"""The tables of signatures: their examples, their words, and that no line can make them slow."""

import re
import string
import time
from importlib import import_module

import pytest

from paddle_doctor.core.language import Text
from paddle_doctor.core.registry import load_signatures
from paddle_doctor.core.signature import Role, Signature
from paddle_doctor.subjects.joblog.literals import required_literals

SIGNATURES = load_signatures()
CAUSES = import_module("paddle_doctor.checks.joblog.causes").CAUSES
BY_ID = import_module("paddle_doctor.checks.joblog.tables").BY_ID
IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
#: The causes that the project promises to tell apart.
SLUGS = [
    "gpu-oom",
    "host-oom-kill",
    "shm-exhausted",
    "dataset-exception-in-worker",
    "spawn-guard",
    "fork-after-cuda",
    "port-in-use",
    "connection-refused-or-timeout",
    "nccl-error",
    "nccl-missing",
    "cuda-driver-mismatch",
    "gpu-arch-mismatch",
    "cudnn-missing-or-mismatch",
    "label-out-of-range",
    "illegal-memory-access",
    "env-leftover",
    "device-index-invalid",
    "cpu-only-build",
    "checkpoint-key-mismatch",
    "checkpoint-shape-mismatch",
    "checkpoint-corrupt",
    "file-not-found",
    "missing-dependency",
    "abi-mismatch",
    "paddle-api-version",
    "user-code-exception",
    "config-error",
    "unused-parameters",
    "rank-desync-hang",
    "nan-inf",
    "segfault-unknown",
    "illegal-instruction",
    "disk-full",
    "fd-exhausted",
    "killed-from-outside",
    "launcher-only",
    "unknown",
    "no-failure",
]

every_signature = pytest.mark.parametrize("signature", SIGNATURES, ids=lambda each: each.id)


def fields_of(text: Text) -> set[str]:
    return {
        name for words in (text.en, text.zh) for _, name, _, _ in string.Formatter().parse(words) if name is not None
    }


def test_every_cause_has_its_words():
    assert sorted(CAUSES) == sorted(SLUGS)
    for slug, cause in CAUSES.items():
        assert cause.slug == slug
        for text in (cause.title, cause.cure):
            assert IDEOGRAPH.search(text.zh)
            assert not IDEOGRAPH.search(text.en)


def test_the_judge_knows_every_signature():
    assert len({each.id for each in SIGNATURES}) == len(SIGNATURES)
    assert {each.id for each in SIGNATURES} == set(BY_ID)


@every_signature
def test_lines_that_match_and_lines_that_do_not(signature: Signature):
    assert signature.matches
    assert [line for line in signature.matches if not signature.regex.search(line)] == []
    assert [line for line in signature.misses if signature.regex.search(line)] == []
    assert [line for line in (*signature.matches, *signature.misses) if "\n" in line] == []


@every_signature
def test_a_cause_for_roots_and_words_in_both_languages(signature: Signature):
    assert signature.cause is None or signature.cause in CAUSES
    assert signature.role is not Role.ROOT or signature.cause is not None
    assert signature.role not in (Role.CONSEQUENCE, Role.ADVICE, Role.LAUNCHER) or signature.cause is None
    texts = [text for text in (signature.says, signature.fix) if text is not None]
    for text in texts:
        assert IDEOGRAPH.search(text.zh)
        assert not IDEOGRAPH.search(text.en)
        assert fields_of(text) <= set(signature.regex.groupindex)


@every_signature
def test_the_pattern_is_bounded_and_has_a_literal(signature: Signature):
    bare = re.sub(r"\[\^?\]?(?:\\.|[^\]\\])*\]", "C", re.sub(r"\\.", "x", signature.pattern))
    assert not re.search(r"[*+]|\{\d*,\}", bare)
    assert required_literals(signature.pattern)


def seconds(signature: Signature, text: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        signature.regex.search(text)
        best = min(best, time.perf_counter() - start)
    return best


@every_signature
def test_no_long_line_makes_it_slow(signature: Signature):
    """Eight times the line may cost eight times the time, with room for noise, and not sixty-four times."""
    seeds = [*required_literals(signature.pattern), *(line[: len(line) // 2] for line in signature.matches), "a ", "0"]
    for seed in seeds:
        short, long = (seed * 8000)[:1000], (seed * 8000)[:8000]
        assert seconds(signature, long) < 24 * max(seconds(signature, short), 0.002), seed
