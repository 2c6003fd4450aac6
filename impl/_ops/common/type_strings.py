"""The names of tensor types in torch's C++ messages (DeprecatedTypeProperties.cpp)."""

from ..._devices.device import META
from ..._dtypes.table import Kind, spec_of
from ..._tensor.tensor import Tensor

_WITH_LEGACY_NAME = ("Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double")


def type_string(tensor: Tensor) -> str:
    """Return the name of a tensor's type in torch's C++ messages."""
    spec, device = spec_of(tensor._dtype), tensor._geometry.device
    is_cuda, is_sparse = device.index is not None, tensor.is_sparse
    if spec.cpp_name in _WITH_LEGACY_NAME and device is not META:
        return f"torch.{'cuda.' * is_cuda}{'sparse.' * is_sparse}{spec.cpp_name}Tensor"
    backend = "Meta" if device is META else "CUDA" if is_cuda else "CPU"
    prefix = "Sparse" * is_sparse + "Quantized" * (spec.kind is Kind.QUANTIZED)
    return f"{prefix}{backend}{spec.cpp_name}Type"
