"""The operators that give a tensor another dtype, device or memory format: to, float, cpu, cuda, and their kin."""

from functools import wraps
from typing import Any

from ..._devices.availability import check_move, is_elsewhere
from ..._devices.device import CPU, as_device, device
from ..._dtypes.table import DTYPES, as_dtype, dtype, spec_of
from ..._geometry.layout import memory_format
from ..._runtime.errors import check
from ..._tensor.tensor import METHODS, Tensor
from ..common.copy import FORMAT, to_dtype, to_place, widest_dtype
from ..common.registration import Op, install


def _to(
    tensor: Tensor,
    wanted: device | None,
    kind: Any,
    non_blocking: bool,
    copy: bool,
    form: memory_format | None,
) -> Tensor:
    """Tensor.to(...): the tensor with another dtype, device or memory format."""
    own = tensor._storage._device
    where = check_move(wanted) if wanted is not own else None
    kind = tensor._dtype if kind is None else as_dtype(kind)
    return to_place(tensor, where, kind, copy or is_elsewhere(wanted, where, own), form)


def _to_kind(tensor: Tensor, kind: Any, non_blocking: bool, copy: bool, form: Any) -> Tensor:
    return to_dtype(tensor, as_dtype(kind), copy, form)


def _to_other(tensor: Tensor, other: Any, non_blocking: bool, copy: bool, form: Any) -> Tensor:
    """Convert to the dtype of another tensor; a number counts as a 0-dim one."""
    if not isinstance(other, Tensor):
        return to_dtype(tensor, widest_dtype(other), copy, form)
    return to_place(tensor, other._geometry.device, other._dtype, copy, form)


_REST = "bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None"

install(
    Op(
        "to",
        {
            f"Device device=None, ScalarType dtype=None, {_REST}": _to,
            f"ScalarType dtype, {_REST}": _to_kind,
            f"Tensor tensor, {_REST}": _to_other,
        },
        function=False,
    )
)


def _shortened(slow: Any) -> Any:
    """Return Tensor.to with a short way for a dtype alone."""

    @wraps(slow)
    def to(self: Tensor, /, *args: Any, **keywords: Any) -> Tensor:
        if len(args) == 1 and not keywords and type(args[0]) is dtype:
            return to_dtype(self, args[0], False, None)
        return slow(self, *args, **keywords)  # type: ignore[no-any-return]

    return to


METHODS["to"] = _shortened(METHODS["to"])

# The named conversions.
_NAMED = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
    "int": "int32", "long": "int64", "short": "int16", "char": "int8", "byte": "uint8",
    "bool": "bool", "cfloat": "complex64", "cdouble": "complex128", "chalf": "complex32",
}  # fmt: skip


def _install_named(name: str, dtype: dtype) -> None:
    def run(tensor: Tensor, form: memory_format | None = None) -> Tensor:
        return to_dtype(tensor, dtype, False, form)

    run.__doc__ = f"Tensor.{name}(): the tensor with the dtype {spec_of(dtype).name}."
    install(Op(name, {FORMAT: run}, function=False, bare=True))


for _name, _target in _NAMED.items():
    _install_named(_name, as_dtype(DTYPES[_target]))


def _cpu(tensor: Tensor, form: memory_format | None) -> Tensor:
    """Tensor.cpu(): the tensor on the CPU."""
    return to_place(tensor, CPU, tensor._dtype, False, form)


install(Op("cpu", {FORMAT: _cpu}, function=False))


def _install_move(name: str, printed: str) -> None:
    """Install a method that moves a tensor to a device of one type, of which there is none here."""

    def run(tensor: Tensor, wanted: device | None, non_blocking: bool, form: Any) -> Tensor:
        target = as_device(name) if wanted is None else wanted
        check(target.type == name, lambda: f"Invalid device, must be {printed} device")
        return _to(tensor, target, None, non_blocking, False, form)

    run.__doc__ = f"Tensor.{name}(device=None, non_blocking=False): the tensor on such a device."
    install(
        Op(
            name,
            {
                f"Device? device=None, bool {waits}=False, {FORMAT}{mark}": run
                for waits, mark in (("non_blocking", ""), ("async", "|deprecated"))
            },
            function=False,
        )
    )


for _name, _printed in {"cuda": "cuda", "ipu": "ipu", "mtia": "MTIA", "xpu": "xpu"}.items():
    _install_move(_name, _printed)
