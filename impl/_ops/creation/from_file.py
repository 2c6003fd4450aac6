"""from_file: tensors over memory-mapped files (aten/src/ATen/native/TensorFactories.cpp)."""

from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.mapped_file import mapped_bytes
from ..._devices.availability import resolve_device
from ..._devices.device import META
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import Kind, as_dtype, spec_of
from ..._geometry.extents import INT64_END
from ..._geometry.geometry import dense
from ..._geometry.layout import jagged, strided
from ..._runtime.device_modes import without_device_mode
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._storage.untyped_storage import check_named_device, mapped_storage
from ..._tensor.factories import OPTIONS
from ..._tensor.out_autograd import set_requires_grad_if
from ..._tensor.sparse_missing import could_not_run, sparse_backend
from ..._tensor.tensor import Tensor, new_tensor

_parse_from_file = Parser(
    f"from_file(std::string filename, bool? shared=None, int64_t? size=0, *, {OPTIONS})"
)


@without_device_mode
def from_file(*args: Any, **keywords: Any) -> Tensor:
    """from_file(filename, shared=None, size=0, *, dtype=None, ...): map a file to memory.

    Return a 1-dim tensor of ``size`` elements.  Writes to a shared one change the file.
    """
    signature, values = _parse_from_file.match(args, keywords)
    check_named_device(signature, values)
    filename, shared, size, dtype, layout, device, pin, grad = signature.convert(values)
    device = resolve_device(device, "from_file")
    if layout not in (None, strided, jagged):
        raise could_not_run("from_file", sparse_backend(device, layout))
    dtype = get_default_dtype() if dtype is None else as_dtype(dtype)
    if spec_of(dtype).kind is Kind.QUANTIZED:
        raise could_not_run("from_file", "QuantizedCPU")
    check(device is not META, lambda: _NO_META_KERNEL, NotImplementedError)
    check(not pin, lambda: "tensors constructed from a file cannot be pinned")
    size = size or 0
    nbytes = (size * dtype.itemsize + INT64_END) % (2 * INT64_END) - INT64_END
    array = mapped_bytes(filename, nbytes, shared=bool(shared))
    storage = mapped_storage(array, filename if shared else None)
    return set_requires_grad_if(new_tensor(storage, dense((size,)), 0, dtype), grad)


_NO_META_KERNEL = (
    "aten::from_file: attempted to run this operator with Meta tensors, but there was no fake impl"
    " or Meta kernel registered. You may have run into this message while using an operator with"
    " PT2 compilation APIs (torch.compile/torch.export); in order to use this operator with those"
    " APIs you'll need to add a fake impl. Please see the following for next steps: "
    " https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
)

PUBLIC["from_file"] = from_file
