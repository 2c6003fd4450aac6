"""How torch's C functions take their arguments, and what they say if they cannot.

A function is called as ``function(*args, **kwargs)``; it takes the usual call
apart by itself, and hands every other to its `Parser`, which either binds the
arguments or raises torch's TypeError.  The rules are those of
torch/csrc/utils/python_arg_parser.cpp.
"""

from typing import Any

from .._runtime.warnings import is_warn_always_enabled, warn_twice
from .error_messages import find_fault, no_signature_fits
from .schema import MISSING, Args, Kwargs, Signature
from .types import ParameterType, register, register_default

__all__ = [
    "MISSING",
    "Args",
    "Kwargs",
    "ParameterType",
    "Parser",
    "Signature",
    "positional",
    "register",
    "register_default",
]


class Parser:
    """The signatures of one function, declared in torch's own notation.

    >>> parse = Parser("promote_types(ScalarType type1, ScalarType type2)")
    >>> parse((1, 2), {})
    Traceback (most recent call last):
    TypeError: promote_types(): argument 'type1' (position 1) must be torch.dtype, not int
    >>> Parser("flatten(int64_t start_dim=0, int64_t end_dim=-1)")((1,), {})
    (1, -1)
    >>> parse = Parser("view(ScalarType dtype)", "view(SymIntArrayRef size)")
    >>> parse.bind((2, 3), {})
    (1, ((2, 3),))
    """

    __slots__ = ("_declarations", "_only", "_tried", "signatures")

    signatures: tuple[Signature, ...]
    _tried: tuple[Signature, ...]
    _only: Signature | None

    def __init__(self, *declarations: str) -> None:
        self._declarations = declarations

    def __getattr__(self, name: str) -> Any:
        # Asked for the first time: the declarations are read only now, to keep importing light.
        if name not in self.__slots__:
            raise AttributeError(name)
        self._read()
        return getattr(self, name)

    def _read(self) -> None:
        self.signatures = tuple(
            Signature(declaration, index) for index, declaration in enumerate(self._declarations)
        )
        # Deprecated signatures are tried last.
        self._tried = tuple(sorted(self.signatures, key=lambda each: each.deprecated))
        self._only = self.signatures[0] if len(self.signatures) == 1 else None

    def __call__(self, args: Args, kwargs: Kwargs) -> Args:
        """Return the values in the order of the parameters of the signature that takes them.

        What was not given has its default.  Lists of ints are tuples of plain
        ints, ints are plain, Scalars are as they came.
        """
        if self._only is not None:
            values = self._only.match(args, kwargs)
            if values is not None:
                return self._only.convert(values)
        return self.bind(args, kwargs)[1]

    def bind(
        self, args: Args, kwargs: Kwargs, at_the_end: list[str] | None = None
    ) -> tuple[int, Args]:
        """Return which signature, in the order of declaration, takes the arguments; and the values.

        ``at_the_end`` takes warnings that are for the end of the call.
        """
        signature, values = self.match(args, kwargs, at_the_end)
        return signature.index, signature.convert(values)

    def match(
        self, args: Args, kwargs: Kwargs, at_the_end: list[str] | None = None
    ) -> tuple[Signature, list[Any]]:
        """Return the signature that takes the arguments, and the values not converted yet.

        This is for functions that look at some values before others are
        converted with `Signature.convert`, as those with ``out=`` do.
        """
        for signature in self._tried:
            values = signature.match(args, kwargs)
            if values is not None:
                if signature.deprecated:
                    self._warn_of(signature, at_the_end)
                return signature, values
            if signature.has_tensor_list and self._only is None:
                fault = find_fault(signature, args, kwargs)
                if fault.final:
                    raise TypeError(fault.message)
        raise TypeError(self._refusal(args, kwargs))

    def _refusal(self, args: Args, kwargs: Kwargs) -> str:
        """Write what torch says: of the one signature that is meant, or else of them all."""
        given = len(args) + len(kwargs)
        plausible = [
            each
            for each in self._tried
            if each is self._only
            or (each.least <= given <= len(each.parameters) and not each.hidden)
        ]
        if len(plausible) == 1:
            return find_fault(plausible[0], args, kwargs).message
        return no_signature_fits(self._tried, args, kwargs)

    def _warn_of(self, deprecated: Signature, at_the_end: list[str] | None) -> None:
        """Warn of a deprecated signature, as torch does: once in a process, whichever it is."""
        if _warned and not is_warn_always_enabled():
            return
        _warned.append(deprecated)
        function = deprecated.function
        better = [f"\n\t{function}{each}" for each in self._tried if not each.hidden]
        if better:
            better.insert(0, "\nConsider using one of the following signatures instead:")
        warn_twice(
            f"This overload of {function} is deprecated:\n\t{function}{deprecated}"
            f"{''.join(better)} (Triggered internally at"
            " /__w/pytorch/pytorch/torch/csrc/utils/python_arg_parser.cpp:1841.)",
            at_the_end,
        )


_warned: list[Signature] = []


def positional(*given: Any) -> Args:
    """Put the positional arguments of a call together again: those named, then the extra ones.

    >>> positional(1, MISSING, ()), positional(1, 2, (3,))
    ((1,), (1, 2, 3))
    """
    *named, extra = given
    return (*(value for value in named if value is not MISSING), *extra)
