"""What a file is, whatever it is called; and what is said of a path that is no file."""

import gzip
import io
import json
import os
import struct
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paddle_doctor.core.errors import InputError
from paddle_doctor.subjects.checkpoint import Break, Format, gather_checkpoint

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d" * 32 + b"\nsize 102400\n"


def zipped(name: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, b"content")
    return file.getvalue()


def tarred() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("inference.pdiparams"))
    return file.getvalue()


KINDS = {
    "nothing": (b"", Format.EMPTY),
    "LFS pointer": (POINTER, Format.LFS_POINTER),
    "HTML": (b"\n  <!DOCTYPE html>\n<html><body>404</body></html>", Format.HTML),
    "HTML in capitals": (b"<HTML><HEAD></HEAD></HTML>", Format.HTML),
    "XHTML": (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', Format.HTML),
    "XML": (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', Format.XML),
    "JSON": (b'{"error": "not found"}', Format.JSON),
    "inference program": (b'{"base_code":{"magic":"pir","version":1}}', Format.INFERENCE_PROGRAM),
    "text": ("学习率: 0.1\n".encode(), Format.TEXT),
    "GBK text": ("学习率: 0.1\n".encode("gbk"), Format.TEXT),
    "UTF-16 text": ("学习率".encode("utf-16"), Format.TEXT),
    "gzip": (gzip.compress(b"x"), Format.GZIP),
    "zip": (zipped("model.pdparams"), Format.ZIP),
    "npz": (zipped("w.npy"), Format.NUMPY),
    "npy": (b"\x93NUMPY\x01\x00", Format.NUMPY),
    "torch": (zipped("archive/data.pkl"), Format.TORCH_ZIP),
    "old torch": (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.", Format.TORCH_LEGACY),
    "tar": (tarred(), Format.TAR),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(32), Format.HDF5),
    "zeros": (bytes(1000), Format.ZEROS),
    "many zeros": (bytes(300_000), Format.ZEROS),
    "zeros, then something": (bytes(300_000) + b"x", Format.UNKNOWN),
    "noise": (bytes([0x9C, 1, 2, 3]) * 50, Format.UNKNOWN),
    "protocol of the future": (b"\x80\x09N.", Format.UNKNOWN),
    "pickle of a list": (b"\x80\x04]N\x61.", Format.OTHER_PICKLE),
    "empty dict": (b"\x80\x04}.", Format.OTHER_PICKLE),
}


@pytest.mark.parametrize("name", KINDS)
def test_the_content_tells_what_it_is(gather, name):
    data, expected = KINDS[name]

    assert gather(data).format is expected
    assert gather(data, "model.pth").format is expected


def test_a_pointer_tells_the_size_of_the_file_that_it_stands_for(gather):
    found = gather(POINTER)

    assert found.lfs_size == 102400
    assert found.first_line == "version https://git-lfs.github.com/spec/v1"


def test_a_line_of_text_is_quoted_without_its_secrets(gather):
    found = gather(b"\n\npassword=hunter22secret\n")

    assert found.format is Format.TEXT
    assert "hunter22secret" not in found.first_line


def test_keys_are_shown_without_secrets_and_without_characters_that_cannot_be_written(gather):
    token = "ghp_" + "a1B2" * 9
    key = f"{token}.\ud800".encode("utf-8", "surrogatepass")
    numpy = pytest.importorskip("numpy")
    import pickle

    array = pickle.dumps(numpy.zeros(2, "f4"), 2)[2:-1]
    found = gather(b"\x80\x02}X" + struct.pack("<I", len(key)) + key + array + b"s.")

    assert len(found.tensors) == 1
    assert token not in found.tensors[0].key
    assert found.tensors[0].key.encode("utf-8")


settled = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@settled
@given(st.sampled_from(sorted(KINDS)), st.binary(max_size=30), st.integers(0, 400))
def test_mixed_and_cut_files_never_raise(gather, name, more, at):
    data, _ = KINDS[name]

    assert gather(data[:at] + more).format in Format


# Paddle's binary tensors


def tensor(shape, data, kind=5, *, packed=False):
    dims = bytes([0x12, len(shape), *shape]) if packed else b"".join(b"\x10" + bytes([size]) for size in shape)
    desc = bytes([0x08, kind]) + dims
    return struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + data


def test_tensors_of_an_inference_model_are_listed_in_their_order(gather):
    found = gather(tensor((2, 3), bytes(24)) + tensor((4,), b"\x01" * 8, kind=4), "m.pdiparams")

    assert found.format is Format.INFERENCE_PARAMS
    assert [(each.key, each.shape, each.dtype, each.nbytes) for each in found.tensors] == [
        ("#0", (2, 3), "float32", 24),
        ("#1", (4,), "float16", 8),
    ]
    assert found.damage is None


def test_sizes_may_be_packed_as_protobuf_3_writes_them(gather):
    found = gather(tensor((2, 0, 3), b"", packed=True) + tensor((2, 3), bytes(24), packed=True), "m.pdiparams")

    assert [(each.shape, each.nbytes) for each in found.tensors] == [((2, 0, 3), 0), ((2, 3), 24)]
    assert (found.damage, found.trailing) == (None, 0)


def test_an_inference_model_that_is_cut_in_its_last_tensor_is_damaged(gather):
    found = gather((tensor((2, 3), b"\x01" * 24) + tensor((4,), b"\x01" * 16))[:-3], "m.pdiparams")

    assert found.damage.kind is Break.TRUNCATED
    assert found.damage.missing == 3
    assert found.damage.last_key == "#1"


def test_bytes_behind_the_last_tensor_are_counted(gather):
    assert gather(tensor((2,), b"\x01" * 8) + b"more bytes here", "m.pdiparams").trailing == 15


@settled
@given(st.binary(max_size=120))
def test_noise_behind_a_tensors_beginning_never_raises(gather, noise):
    assert gather(bytes(16) + noise, "m.pdiparams").format in Format


# safetensors


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_safetensors_are_listed_in_the_order_of_their_data(gather):
    header = {
        "__metadata__": {"format": "np"},
        "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]},
        "a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
    }
    found = gather(safetensors(header, bytes(12)), "m.safetensors")

    assert found.format is Format.SAFETENSORS
    assert [(each.key, each.dtype, each.nbytes) for each in found.tensors] == [
        ("a", "bfloat16", 4),
        ("b", "float32", 8),
    ]
    assert found.damage is None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (safetensors({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, bytes(5)), Break.TRUNCATED),
        (safetensors({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, bytes(4)), Break.SIZE_MISMATCH),
        (safetensors({"a": {"dtype": "F99", "shape": [2], "data_offsets": [0, 4]}}, bytes(4)), Break.BAD_HEADER),
        (safetensors({"a": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 4]}}, bytes(4)), Break.BAD_HEADER),
        (safetensors({"a": 1}, bytes(4)), Break.BAD_HEADER),
        (safetensors(b'{"a": ' + b"[" * 100_000), Break.BAD_HEADER),
        (safetensors(b'{"a": 1}')[:12], Break.TRUNCATED),
    ],
)
def test_safetensors_that_make_no_sense(gather, data, why):
    assert gather(data, "m.safetensors").damage.kind is why


