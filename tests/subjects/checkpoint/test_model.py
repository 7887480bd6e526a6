import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.core.facts import from_plain, to_plain
from paddle_doctor.subjects.checkpoint import Checkpoint, Format


@given(st.from_type(Checkpoint))
def test_goes_to_json_and_comes_back_equal(checkpoint):
    assert from_plain(Checkpoint, to_plain(checkpoint), "facts.json") == checkpoint


@pytest.mark.parametrize(
    ("path", "suffix"),
    [
        ("a/b/model.pdparams", ".pdparams"),
        ("MODEL.PDPARAMS", ".pdparams"),
        ("C:\\runs\\best.model.pdopt", ".pdopt"),
        ("weights", ""),
        (".pdparams", ""),
        ("a.b/weights", ""),
    ],
)
def test_the_suffix_is_that_of_the_name(path, suffix):
    assert Checkpoint(path=path, size=0, format=Format.EMPTY).suffix == suffix
