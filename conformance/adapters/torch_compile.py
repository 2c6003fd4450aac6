"""torch whose functions are those that torch.compile makes with the backend aot_eager."""

import ast
import builtins
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

import torch
import torch._dynamo as dynamo
import torch._refs as refs

from ..adapter import Adapter

_OF_THE_CALL = re.compile(r": got (\w+)\((.+)\)$", re.MULTILINE)
"""The error of a call that was traced, in the message of the error that wraps it."""


def _set_up() -> None:
    # Each call of a program may be compiled anew; beyond a limit it would not be compiled.
    dynamo.config.recompile_limit = dynamo.config.accumulated_recompile_limit = 10**9
    # They log each error with a traceback.
    for name in ("torch._subclasses.fake_tensor", "torch._dynamo", "torch._functorch"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    compiled = torch.compile(function, backend="aot_eager", dynamic=False)

    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return compiled(*args, **keywords)
        except dynamo.exc.TorchRuntimeError as error:
            raise _unwrapped(error) from None

    return call


def _unwrapped(error: Exception) -> Exception:
    if found := _OF_THE_CALL.search(str(error)):
        with suppress(SyntaxError, ValueError):
            made: Exception = getattr(builtins, found[1])(ast.literal_eval(found[2]))
            return made
    return error


adapter = Adapter(
    torch,
    names={name: _compiled(getattr(torch, name)) for name in refs.__all__ if hasattr(torch, name)},
    setup=_set_up,
    frames=("torch._dynamo", "torch._functorch"),
)