# Paths


def complaint(path: Path) -> InputError:
    with pytest.raises(InputError) as raised:
        gather_checkpoint(path)
    return raised.value


def test_a_file_that_is_not_there(tmp_path):
    text = complaint(tmp_path / "none.pdparams").text

    assert "There is no file" in text.en
    assert "不存在" in text.zh


def test_a_name_so_long_that_no_suffix_fits(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        gather_checkpoint(tmp_path / ("x" * 250))


def test_a_name_without_its_suffix_is_understood(tmp_path):
    (tmp_path / "model.pdparams").touch()

    assert "Did you mean" in complaint(tmp_path / "model").text.en


def test_a_folder_is_no_checkpoint_but_may_hold_some(tmp_path):
    assert "There is no checkpoint file in it" in complaint(tmp_path).text.en

    (tmp_path / "model.pdparams").touch()

    assert "It holds model.pdparams" in complaint(tmp_path).text.en


@pytest.mark.skipif(sys.platform == "win32", reason="devices are files on POSIX")
def test_a_device_is_no_file():
    assert "not a regular file" in complaint(Path("/dev/zero")).text.en


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "model.pdparams"
    path.write_bytes(b"x")
    path.chmod(0)

    assert "Cannot read" in complaint(path).text.en


def test_a_path_with_a_nul_byte():
    assert "Cannot read" in complaint(Path("a\0b")).text.en


def test_a_file_of_a_terabyte_is_looked_at_in_no_time(tmp_path):
    path = tmp_path / "model.pdparams"
    with path.open("wb") as file:
        file.write(b"\x80\x04\x8e" + struct.pack("<Q", 1 << 40))
        file.truncate((1 << 40) + 12)
        file.seek(-1, os.SEEK_END)
        file.write(b".")

    assert gather_checkpoint(path).damage is None
