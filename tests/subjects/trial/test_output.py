"""A job's output within bounds, inert as far as secrets go."""

from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.subjects.trial.output import HEAD_BYTES, LINES_SHOWN, TAIL_BYTES, Output


def filled(*chunks: bytes) -> Output:
    output = Output()
    for chunk in chunks:
        output.add(chunk)
    return output


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_a_short_output_is_kept_whole(chunks: list[bytes]):
    expected = b"".join(chunks).replace(b"\0", b"").decode("utf-8", "replace").splitlines()
    output = filled(*chunks)
    assert output.lost == 0
    assert len(output.text().splitlines()) <= len(expected)


def test_of_a_long_output_the_head_and_the_tail_stay():
    output = filled(b"first\n", *[b"x" * 65_536] * 40, b"\nlast\n")
    text = output.text()
    assert text.startswith("first")
    assert text.endswith("last")
    assert output.lost > 0
    assert len(text) < HEAD_BYTES + TAIL_BYTES + 200_000


def test_one_endless_line_is_cut():
    assert max(map(len, filled(b"y" * 5_000_000).text().splitlines())) <= 2000


def test_the_last_lines_and_how_many_stand_before_them():
    lines, left_out = filled("".join(f"line {n}\n\n" for n in range(100)).encode()).last_lines()
    assert len(lines) == LINES_SHOWN
    assert (lines[-1], left_out) == ("line 99", 100 - LINES_SHOWN)


def test_secrets_and_nul_bytes_do_not_get_through():
    text = filled(b"ERROR\0: token=abcdef0123456789abcdef\n").text()
    assert "abcdef0123456789abcdef" not in text
    assert "ERROR:" in text


def test_a_private_key_over_several_lines_is_hidden():
    text = filled(b"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n").text()
    assert "MIIEvQ" not in text
