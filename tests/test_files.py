"""torch.save, torch.load and memory-mapped files, beside two files that torch wrote."""

import io
import mmap
import os
import pickle
import zipfile
from collections import OrderedDict, deque
from pathlib import Path

import numpy as np
import pytest

import impl as torch
from impl._serialization import locations
from impl._serialization.serialization_id import serialization_id
from impl.testing import simulated_cuda

GOLDEN = Path(__file__).parent / "golden"


def saved(obj, **options):
    file = io.BytesIO()
    torch.save(obj, file, **options)
    file.seek(0)
    return file


def checkpoint():
    x = torch.arange(6.0).view(2, 3)
    half = torch.tensor([1.5, -0.0], dtype=torch.bfloat16)
    return {"x": x, "views": [x[1], x.t()], "half": half, "step": 3}


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("name", ["checkpoint.pt", "legacy.pt"])
def test_a_file_of_torch_is_loaded(name, weights_only):
    loaded = torch.load(GOLDEN / name, weights_only=weights_only)
    assert [*loaded] == ["x", "views", "half", "step"]
    row, transposed = loaded["views"]
    assert loaded["x"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (row.storage_offset(), transposed.stride(), loaded["step"]) == (3, (1, 3), 3)
    assert loaded["half"].dtype is torch.bfloat16
    assert loaded["half"].view(torch.int16).tolist() == [0x3FC0, -0x8000]
    row.zero_()
    assert transposed.tolist() == [[0, 0], [1, 0], [2, 0]]


def test_a_file_has_the_bytes_of_torchs():
    assert saved(checkpoint()).getvalue() == (GOLDEN / "checkpoint.pt").read_bytes()


@pytest.mark.parametrize("protocol", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("is_zip", [True, False])
def test_each_protocol_has_the_names_of_torch(protocol, is_zip):
    obj = [
        torch.ones(2).to_sparse(),
        torch.float16,
        torch.Size([1]),
        torch.device("cpu"),
        "x" * 300,
    ]
    options = {"pickle_protocol": protocol, "_use_new_zipfile_serialization": is_zip}
    file = saved(obj, **options)
    assert b"impl" not in file.getvalue()
    loaded = torch.load(file, weights_only=False)
    assert loaded[0].to_dense().tolist() == [1, 1]
    assert loaded[1:] == obj[1:]


def test_strings_that_look_like_names_stay():
    text = "cimpl\nfloat32\nq\x00cimpl.serialization\n_rebuild_tensor_v2\n"
    obj = {text: torch.ones(1), "bytes": text.encode()}
    loaded = torch.load(saved(obj), weights_only=False)
    assert [*loaded] == [text, "bytes"]
    assert loaded["bytes"] == text.encode()


def test_the_id_follows_from_names_and_checksums():
    assert serialization_id([], []) == "0" * 40
    path = zipfile.ZipFile(GOLDEN / "checkpoint.pt")
    *records, identifier = path.infolist()
    names = [record.filename.partition("/")[2] for record in records]
    checksums = [record.CRC for record in records if record.file_size]
    assert serialization_id(names, checksums) == path.read(identifier).decode()


def test_a_forbidden_global_is_not_called(monkeypatch):
    called = []
    monkeypatch.setattr(os, "system", called.append)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a/data.pkl", b"\x80\x02cos\nsystem\nX\x01\x00\x00\x00x\x85R.")
        archive.writestr("a/version", b"3\n")
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="whose module os is blocked"):
        torch.load(file)
    file.seek(0)
    torch.serialization.add_safe_globals([os.getcwd])
    with pytest.raises(pickle.UnpicklingError, match="whose module os is blocked"):
        torch.load(file)
    torch.serialization.clear_safe_globals()
    assert not called


def test_only_allowed_globals_are_loaded():
    file = saved(deque())
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL collections\.deque was not an"):
        torch.load(file)
    file.seek(0)
    assert torch.serialization.get_unsafe_globals_in_checkpoint(file) == ["collections.deque"]
    with torch.serialization.safe_globals([deque]):
        file.seek(0)
        assert torch.load(file) == deque()
    assert torch.serialization.get_safe_globals() == []
    for opcode in (b"i", b"\x93", b"o", b"\x82\x01"):  # other ways to name a global
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as target:
            target.writestr("a/data.pkl", b"\x80\x02" + opcode + b"os\nsystem\n.")
            target.writestr("a/version", b"3\n")
        archive.seek(0)
        with pytest.raises(pickle.UnpicklingError, match=f"Unsupported operand {opcode[0]}"):
            torch.load(archive)


def loaded_pickle(opcodes):
    archive = saved(torch.ones(3))
    changed = io.BytesIO()
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            is_pickle = name.endswith("data.pkl")
            target.writestr(name, opcodes if is_pickle else source.read(name))
    changed.seek(0)
    return torch.load(changed)


STORAGE = b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\x000X\3\0\0\0cpuK\3tQ"


@pytest.mark.parametrize(
    ("opcodes", "error", "message"),
    [
        (
            b"ctorch._utils\n_rebuild_tensor_v2\n(%bK\0(K\3t(K\1t\x89N}X\4\0\0\0conj\x88stR.",
            RuntimeError,
            "isComplexType",
        ),
        (
            b"ctorch._utils\n_rebuild_tensor_v2\n(%bK\0(K\3t(K\1t\x89N}X\3\0\0\0negX\0\0\0\0stR.",
            TypeError,
            "_set_tensor_metadata",
        ),
        (b"ctorch._utils\n_rebuild_tensor\n(%bK\0(K\4t(K\1ttR.", RuntimeError, "resiz"),
        (
            b"(%bctorch._utils\n_rebuild_meta_tensor_no_storage\n"
            b"(ctorch\nfloat32\n(J\xff\xff\xff\xfft(K\1t\x89tRt.",
            RuntimeError,
            "negative dimension",
        ),
        (b"(%bctorch.serialization\n_get_layout\n(K\3tRt.", KeyError, "3"),
    ],
)
def test_arguments_in_a_pickle_are_checked(opcodes, error, message):
    with pytest.raises(error, match=message):
        loaded_pickle(b"\x80\2" + opcodes.replace(b"%b", STORAGE))


def test_metadata_names_the_bits():
    pickled = b"ctorch._utils\n_rebuild_tensor_v2\n(%bK\0(K\3t(K\1t\x89N}X\3\0\0\0neg\x89stR."
    loaded = loaded_pickle(b"\x80\2" + pickled.replace(b"%b", STORAGE))
    assert loaded.is_neg()
    assert loaded.tolist() == [-1, -1, -1]


def test_a_mapped_file_is_not_copied(tmp_path):
    path = tmp_path / "large.pt"
    torch.save({"a": torch.zeros(1000), "b": torch.ones(10)}, path)
    loaded = torch.load(path, mmap=True)
    addresses = [x.untyped_storage().data_ptr() for x in loaded.values()]
    position = path.read_bytes().find(np.ones(10, np.float32).tobytes())
    assert (addresses[1] - position) % mmap.PAGESIZE == 0
    assert 4000 <= addresses[1] - addresses[0] < path.stat().st_size
    loaded["a"].fill_(7)
    assert torch.load(path)["a"].sum().item() == 0
    with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
        torch.load(path, mmap=True)["a"].fill_(7)
    assert torch.load(path)["a"].sum().item() == 7000
    with path.open("rb") as file, pytest.raises(ValueError, match="f must be a file path"):
        torch.load(file, mmap=True)


@pytest.mark.parametrize("size", [0, 1, 10, 100, 1900, 1956])
def test_a_truncated_archive_is_refused(size):
    data = (GOLDEN / "checkpoint.pt").read_bytes()[:size]
    with pytest.raises((EOFError, RuntimeError, pickle.UnpicklingError, IndexError)):
        torch.load(io.BytesIO(data))


def test_a_record_of_another_size_is_refused():
    source = zipfile.ZipFile(saved(torch.arange(3.0)))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as target:
        for name in source.namelist():
            target.writestr(name, b"1234" if name.endswith("data/0") else source.read(name))
    file.seek(0)
    with pytest.raises(RuntimeError, match=r"record size \(4 bytes\) does not match"):
        torch.load(file)


def test_a_compressed_archive_of_other_byte_order_is_loaded():
    source = zipfile.ZipFile(saved(torch.tensor([1, 2], dtype=torch.int16)))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, b"big" if name.endswith("byteorder") else source.read(name))
    file.seek(0)
    assert torch.load(file).tolist() == [256, 512]


