"""The rules between devices: nothing moves by itself, but one number on the CPU."""

from collections.abc import Iterable

from ..devices import CPU, META, device
from ..errors import check
from ..tensors import Tensor


def common_device(tensors: Iterable[Tensor], *, numbers: bool = True) -> device:
    """Return the device where operands are put together.

    What lies on another has to be one number on the CPU, without dimensions, where ``numbers`` may come from
    there (check_same_device in torch/_prims_common).
    """
    found = None
    for each in tensors:
        where = each._geometry.device
        if numbers and where is CPU and not each._geometry.rank:
            continue
        if found is None:
            found = where
        elif found is not where:
            raise RuntimeError(f"Tensor on device {where} is not on the expected device {found}!")
    return found or CPU


def check_writes_to(out: Tensor, where: device) -> None:
    """Refuse to write what is computed on a device to another one."""
    own = out._geometry.device
    check(
        own is where,
        lambda: (
            f"Attempting to copy from device {where} to device {own}, but cross-device copies are"
            " not allowed!"
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
