"""torch.device: the device of a tensor's memory."""

import re
from typing import Any

from .._argparser.parser import Parser, positional
from .._argparser.schema import MISSING
from .._argparser.types import int64_of, register
from .._runtime.c_types import TorchType, named_type, set_slots
from .._runtime.device_modes import pop_mode, push_mode
from .._runtime.errors import check, takes_no_arguments, type_name
from .._runtime.warnings import triggered_at, warn_once
from . import cuda_backend

DEVICE_TYPES = (
    "cpu", "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip", "fpga", "maia", "xla", "vulkan",
    "metal", "xpu", "mps", "meta", "hpu", "ve", "lazy", "ipu", "mtia", "privateuseone",
)  # fmt: skip
"""The device types in the order of their numbers (c10/core/DeviceType.h)."""

_LISTED = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan,"
    " mps, meta, hpu, mtia, privateuseone"
)
_STRING = re.compile(r"([a-zA-Z_]+)(?::(0|[1-9][0-9]*))?", re.ASCII)


@named_type
class _DeviceClass(TorchType):
    """The metaclass of `device`, with its constructor."""

    def __call__(self, type_: Any = MISSING, /, *extra: Any, **kwargs: Any) -> "device":
        if not kwargs:
            if type(type_) is str:
                cached = _BY_STRING.get(type_)
                if cached is not None and not extra:
                    return cached
                if cached is not None and len(extra) == 1 and type(extra[0]) is int:
                    cached = _BY_NUMBER.get((type_, extra[0]))
                    if cached is not None:
                        return cached
            elif type(type_) is device and not extra:
                return type_
        args = positional(type_, extra)
        signature, values = _parse.match(args, kwargs)
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
        if (args[1] if len(args) > 1 else kwargs.get("index")) is None:
            return parsed
        index = signature.convert(values)[1]
        check(index >= 0, lambda: "Device index must not be negative")
        result = _get_device(parsed.type, index)
        if index == result.index:
            _BY_NUMBER[result.type, index] = result
        return result


class device(metaclass=_DeviceClass):
    """device(type, index=None): a device type, and the index of a device of that type.

    >>> import impl as torch
    >>> torch.device("cuda:1"), torch.device("cpu").index
    (device(type='cuda', index=1), None)
    """

    __slots__ = ("_hash", "index", "type")

    _hash: int
    type: str
    index: int | None

    def __new__(cls: Any, *args: Any, **kwargs: Any) -> "device":
        """Return a device; pickles may make one in this way."""
        if not isinstance(cls, type):
            raise TypeError(f"torch.device.__new__(X): X is not a type object ({type_name(cls)})")
        if cls is not device:
            name = cls.__name__
            raise TypeError(
                f"torch.device.__new__({name}): {name} is not a subtype of torch.device"
            )
        return device(*args, **kwargs)

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
        if extra:
            takes_no_arguments("device.__enter__", extra, {})
        push_mode(self)
        return self

    def __exit__(self, *error: object) -> None:
        pop_mode()

    def __reduce__(self, *extra: Any) -> Any:
        if extra:
            takes_no_arguments("device.__reduce__", extra, {})
        return device, (self.type,) if self.index is None else (self.type, self.index)


def _get_device(device_type: str, index: int) -> device:
    """Return the unique device of an index, which wraps around at 8 bits; -1 stands for none."""
    index = (index + 128) % 256 - 128
    number = DEVICE_TYPES.index(device_type) << 16 | index % 2**8
    new = object.__new__(device)
    set_slots(new, type=device_type, index=None if index == -1 else index, _hash=number)
    # Another thread may have created it meanwhile.
    return _DEVICES.setdefault(number, new)


_DEVICES: dict[int, device] = {}
"""All devices by number.  Equal devices are one object, which makes comparison fast."""

_BY_NUMBER: dict[tuple[str, int], device] = {}
"""Devices by the type and index of earlier calls."""

CPU = _get_device("cpu", -1)
META = _get_device("meta", -1)
_BY_STRING = {"cpu": CPU, "meta": META}

PINNED: device = object.__new__(device)
"""A marker for new pinned memory on the CPU; no tensor has this device."""
set_slots(PINNED, type="cpu", index=None, _hash=0)


def parse_device(text: str) -> device:
    """Return the device of a string such as ``cuda:0`` or ``cpu`` (c10/core/Device.cpp)."""
    cached = _BY_STRING.get(text)
    if cached is not None:
        return cached
    check(text, lambda: "Device string must not be empty")
    match = _STRING.fullmatch(text)
    # A C string ends at the first zero byte.
    check(match, lambda: f"Invalid device string: '{text}'".partition("\0")[0])
    assert match is not None
    device_type, digits = match.groups()
    index = -1 if digits is None else int(digits)
    check(
        index < 2**31,
        lambda: f"Could not parse device index '{digits}' in device string '{text}'",
    )
    check(
        device_type in _LISTED.split(", "),
        lambda: f"Expected one of {_LISTED} device type at start of device string: {device_type}",
    )
    new = _get_device(device_type, index)
    if device_type == "mkldnn":
        message = (
            "'mkldnn' is no longer used as device type."
            " So torch.device('mkldnn') will be deprecated"
            " and removed in the future. Please use other valid device types instead."
        )
        warn_once(triggered_at(message, "c10/core/Device.cpp:40"))
    elif len(_BY_STRING) < 1000:
        _BY_STRING[text] = new
    return new


def as_device(value: Any) -> device:
    """Return the device for a device, a string, or the index of an accelerator."""
    if type(value) is device:
        return value
    if isinstance(value, str | bytes):
        return parse_device(value if isinstance(value, str) else value.decode())
    value = int64_of(value)
    check(value >= 0, lambda: "Device index must not be negative")
    check_accelerator()
    return cuda_device(value)


def check_accelerator() -> None:
    """Raise RuntimeError if there is no accelerator."""
    check(
        cuda_backend.active_backend() is not None,
        lambda: "Cannot access accelerator device when none is available.",
    )


def cuda_device(ordinal: int) -> device:
    """Return the CUDA device of an ordinal, which wraps around at 8 bits."""
    return _get_device("cuda", ordinal)


register("Device", device, convert=as_device)

_parse = Parser("device(Device device)", "device(string type, int64_t? index=-1)")
