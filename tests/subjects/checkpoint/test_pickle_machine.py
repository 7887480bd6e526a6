"""The machine against Python's own pickle: what it says of a file is what `pickle.load` makes of it."""

import collections
import datetime as dt
import decimal
import io
import pathlib
import pickle
import pickletools
from argparse import Namespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paddle_doctor.subjects.checkpoint import Break, Format, pickle_content, pickle_machine
from paddle_doctor.subjects.checkpoint.pickle_opcodes import ACTIONS

numpy = pytest.importorskip("numpy")

DTYPES = {
    "float32": "float32",
    "float16": "float16",
    "float64": "float64",
    "int64": "int64",
    "int8": "int8",
    "uint8": "uint8",
    "bool": "bool",
    "complex64": "complex64",
    "uint16": "bfloat16",
    ">f4": "float32",
}
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)

relaxed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def arrays(draw):
    shape = tuple(draw(st.lists(st.integers(0, 6), max_size=3)))
    array = numpy.zeros(shape, draw(st.sampled_from(sorted(DTYPES))))
    array.reshape(-1).view("u1")[...] = draw(st.integers(0, 1))
    return numpy.asfortranarray(array) if draw(st.booleans()) else array


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=30),
    st.binary(max_size=30),
    st.complex_numbers(),
    st.sets(st.integers(), max_size=3),
    st.sampled_from([numpy.float32(1.5), numpy.int64(3), numpy.dtype("f4"), decimal.Decimal("1.5")]),
)
keys = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


def containers(inner):
    return st.one_of(
        st.dictionaries(keys, inner, max_size=5),
        st.dictionaries(keys, inner, max_size=5).map(collections.OrderedDict),
        st.lists(inner, max_size=4),
        st.tuples(inner, inner, inner),
    )


nested = st.dictionaries(keys, st.recursive(arrays() | plain, containers, max_leaves=12), max_size=6)


def expected(value, key=""):
    """The tensors in an object: (key, shape, dtype, nbytes)."""
    if isinstance(value, numpy.ndarray):
        name = value.dtype.str if value.dtype.str.startswith(">") else value.dtype.name
        yield key, value.shape, DTYPES[name], value.nbytes
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from expected(each, f"{key}.{name}" if key else name)
    elif isinstance(value, (list, tuple)):
        for index, each in enumerate(value):
            yield from expected(each, f"{key}.{index}" if key else str(index))


def found(checkpoint):
    return [(each.key, each.shape, each.dtype, each.nbytes) for each in checkpoint.tensors]


@relaxed
@given(nested, st.sampled_from(PROTOCOLS))
def test_any_state_dict_is_read_as_pickle_reads_it(follow_bytes, value, protocol):
    data = pickle.dumps(value, protocol)

    checkpoint = follow_bytes(data)

    assert checkpoint.damage is None
    assert checkpoint.suspicious == ()
    assert checkpoint.trailing == 0
    assert found(checkpoint) == list(expected(value))


@relaxed
@given(st.dictionaries(keys, arrays(), min_size=1, max_size=4), st.sampled_from(PROTOCOLS), st.data())
def test_a_state_dict_that_is_cut_anywhere_is_called_truncated(follow_bytes, value, protocol, data):
    whole = pickle.dumps(value, protocol)
    at = data.draw(st.integers(2, len(whole) - 1))

    checkpoint = follow_bytes(whole[:at])

    if checkpoint is not None:  # of protocols 0 and 1, too little may be left to tell a pickle by
        assert checkpoint.damage.kind is Break.TRUNCATED
        assert 1 <= checkpoint.damage.missing <= len(whole) - at
        assert set(found(checkpoint)) <= set(expected(value))
        assert checkpoint.damage.last_key in {None, *value}
    else:
        assert protocol < 2


class Tensor:
    """Pickles itself as paddle.save makes a Tensor of a nested dict do."""

    def __init__(self, name, array):
        self.pair = (name, array)

    def __reduce__(self):
        return tuple, (self.pair,)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_the_key_where_a_nested_file_breaks_off_is_never_another_string(follow_bytes, protocol):
    state = collections.OrderedDict(
        (f"fc{at}.weight", Tensor(f"linear_{at}.w_0", numpy.zeros(2, "f4"))) for at in range(3)
    )
    whole = pickle.dumps({"model": state, "note": "text", "epoch": 3}, protocol)
    begun = [None, "model", "model.fc0.weight", "model.fc1.weight", "model.fc2.weight", "epoch"]

    last = [follow_bytes(whole[:at]).damage.last_key for at in range(2, len(whole))]

    assert [key for at, key in enumerate(last) if at == 0 or key != last[at - 1]] == begun


