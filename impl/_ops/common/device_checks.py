"""The rules between devices: nothing moves by itself, but one number on the CPU."""

from collections.abc import Iterable, Sequence

from ..._devices.device import CPU, META, device
from ..._runtime.errors import check
from ..._tensor.tensor import Tensor


def common_device(tensors: Sequence[Tensor], *, numbers: bool = True) -> device:
    """Return the device where operands are put together.

    What lies on another has to be one number on the CPU, without dimensions, where ``numbers`` may come from
    there.
    """
    places = [each._geometry.device for each in tensors]
    if META in places:
        return _common_with_meta(tensors, numbers)
    found = next((where for where in places if where is not CPU), CPU)
    for each, where in zip(tensors, places, strict=True):
        is_number = numbers and where is CPU and not each._geometry.rank
        check(where is found or is_number, lambda: apart(found, where))  # noqa: B023
    return found


def apart(common: device, other: device) -> str:
    """Return what torch says of tensors on two devices (aten/src/ATen/TensorIterator.cpp)."""
    return (
        "Expected all tensors to be on the same device, but found at least two devices,"
        f" {common} and {other}!"
    )


def _common_with_meta(tensors: Sequence[Tensor], numbers: bool) -> device:
    """Return the device of operands of which some are on meta (check_same_device in torch/_prims_common)."""
    found = None
    for each in tensors:
        device = each._geometry.device
        if numbers and device is CPU and not each._geometry.rank:
            continue
        if found is None:
            found = device
        elif found is not device:
            raise RuntimeError(f"Tensor on device {device} is not on the expected device {found}!")
    return found or CPU


def check_together(kernel: str, name: str, tensors: Iterable[Tensor], out: Tensor | None) -> None:
    """Refuse tensors on several CUDA devices, or on one and on the CPU, for a kernel that takes no numbers.

    ``name`` is what it calls them (common_device_check_failure in aten/src/ATen/core/adaption.cpp).
    """
    given = [(name, each) for each in tensors]
    if out is not None:
        given.append(("out", out))
    common = given[0][1]._geometry.device
    if all(each._geometry.device is common for _, each in given):
        return
    for argument, each in given:
        device = each._geometry.device
        check(
            device is common or META in (device, common),
            lambda: (
                f"Expected all tensors to be on the same device, but got {argument} is on {device},"  # noqa: B023
                f" different from other tensors on {common} (when checking argument in method {kernel})"
            ),
        )


def check_writes_to(out: Tensor, device: device) -> None:
    """Refuse to write what is computed on a device to another one."""
    own = out._geometry.device
    if own is device:
        return
    check(
        META in (own, device), lambda: apart(*((own, device) if device is CPU else (device, own)))
    )
    raise RuntimeError(
        f"Attempting to copy from device {device} to device {own}, but cross-device copies are not"
        " allowed!"
    )


def check_place_of(out: Tensor, device: device) -> None:
    """Refuse an ``out`` on another device, for an operator that resizes it before it looks at anything else."""
    own = out._geometry.device
    if own is device or own is META:
        return
    if device is META:
        check_writes_to(out, device)
    raise RuntimeError(f"Expected out tensor to have device {device}, but got {own} instead")


def check_index(tensor: Tensor, index: Tensor) -> None:
    """Refuse to take elements by places that are on another device than the tensor, and not on the CPU either."""
    own, device = tensor._geometry.device, index._geometry.device
    check(
        device in (CPU, own) or META in (own, device),
        lambda: (
            f"indices should be either on cpu or on the same device as the indexed tensor ({own})"
        ),
    )


def check_counts(tensor: Tensor) -> None:
    """Refuse to count the elements that are not zero where there are none."""
    check(
        tensor._geometry.device is not META,
        lambda: (
            "The register_meta function for torch.nonzero() raises unimplemented by default, as a"
            " correct data-independent implementation does not exist. This implementation returns a"
            " fake value, assuming all elements of the tensor are non-zero. To enable this"
            " registration, please set 'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero'"
            " to True."
        ),
        NotImplementedError,
    )


def check_has_numbers(tensor: Tensor) -> None:
    """Refuse to make a Python number of what has no elements."""
    check(
        tensor._geometry.device is not META,
        lambda: "Tensor.item() cannot be called on meta tensors",
    )
