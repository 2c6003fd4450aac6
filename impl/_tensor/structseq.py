"""The named tuples of functions with several results: torch.return_types.

Torch's are CPython structseqs (torch/csrc/utils/structseq.cpp).  These classes have the same
behavior and repr.
"""

from collections.abc import Iterable
from time import struct_time
from typing import Any, NoReturn

from .._dtypes.cpp_names import TorchNamed, tp_name


class _Field:
    """A read-only named field of a tuple."""

    def __init__(self, index: int, name: str) -> None:
        self.index, self.name = index, name

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else instance[self.index]

    def __set__(self, instance: Any, value: Any) -> NoReturn:
        raise AttributeError("readonly attribute")

    def __delete__(self, instance: Any) -> NoReturn:
        raise AttributeError("readonly attribute")

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner

    def __repr__(self) -> str:
        return f"<member '{self.name}' of '{tp_name(self.owner)}' objects>"


def _new(cls: Any, /, *args: Any, **keywords: Any) -> Any:
    """Return a tuple of the values of a sequence; raise the errors of CPython's structseq."""
    if keywords or len(args) != 1:
        _check_arguments(args, keywords)
    sequence, dict = _bind(*args, **keywords)
    if not isinstance(sequence, Iterable):
        raise TypeError("constructor requires a sequence")
    values = tuple(sequence)
    name = tp_name(cls)
    if dict is not None and type(dict) is not type({}):
        raise TypeError(f"{name}() takes a dict as second arg, if any")
    if len(values) != cls.n_fields:
        raise TypeError(f"{name}() takes a {cls.n_fields}-sequence ({len(values)}-sequence given)")
    return tuple.__new__(cls, values)


def _bind(sequence: Any, dict: Any = None) -> tuple[Any, Any]:
    return sequence, dict


def _check_arguments(args: Any, keywords: Any) -> None:
    """Raise CPython's error if structseq() does not take the arguments, whatever their types."""
    try:
        struct_time(*args, **keywords)
    except TypeError as error:
        if "structseq()" in str(error):
            raise TypeError(str(error)) from None


def _repr(self: Any) -> str:
    fields = [
        f"{name}={value!r}" for name, value in zip(type(self).__match_args__, self, strict=True)
    ]
    return f"{tp_name(type(self))}(\n" + ",\n".join(fields) + ")"


def _structseq(name: str, *fields: str) -> Any:
    """Return a new named tuple class."""

    def refuse_subclass(subclass: type) -> NoReturn:
        raise TypeError(f"type 'torch.return_types.{name}' is not an acceptable base type")

    namespace: dict[str, Any] = {
        "__slots__": (),
        "__new__": _new,
        "__repr__": _repr,
        "__reduce__": lambda self: (type(self), (tuple(self), {})),
        "__init_subclass__": classmethod(refuse_subclass),
        "__match_args__": fields,
        "n_fields": len(fields),
        "n_sequence_fields": len(fields),
        "n_unnamed_fields": 0,
        **{field: _Field(index, field) for index, field in enumerate(fields)},
    }
    return TorchNamed(name, (tuple,), namespace, called=f"torch.return_types.{name}")


def _pair(name: str, *fields: str) -> tuple[Any, Any]:
    """Return the classes of a function's results, without and with out=."""
    return _structseq(name, *fields), _structseq(f"{name}_out", *fields)


linalg_eig, linalg_eig_out = _pair("linalg_eig", "eigenvalues", "eigenvectors")
linalg_eigh, linalg_eigh_out = _pair("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_qr, linalg_qr_out = _pair("linalg_qr", "Q", "R")
linalg_slogdet, linalg_slogdet_out = _pair("linalg_slogdet", "sign", "logabsdet")
linalg_svd, linalg_svd_out = _pair("linalg_svd", "U", "S", "Vh")
max, max_out = _pair("max", "values", "indices")
min, min_out = _pair("min", "values", "indices")
aminmax, aminmax_out = _pair("aminmax", "min", "max")
cummax, cummax_out = _pair("cummax", "values", "indices")
cummin, cummin_out = _pair("cummin", "values", "indices")
frexp, frexp_out = _pair("frexp", "mantissa", "exponent")
histogram, histogram_out = _pair("histogram", "hist", "bin_edges")
kthvalue, kthvalue_out = _pair("kthvalue", "values", "indices")
median, median_out = _pair("median", "values", "indices")
mode, mode_out = _pair("mode", "values", "indices")
nanmedian, nanmedian_out = _pair("nanmedian", "values", "indices")
slogdet, slogdet_out = _pair("slogdet", "sign", "logabsdet")
sort, sort_out = _pair("sort", "values", "indices")
topk, topk_out = _pair("topk", "values", "indices")

__all__ = [
    "all_return_types", "aminmax", "aminmax_out", "cummax", "cummax_out", "cummin", "cummin_out",
    "frexp", "frexp_out", "histogram", "histogram_out", "kthvalue", "kthvalue_out",
    "linalg_eig", "linalg_eig_out", "linalg_eigh", "linalg_eigh_out", "linalg_qr", "linalg_qr_out",
    "linalg_slogdet", "linalg_slogdet_out", "linalg_svd", "linalg_svd_out", "max",
    "max_out", "median", "median_out", "min", "min_out", "mode", "mode_out", "nanmedian",
    "nanmedian_out", "slogdet", "slogdet_out", "sort", "sort_out", "topk", "topk_out",
]  # fmt: skip

all_return_types = [globals()[name] for name in __all__[1:]]