def test_storages_go_where_map_location_says():
    seen = []

    def move(storage, location):
        seen.append((location, storage.device.type, storage.resizable()))

    x = torch.load(saved([torch.ones(2), torch.ones(2)]), move)[0]
    assert seen == [("cpu", "cpu", False)] * 2
    assert x.device.type == "cpu"
    assert torch.load(saved(x), "meta").device.type == "meta"
    with pytest.raises(RuntimeError, match="tagged with nowhere"):
        torch.load(saved(x), "nowhere")
    with simulated_cuda(2):
        on_cuda = torch.load(saved(x), map_location="cuda:1")
        file = saved(on_cuda)
        assert torch.load(file).device == torch.device("cuda:1")
        file.seek(0)
        assert torch.load(file, map_location={"cuda:1": "cpu"}).tolist() == [1, 1]
        file.seek(0)
        with pytest.raises(RuntimeError, match=r"CUDA device 5 but torch\.cuda\.device_count"):
            torch.load(file, map_location="cuda:5")
    file.seek(0)
    with pytest.raises(RuntimeError, match=r"torch\.cuda\.is_available\(\) is False"):
        torch.load(file)


def test_a_package_adds_locations(monkeypatch):
    monkeypatch.setattr(locations, "_REGISTRY", [*locations._REGISTRY])
    torch.serialization.register_package(
        5,
        lambda storage: "disk" if storage.nbytes() == 24 else None,
        lambda storage, location: storage.clone() if location == "disk" else None,
    )
    file = saved(torch.arange(6.0))
    assert b"disk" in file.getvalue()
    assert torch.load(file).untyped_storage().resizable()


