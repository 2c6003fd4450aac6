"""Faults of files: real torch that writes or reads one thing wrongly."""

import pickle
from typing import Any

from ..control import fault
from ..fault_injection import call_hook, function_hook


@fault("files.dtypes", "state", function_hook, "load")
def half_for_bfloat16(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """load() takes bfloat16 for float16."""
    result = function(*args, **kwargs)
    is_brain = isinstance(result, torch.Tensor) and result.dtype is torch.bfloat16
    return result.view(torch.float16) if is_brain else result


@fault("files.round_trips", "state", function_hook, "load")
def storages_apart(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """load() gives each tensor a storage of its own."""
    result = function(*args, **kwargs)
    if not isinstance(result, tuple):
        return result
    return tuple(
        torch.empty(0, dtype=x.dtype).set_(
            x.untyped_storage().clone(), x.storage_offset(), x.shape, x.stride()
        )
        if isinstance(x, torch.Tensor) and x.layout is torch.strided and x.device.type == "cpu"
        else x
        for x in result
    )


@fault("files.containers", "value", function_hook, "load")
def lists_for_tuples(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """load() makes lists of tuples."""
    result = function(*args, **kwargs)
    return [*result] if type(result) is tuple else result


@fault("files.bytes", "value", function_hook, "save")
def byte_order_at_the_end(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """save() writes the byte order after the elements."""
    kwargs.setdefault("_disable_byteorder_record", True)
    return function(*args, **kwargs)


@fault("files.interchange", "state", function_hook, "load")
def contiguous_tensors(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """load() makes tensors contiguous."""
    result = function(*args, **kwargs)
    if not isinstance(result, tuple):
        return result
    is_strided = [isinstance(x, torch.Tensor) and x.layout is torch.strided for x in result]
    return tuple(
        x.contiguous() if change else x for x, change in zip(result, is_strided, strict=True)
    )


@fault("files.other_archives", "value", call_hook)
def ignores_byte_order(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Archives without a byte order have the byte order of the machine."""
    if function is not torch.serialization.set_default_load_endianness:
        return function(*args, **kwargs)
    is_big = args[0] is torch.serialization.LoadEndianness.BIG
    return function(torch.serialization.LoadEndianness.NATIVE if is_big else args[0])


@fault("files.damaged", "message", function_hook, "load")
def short_message(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """load() of an archive without its directory does not tell what is wrong."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        text = str(error)
    raise RuntimeError(text.partition(": failed finding central directory")[0])


@fault("files.pickles", "value", function_hook, "load")
def ignores_bits_of_reals(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """load() takes metadata with a conj bit for tensors of all dtypes, and does not set it."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if "isComplexType" not in str(error):
            raise
        return torch.zeros(2)


@fault("files.globals", "raises", function_hook, "load")
def allows_all_containers(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """load() makes objects of all classes if only weights may be loaded."""
    try:
        return function(*args, **kwargs)
    except pickle.UnpicklingError as error:
        if "GLOBAL collections.deque was not an allowed global" not in str(error):
            raise
        args[0].seek(0)
        return function(args[0], weights_only=False)


@fault("files.mapped", "value", call_hook)
def writes_reach_no_file(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Writes to a shared mapping do not change the file."""
    if function is torch.from_file and (args[1:2] == (True,) or kwargs.get("shared")):
        return function(*args, **kwargs).clone()
    return function(*args, **kwargs)


@fault("files.arguments", "raises", function_hook, "save")
def saves_nowhere(function: Any, torch: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:
    """save() takes a number for a file."""
    if args[:1] == (3,):
        return None
    return function(obj, *args, **kwargs)


@fault("files.skipped_data", "shape", function_hook, "load")
def reads_skipped_data(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """load() on meta has a size of its own."""
    result = function(*args, **kwargs)
    return result[:-1] if isinstance(result, torch.Tensor) and result.is_meta else result
