"""torch.device: where a tensor's memory lies."""

import re
from typing import Any

from .._argparser.parser import Parser, positional
from .._argparser.schema import MISSING
from .._argparser.types import register
from .._runtime.c_types import TorchType, called_type, fill
from .._runtime.device_modes import enter, leave
from .._runtime.errors import check, takes_no_arguments
from .._runtime.warnings import warn_once
from . import cuda_backend

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
class _DeviceClass(TorchType):
    """The metaclass of `device`, which lets it be called."""

    def __call__(self, kind: Any = MISSING, /, *extra: Any, **keywords: Any) -> "device":
        if not keywords:
            if type(kind) is str:
                known = _BY_STRING.get(kind)
                if known is not None and not extra:
                    return known
                if known is not None and len(extra) == 1 and type(extra[0]) is int:
                    known = _BY_NUMBER.get((kind, extra[0]))
                    if known is not None:
                        return known
            elif type(kind) is device and not extra:
                return kind
        extra = positional(kind, extra)
        signature, values = _parse.match(extra, keywords)
        if signature.index == 0:
            return as_device(signature.convert(values)[0])
        parsed = as_device(values[0])
        check(
            parsed.index is None,
            lambda: (
                "type (string) must not include an index because index was passed explicitly:"
                f" {parsed}"
            ),
        )
        if (extra[1] if len(extra) > 1 else keywords.get("index")) is None:
            return parsed
        index = signature.convert(values)[1]
        check(index >= 0, lambda: "Device index must not be negative")
        made = _make(parsed.type, index)
        if index == made.index:
            _BY_NUMBER[made.type, index] = made
        return made


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
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __lt__(self, other: object) -> bool:
        check(type(other) is not device, lambda: "comparison not implemented", TypeError)
        return NotImplemented

    __le__ = __gt__ = __ge__ = __lt__

    def __hash__(self) -> int:
        return self._hash

    def __enter__(self, *extra: Any) -> "device":
        """Let factories of this thread use the device if none is named."""
        if extra:
            takes_no_arguments("device.__enter__", extra, {})
        enter(self)
        return self

    def __exit__(self, *error: object) -> None:
        """Let them use what they used before."""
        leave()

    def __reduce__(self, *extra: Any) -> Any:
        if extra:
            takes_no_arguments("device.__reduce__", extra, {})
        return device, (self.type,) if self.index is None else (self.type, self.index)


def _make(kind: str, ordinal: int) -> device:
    """Return the one device of an ordinal that wraps around at eight bits, where -1 stands for none."""
    ordinal = (ordinal + 128) % 256 - 128
    number = DEVICE_TYPES.index(kind) << 16 | ordinal % 2**8
    new = object.__new__(device)
    fill(new, type=kind, index=None if ordinal == -1 else ordinal, _hash=number)
    # Another thread may have made it meanwhile.
    return _DEVICES.setdefault(number, new)


_DEVICES: dict[int, device] = {}
"""All devices by their numbers: two that are alike are one, so that they are compared fast."""

_BY_NUMBER: dict[tuple[str, int], device] = {}
"""Devices by a type and an ordinal as they were given."""

CPU = _make("cpu", -1)
META = _make("meta", -1)
_BY_STRING = {"cpu": CPU, "meta": META}

PINNED: device = object.__new__(device)
"""Stands for the CPU where memory that is to be made there has to be pinned; nothing lies on it."""
fill(PINNED, type="cpu", index=None, _hash=0)


def parse_device(text: str) -> device:
    """Read a device string: a type, and perhaps a colon and an ordinal (c10/core/Device.cpp)."""
    known = _BY_STRING.get(text)
    if known is not None:
        return known
    check(text, lambda: "Device string must not be empty")
    found = _STRING.fullmatch(text)
    # A C string ends at the first zero.
    check(found, lambda: f"Invalid device string: '{text}'".partition("\0")[0])
    assert found is not None
    kind, digits = found.groups()
    ordinal = -1 if digits is None else int(digits)
    check(
        ordinal < 2**31,
        lambda: f"Could not parse device index '{digits}' in device string '{text}'",
    )
    check(
        kind in DEVICE_TYPES and kind in _LISTED.split(", "),
        lambda: f"Expected one of {_LISTED} device type at start of device string: {kind}",
    )
    new = _make(kind, ordinal)
    if kind == "mkldnn":
        warn_once(_NO_LONGER)
    elif len(_BY_STRING) < 1000:
        _BY_STRING[text] = new
    return new


_NO_LONGER = (
    "'mkldnn' is no longer used as device type. So torch.device('mkldnn') will be deprecated and"
    " removed in the future. Please use other valid device types instead. (Triggered internally at"
    " /__w/pytorch/pytorch/c10/core/Device.cpp:40.)"
)


def as_device(value: Any) -> device:
    """Return a device for what torch takes as one: a device, a string or an ordinal."""
    if type(value) is device:
        return value
    if isinstance(value, str | bytes):
        return parse_device(value if isinstance(value, str) else value.decode())
    check(value >= 0, lambda: "Device index must not be negative")
    check_accelerator()
    return cuda_device(value)


def check_accelerator() -> None:
    """Refuse to go on where there is no accelerator."""
    check(
        cuda_backend.cuda() is not None,
        lambda: "Cannot access accelerator device when none is available.",
    )


def cuda_device(ordinal: int) -> device:
    """Return the CUDA device of an ordinal, which wraps around as all do."""
    return _make("cuda", ordinal)


register("Device", device, convert=as_device)

_parse = Parser("device(Device device)", "device(string type, int64_t? index=-1)")
