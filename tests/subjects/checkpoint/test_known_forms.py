"""The bounds of what is taken for a form of NumPy's and Paddle's own."""

import pytest

from paddle_doctor.subjects.checkpoint import known_forms
from paddle_doctor.subjects.checkpoint.pickle_nodes import Global


@pytest.mark.parametrize("shape", [(), (0,), (3, -1), (1,) * 64, ((1 << 63) - 1,)])
def test_a_shape_has_up_to_64_sizes_that_numpy_can_count(shape):
    assert known_forms.is_shape(shape)


@pytest.mark.parametrize("shape", [(-2,), (1 << 63,), (1,) * 65, (1.0,), ("3",), [3], None])
def test_nothing_else_is_a_shape(shape):
    assert not known_forms.is_shape(shape)


def test_eval_is_no_mere_value():
    made = Global("builtins", "eval", 0)
    assert not known_forms.is_known_global(made)
    assert known_forms.is_known_global(Global("builtins", "tuple", 0))
