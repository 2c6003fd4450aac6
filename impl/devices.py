"""torch.device: where a tensor's memory lies."""

import re
from typing import Any

from .errors import check
from .signatures import ABSENT, Parser, positional, register
from .torch_class import TorchClass, called_type, fill

DEVICE_TYPES = (
    "cpu", "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip", "fpga", "maia", "xla", "vulkan",
    "metal", "xpu", "mps", "meta", "hpu", "ve", "lazy", "ipu", "mtia", "privateuseone",
)  # fmt: skip
"""The types of devices, in the order of their numbers (c10/core/DeviceType.h)."""

_LISTED = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan,"
    " mps, meta, hpu, mtia, privateuseone"
)
_STRING = re.compile(r"([a-zA-Z_]+)(?::(0|[1-9][0-9]*))?", re.ASCII)


@called_type
class _DeviceClass(TorchClass):
    """The metaclass of `device`, which lets it be called."""

    def __call__(self, kind: Any = ABSENT, /, *extra: Any, **keywords: Any) -> "device":
        if not extra and not keywords and type(kind) is str and kind in _BY_STRING:
            return _BY_STRING[kind]
        which, bound = _parse.choose(positional(kind, extra), keywords)
        if which == 0:
            return as_device(bound[0])
        given = len(extra) > 0 or keywords.get("index") is not None
        return _device(bound[0], bound[1] if given and extra[:1] != (None,) else None)


class device(metaclass=_DeviceClass):
    """device(type, index=None): a kind of device, and which one of that kind.

    >>> import impl as torch
    >>> torch.device("cuda:1"), torch.device("cpu").index
    (device(type='cuda', index=1), None)
    """

    __slots__ = ("_hash", "index", "type")

    _hash: int
    type: str
    index: int | None

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index % 2**16}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(other) is device and self._hash == other._hash

    def __lt__(self, other: object) -> bool:
        check(type(other) is not device, lambda: "comparison not implemented", TypeError)
        return NotImplemented

    __le__ = __gt__ = __ge__ = __lt__

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        return device, (self.type,) if self.index is None else (self.type, self.index)


def _make(kind: str, ordinal: int) -> device:
    """Make a device of an ordinal that wraps around at eight bits, where -1 stands for none."""
    ordinal = (ordinal + 128) % 256 - 128
    new = object.__new__(device)
    fill(
        new,
        type=kind,
        index=None if ordinal == -1 else ordinal,
        # Both numbers are hashed, and the ordinal is printed, as unsigned ones.
        _hash=DEVICE_TYPES.index(kind) << 16
        | (ordinal % 2**8 if ordinal == -1 else ordinal % 2**16),
    )
    return new


CPU = _make("cpu", -1)
META = _make("meta", -1)
_BY_STRING = {"cpu": CPU, "meta": META}


def parse_device(text: str) -> device:
    """Read a device string: a type, and perhaps a colon and an ordinal (c10/core/Device.cpp)."""
    known = _BY_STRING.get(text)
    if known is not None:
        return known
    check(text, lambda: "Device string must not be empty")
    found = _STRING.fullmatch(text)
    check(found, lambda: f"Invalid device string: '{text}'")
    assert found is not None
    kind, digits = found.groups()
    check(
        kind in DEVICE_TYPES and kind in _LISTED.split(", "),
        lambda: f"Expected one of {_LISTED} device type at start of device string: {kind}",
    )
    ordinal = -1 if digits is None else int(digits)
    check(
        ordinal < 2**31,
        lambda: f"Could not parse device index '{digits}' in device string '{text}'",
    )
    new = _make(kind, ordinal)
    if len(_BY_STRING) < 1000:
        _BY_STRING[text] = new
    return new


def as_device(value: Any) -> device:
    """Return a device for what torch takes as one: a device, a string or an ordinal."""
    if type(value) is device:
        return value
    if isinstance(value, str | bytes):
        return parse_device(value if isinstance(value, str) else value.decode())
    check(value >= 0, lambda: "Device index must not be negative")
    raise RuntimeError("Cannot access accelerator device when none is available.")


def _device(kind: str, index: int | None) -> device:
    parsed = parse_device(kind)
    if index is None:
        return parsed
    check(
        parsed.index is None,
        lambda: (
            f"type (string) must not include an index because index was passed explicitly: {kind}"
        ),
    )
    check(index >= 0, lambda: "Device index must not be negative")
    return _make(parsed.type, index)


register("Device", device, convert=as_device)

_parse = Parser("device(Device device)", "device(string type, int64_t? index=-1)")
