"""The argument parser of torch's C functions (torch/csrc/utils/python_arg_parser.cpp).

A function is called as ``function(*args, **kwargs)``.  It handles the usual call
itself and passes every other call to its `Parser`.  The parser binds the arguments
or raises torch's TypeError.
"""

import threading
from collections.abc import Callable
from functools import cached_property, wraps
from itertools import count
from typing import Any

from .._runtime.device_modes import has_device_mode
from .._runtime.torch_function import CALLED_AGAIN, UnrelatedOverride, has_unrelated
from .._runtime.warnings import is_warn_always_enabled, triggered_at, warn, warn_caller, warn_twice
from .error_messages import find_error, no_signature_fits
from .schema import MISSING, Args, Kwargs, Signature
from .types import is_tensor

DECLARATIONS: dict[str, tuple[str, ...]] = {}
"""The declarations of all parsers by the name of the function, with or without its owner."""


class Parser:
    """The parser for the signatures of one function, in torch's notation.

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

    signature_class = Signature

    def __init__(self, *declarations: str, repeats_at_end: bool = False, owner: str = "") -> None:
        """``repeats_at_end`` is whether the functions call `repeat_deprecation` when they end.

        ``owner`` is "torch" or "torch.Tensor" for a function or method of the signatures' name.
        """
        self._declarations = declarations
        name = declarations[0].partition("(")[0] if declarations else ""
        self._name = f"{owner}.{name}" if owner else name
        if self.signature_class is Signature:
            DECLARATIONS[self._name] = declarations
        self._repeats_at_end = repeats_at_end

    @cached_property
    def signatures(self) -> tuple[Signature, ...]:
        """The signatures, which are read on first use; this keeps importing light."""
        return tuple(map(self.signature_class, self._declarations, count()))

    @cached_property
    def _tried(self) -> list[Signature]:
        # Deprecated signatures are tried last.
        return sorted(self.signatures, key=lambda signature: signature.deprecated)

    @cached_property
    def _only(self) -> Signature | None:
        return self.signatures[0] if len(self.signatures) == 1 else None

    def __call__(self, args: Args, kwargs: Kwargs) -> Args:
        """Return the values in the order of the parameters of the matching signature.

        Missing arguments have their defaults.  Lists of ints become tuples of plain
        ints, ints become plain ints, and Scalars are unchanged.
        """
        if self._only is not None:
            values = self._only.match(args, kwargs)
            if values is not None:
                return self._only.convert(values)
        return self.bind(args, kwargs)[1]

    def bind(self, args: Args, kwargs: Kwargs, receiver: object = None) -> tuple[int, Args]:
        """Return the index of the matching signature in declaration order, and the values.

        ``receiver`` is the tensor of a method.
        """
        signature, values = self._match(args, kwargs)
        if not signature.deprecated:
            try:
                return signature.index, signature.convert(values)
            except TypeError:
                self._check_unrelated(args, kwargs)
                raise
        try:
            return signature.index, signature.convert(values)
        finally:
            # Torch shows its own warnings after those of Python's and NumPy's conversions.
            self._warn_deprecated(signature, (receiver, *args))

    def match(self, args: Args, kwargs: Kwargs) -> tuple[Signature, list[Any]]:
        """Return the matching signature, and the values before conversion.

        Functions with ``out=`` read some values before they convert the others
        with `Signature.convert`.
        """
        signature, values = self._match(args, kwargs)
        if signature.deprecated:
            self._warn_deprecated(signature, args)
        return signature, values

    def _match(self, args: Args, kwargs: Kwargs) -> tuple[Signature, list[Any]]:
        for signature in self._tried:
            values = signature.match(args, kwargs)
            if values is not None:
                return signature, values
            if signature.has_tensor_list and self._only is None:
                error = find_error(signature, args, kwargs)
                if error.final:
                    self._check_unrelated(args, kwargs)
                    raise TypeError(error.message)
        self._check_unrelated(args, kwargs)
        raise TypeError(self._error_message(args, kwargs))

    def _check_unrelated(self, args: Args, kwargs: Kwargs) -> None:
        """Raise if an argument may override the function, which is then called again."""
        is_called_again = self._name.startswith("torch.") or self._name in CALLED_AGAIN
        if is_called_again and has_unrelated(*args, **kwargs):
            raise UnrelatedOverride

    def _error_message(self, args: Args, kwargs: Kwargs) -> str:
        """Return torch's message about the one plausible signature, or else about all."""
        given = len(args) + len(kwargs)
        plausible = [
            signature
            for signature in self._tried
            if signature is self._only
            or (signature.least <= given <= len(signature.parameters) and not signature.hidden)
        ]
        if len(plausible) == 1:
            return find_error(plausible[0], args, kwargs).message
        return no_signature_fits(self._tried, args, kwargs)

    def _warn_deprecated(self, deprecated: Signature, args: Args) -> None:
        """Issue torch's warning about a deprecated signature, once per process for all of them.

        A call with a tensor on meta shows it when it ends, after the warnings of torch's reference.
        """
        if not is_warn_always_enabled():
            if _warned:
                return
            _warned.append(deprecated)
        function = deprecated.function
        others = [f"\n\t{function}{other}" for other in self._tried if not other.hidden]
        if others:
            others.insert(0, "\nConsider using one of the following signatures instead:")
        message = (
            f"This overload of {function} is deprecated:\n\t{function}{deprecated}{''.join(others)}"
        )
        message = triggered_at(message, "torch/csrc/utils/python_arg_parser.cpp:1841")
        if self._repeats_at_end and (has_device_mode() or any(map(_is_on_meta, args))):
            if has_device_mode():
                warn(message)
            _TO_REPEAT.messages = [message]
        else:
            warn_twice(message)


def _is_on_meta(argument: Any) -> bool:
    return is_tensor(argument) and bool(argument.is_meta)


_warned: list[Signature] = []


class _ToRepeat(threading.local):
    """The warnings of a thread that are repeated when the call ends."""

    def __init__(self) -> None:
        self.messages: list[str] = []


_TO_REPEAT = _ToRepeat()


def repeat_deprecation(run: Callable[..., Any]) -> Callable[..., Any]:
    """Repeat the warning about a deprecated signature when ``run``, which parses it, ends.

    With a default device torch parses the call twice, and shows the second warning at the end.
    """

    @wraps(run)
    def repeating(*args: Any, **keywords: Any) -> Any:
        of_caller, _TO_REPEAT.messages = _TO_REPEAT.messages, []
        try:
            return run(*args, **keywords)
        finally:
            own, _TO_REPEAT.messages = _TO_REPEAT.messages, of_caller
            for message in own:
                warn_caller(message)

    return repeating


def positional(*arguments: Any) -> Args:
    """Return the positional arguments of a call: the named ones, then the extra ones.

    >>> positional(1, MISSING, ()), positional(1, 2, (3,))
    ((1,), (1, 2, 3))
    """
    *named, extra = arguments
    return (*(value for value in named if value is not MISSING), *extra)