def test_skipped_data_is_a_space():
    with torch.serialization.skip_data():
        file = saved(torch.ones(3))
        assert torch.load(file).shape == (3,)
    file.seek(0)
    assert torch.load(file).tolist() == [0, 0, 0]


def test_what_fails_leaves_an_archive_without_the_object():
    file = io.BytesIO()
    with pytest.raises((pickle.PicklingError, AttributeError)):
        torch.save([torch.ones(1), lambda: 1], file)
    names = ["archive/version", "archive/byteorder", "archive/.data/serialization_id"]
    assert zipfile.ZipFile(file).namelist() == names


def test_two_dtypes_of_one_storage_are_refused():
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        torch.save([x, x.view(torch.int32)], io.BytesIO())


def test_state_and_metadata_are_kept():
    state = OrderedDict(weight=torch.ones(1))
    state._metadata = {"version": 1}
    assert torch.load(saved(state))._metadata == {"version": 1}
    x = torch.ones(2, requires_grad=True)
    x.note = "x"
    loaded = torch.load(saved(x))
    assert loaded.requires_grad
    assert loaded.note == "x"
    z = torch.tensor([1 + 2j]).conj()
    assert torch.load(saved(z)).is_conj()


def test_invalid_sparse_tensors_are_found():
    x = torch.sparse_coo_tensor([[5]], [1.0], (3,), check_invariants=False)
    for is_zip in (True, False):
        file = saved(x, _use_new_zipfile_serialization=is_zip)
        assert torch.load(file).shape == (3,)
        file.seek(0)
        with (
            torch.sparse.check_sparse_tensor_invariants(),
            pytest.raises(RuntimeError, match="size is 3 but found index 5"),
        ):
            torch.load(file)


def test_a_file_is_mapped(tmp_path):
    path = str(tmp_path / "numbers")
    Path(path).write_bytes(np.arange(4, dtype=np.int16).tobytes())
    x = torch.from_file(path, size=4, dtype=torch.int16)
    x.fill_(9)
    assert np.fromfile(path, np.int16).tolist() == [0, 1, 2, 3]
    x = torch.from_file(path, shared=True, size=6, dtype=torch.int16)
    x[4:] = 5
    assert np.fromfile(path, np.int16).tolist() == [0, 1, 2, 3, 5, 5]
    assert x.untyped_storage().filename == path
    assert not x.untyped_storage().resizable()
    assert torch.UntypedStorage.from_file(path, False, 2).tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="is smaller than the required mapping size <14>"):
        torch.from_file(path, size=7, dtype=torch.int16)
    with pytest.raises(RuntimeError, match=r"in read-only mode: No such file or directory \(2\)"):
        torch.from_file(path + "x", size=1)
