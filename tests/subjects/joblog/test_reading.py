"""Bytes as lines: encodings, carriage returns, long lines."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.subjects.joblog.reading import CHUNK, encoding_of, lines_of, what_binary


def lines(data: bytes) -> list[tuple[int, str]]:
    return list(lines_of(io.BytesIO(data)))


def test_lines_are_numbered_from_one():
    assert lines(b"a\nb\r\n\nc") == [(1, "a"), (2, "b"), (3, ""), (4, "c")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(encoding: str):
    text = "Traceback (most recent call last):\n段错误 (核心已转储)\n"
    assert [line for _, line in lines(text.encode(encoding))] == text.splitlines()


def test_nul_bytes_are_dropped():
    assert lines(b"shm\0\nnext\0 line\n") == [(1, "shm"), (2, "next line")]


def test_a_progress_bar_comes_in_pieces_of_one_line():
    assert lines(b"10%\r100%INFO terminate all the procs\nend\n") == [
        (1, "10%"),
        (1, "100%INFO terminate all the procs"),
        (2, "end"),
    ]


def test_a_huge_line_keeps_its_beginning_and_its_end():
    start, end = b"Error: first words ", b" last words"
    (number, text), after = lines(start + b"x" * (5 * CHUNK) + end + b"\nafter\n")[-2:]
    pieces = [piece for at, piece in lines(start + b"x" * (5 * CHUNK) + end + b"\nafter\n") if at == 1]
    assert number == 1
    assert pieces[0].startswith(start.decode())
    assert text.endswith(end.decode())
    assert sum(map(len, pieces)) < CHUNK
    assert after == (2, "after")


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"plain text\n", None),
        ("中文\n".encode("gb18030"), None),
        ("wide".encode("utf-16"), None),
        (b"\x1b[31mred\x1b[0m\n", None),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"PK\x03\x04rest", "zip"),
        (bytes(range(32)) * 20, "binary"),
        (bytes(100), "binary"),
        (b"a\0\0\0" * 25, "binary"),
        (b"", None),
    ],
)
def test_what_is_no_text(head: bytes, what: str | None):
    assert what_binary(head) == what


@given(st.binary(max_size=4000))
def test_any_bytes_are_lines_in_order(data: bytes):
    numbers = [number for number, _ in lines(data)]
    assert numbers == sorted(numbers)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\n\0\ufeff", exclude_categories=["Cs"])))
def test_utf8_text_comes_back(text: str):
    if encoding_of(text.encode()) is None:
        assert "".join(line for _, line in lines(text.encode())) == text