@relaxed
@given(nested, st.sampled_from(PROTOCOLS), st.data())
def test_a_damaged_file_never_raises(follow_bytes, value, protocol, data):
    damaged = bytearray(pickle.dumps(value, protocol))
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))

    checkpoint = follow_bytes(bytes(damaged))

    assert checkpoint is None or checkpoint.format in Format


@relaxed
@given(st.lists(st.tuples(st.sampled_from(sorted(ACTIONS)), st.binary(max_size=6)), max_size=60))
def test_random_instructions_never_raise(follow_bytes, instructions):
    follow_bytes(b"\x80\x04" + b"".join(code + operand for code, operand in instructions))


@relaxed
@given(st.binary(max_size=200))
def test_random_bytes_never_raise(follow_bytes, data):
    follow_bytes(data)


def test_every_instruction_of_pickle_is_known():
    assert {each.code.encode("latin-1") for each in pickletools.opcodes} == set(ACTIONS)


BENIGN = {
    "ordered": collections.OrderedDict(a=1),
    "default": collections.defaultdict(list, a=[1]),
    "counter": collections.Counter("aab"),
    "deque": collections.deque([1, 2], maxlen=3),
    "set": {1, 2},
    "frozenset": frozenset({1}),
    "complex": 1 + 2j,
    "bytes": b"\xff\x00",
    "no bytes": b"",
    "bytearray": bytearray(b"ab"),
    "range": range(3),
    "slice": slice(1, 2, None),
    "date": dt.date(2026, 1, 2),
    "time": dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.timezone.utc),
    "duration": dt.timedelta(seconds=3),
    "path": pathlib.PurePosixPath("a/b"),
    "decimal": decimal.Decimal("1.50"),
    "scalar": numpy.float64(0.5),
    "text scalar": numpy.str_("a"),
    "dtype": numpy.dtype("f4"),
    "record dtype": numpy.dtype([("a", "i4"), ("b", "f8")]),
    "type": numpy.float32,
    "objects": numpy.array([1, "a", None], dtype=object),
    "texts": numpy.array(["ab", "c"]),
    "dates": numpy.array(["2026-01-01"], dtype="datetime64[D]"),
    "records": numpy.zeros(2, dtype=[("a", "i4")]),
    "big number": 2**600,
    "long text": "x" * 5000,
    "long bytes": b"x" * 5000,
    "deep": [[[[[[1]]]]]],
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", BENIGN)
def test_plain_values_are_no_foreign_code(follow_bytes, name, protocol):
    checkpoint = follow_bytes(pickle.dumps({"w": numpy.zeros(3), "value": BENIGN[name]}, protocol))

    assert checkpoint.suspicious == ()
    assert checkpoint.damage is None


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_arguments_of_a_training_are_no_foreign_code(follow_bytes, protocol):
    checkpoint = follow_bytes(pickle.dumps({"args": Namespace(lr=0.1, data="x")}, protocol))

    assert checkpoint.suspicious == ()


def test_the_slices_of_a_split_tensor_are_one_tensor(follow_bytes):
    slices = {"w@@.0": numpy.zeros(6, "f4"), "b": numpy.zeros(3, "f4"), "w@@.1": numpy.zeros(2, "f4")}
    table = {"w": {"OriginShape": (4, 2), "slices": ["w@@.0", "w@@.1"]}}

    checkpoint = follow_bytes(pickle.dumps({**slices, "UnpackBigParamInfor@@": table}, 2))

    assert found(checkpoint) == [("b", (3,), "float32", 12), ("w", (4, 2), "float32", 32)]
    assert checkpoint.format is Format.STATE_DICT


def test_the_table_of_parameter_names_is_no_tensor(follow_bytes):
    table = {"fc.weight": "linear_0.w_0"}
    checkpoint = follow_bytes(pickle.dumps({"fc.weight": numpy.zeros(3), "StructuredToParameterName@@": table}))

    assert checkpoint.named
    assert [each.key for each in checkpoint.tensors] == ["fc.weight"]
    assert checkpoint.branches == ()


def test_bytes_behind_the_end_are_counted(follow_bytes):
    assert follow_bytes(pickle.dumps({"w": numpy.zeros(3)}) + b"more").trailing == 4


def test_an_array_that_stands_under_two_keys_is_two_tensors(follow_bytes):
    shared = numpy.zeros((2, 3), "f4")
    checkpoint = follow_bytes(pickle.dumps({"a": shared, "b": {"c": shared}}))

    assert [each.key for each in checkpoint.tensors] == ["a", "b.c"]


def test_a_key_that_is_set_twice_counts_once(follow_bytes):
    one, two = pickle.dumps(numpy.zeros(1), 2)[2:-1], pickle.dumps(numpy.zeros(2), 2)[2:-1]
    checkpoint = follow_bytes(b"\x80\x02}(X\x01\x00\x00\x00w" + one + b"X\x01\x00\x00\x00w" + two + b"u.")

    assert found(checkpoint) == [("w", (2,), "float64", 16)]


@pytest.mark.parametrize("told", [b"M\x2b\x01", b"M\x2d\x01"], ids=["299", "301"])
def test_data_that_do_not_fit_the_shape_are_damage(follow_bytes, told):
    data = pickle.dumps({"fc.weight": numpy.zeros(300, "f4")}, 4)
    assert data.count(b"M\x2c\x01") == 1
    checkpoint = follow_bytes(data.replace(b"M\x2c\x01", told))

    assert checkpoint.damage.kind is Break.SIZE_MISMATCH
    assert checkpoint.damage.last_key == "fc.weight"


def test_a_cut_inside_a_tensor_names_it_and_counts_what_is_missing(follow_bytes):
    data = pickle.dumps({"a": numpy.zeros(4, "f4"), "b": numpy.zeros(5000, "f4"), "c": numpy.zeros(4, "f4")}, 4)
    checkpoint = follow_bytes(data[:10_000])

    assert [each.key for each in checkpoint.tensors] == ["a"]
    assert checkpoint.damage.last_key == "b"
    assert checkpoint.damage.inside
    assert 10_000 < checkpoint.damage.missing <= len(data) - 10_000


def test_tensor_data_are_not_read():
    data = pickle.dumps({"a": numpy.zeros(50_000_000, "u1")}, 4)

    class Counting(io.BytesIO):
        taken = 0

        def read(self, size=-1):
            got = super().read(size)
            Counting.taken += len(got)
            return got

    from paddle_doctor.subjects.checkpoint.pickle_reading import read_pickle

    read_pickle("m", Counting(data), len(data), marked=True)

    assert Counting.taken < 1000


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x80\x04\xff.", Break.UNKNOWN_OPCODE),
        (b"\x80\x04R.", Break.STACK_UNDERFLOW),
        (b"\x80\x04u.", Break.STACK_UNDERFLOW),
        (b"\x80\x04h\x07.", Break.UNKNOWN_MEMO),
        (b"\x80\x04\x8c\x02\xff\xfe.", Break.BAD_TEXT),
        (b"\x80\x04\x8e" + b"\xff" * 8 + b".", Break.BAD_LENGTH),
        (b"\x80\x02T\xff\xff\xff\xff.", Break.BAD_LENGTH),
        (b"\x80\x04NN\x93.", Break.BAD_OPERAND),
        (b"\x80\x04Ix\n.", Break.BAD_OPERAND),
        (b"\x80\x04Pid\n.", Break.PERSISTENT_ID),
        (b"\x80\x05\x97.", Break.OUT_OF_BAND_BUFFER),
        (b"\x80\x04\x95\xff\x00\x00\x00\x00\x00\x00\x00N.", Break.TRUNCATED),
    ],
)
def test_what_cannot_be_followed_is_told_apart(follow_bytes, data, why):
    assert follow_bytes(data).damage.kind is why


@pytest.fixture
def small_limits(monkeypatch):
    """A hundredth of the limits, so that bombs for them are small too."""
    for module, names in (
        (pickle_machine, ("MOST_INSTRUCTIONS", "MOST_NODES", "MOST_TEXT")),
        (pickle_content, ("MOST_EFFORT",)),
    ):
        for name in names:
            monkeypatch.setattr(module, name, getattr(module, name) // 100)


@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param(b"\x80\x04" + b"]" * 50_000, id="many lists"),
        pytest.param(b"\x80\x04" + b"(" * 50_000, id="many marks"),
        pytest.param(b"\x80\x04N" + b"\x85" * 50_000 + b".", id="a very deep tuple"),
        pytest.param(b"\x80\x04K\x01" + b"2" * 40_000, id="many references"),
        pytest.param(b"\x80\x04]q\x00" + b"]h\x00ah\x00aq\x00" * 50 + b".", id="lists that double"),
        pytest.param(b"\x80\x04" + (b"X\x00\x04\x00\x00" + b"x" * 1024) * 400 + b".", id="much text"),
    ],
)
@pytest.mark.usefixtures("small_limits")
def test_bombs_end_early(follow_bytes, bomb):
    assert follow_bytes(bomb).damage.kind is Break.TOO_MUCH


@pytest.mark.usefixtures("small_limits")
def test_references_that_double_at_every_level_are_not_followed_to_the_end(follow_bytes):
    value = {"w": numpy.zeros(2)}
    for _ in range(40):
        value = {"a": value, "b": value}

    checkpoint = follow_bytes(pickle.dumps(value))

    assert checkpoint.damage.kind is Break.TOO_MUCH


def test_a_circle_of_references_is_gone_round_once(follow_bytes):
    value = {"w": numpy.zeros(2)}
    value["self"] = value

    checkpoint = follow_bytes(pickle.dumps(value))

    assert [each.key for each in checkpoint.tensors] == ["w"]
    assert checkpoint.damage is None
