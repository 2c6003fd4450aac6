"""silu and gelu, the operators of torch.nn.functional (ATen/native/Activation.cpp).

Their kernels are in ATen/native/cpu/Activation.cpp; narrow floats are rounded once.
"""

from typing import Any

from ..._kernels import unary
from ..._kernels.elementwise import ByKind
from ..._runtime.errors import check
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import Tensor
from ..common.array_plans import with_array_plans
from .binding import Overload, function_of
from .fast_path_unary import with_fast_path, with_inplace_fast_path
from .iterator import Operator
from .plan import COMPLEX, FLOATS, Plan, Pointwise, Result


class _WithoutComplexGradient(Operator):
    """An operator that has complex kernels, but no complex gradient."""

    __slots__ = ()

    def _check_kernel(self, plan: Plan) -> None:
        super()._check_kernel(plan)
        plan.checked = plan.checked and not plan.result_dtype.is_complex

    def _has_complex_gradient(self, plan: Plan) -> bool:
        return not plan.result_dtype.is_complex


_SILU = _WithoutComplexGradient(
    Pointwise(
        "silu",
        "silu_cpu",
        FLOATS | COMPLEX,
        ByKind(unary.silu, complex=unary.complex_silu),
        "SiluBackward0",
        Result.SAME,
    )
)
silu = with_fast_path(
    _SILU,
    function_of("silu", Overload("", _SILU, out=False), "Return each element times its sigmoid."),
)
silu_ = with_inplace_fast_path(
    _SILU,
    function_of(
        "silu_", Overload("", _SILU.inplace, out=False), "Multiply each element by its sigmoid."
    ),
)

_GELU = {
    name: Operator(
        Pointwise("gelu", "GeluKernelImpl", FLOATS, ByKind(kernel), "GeluBackward0", Result.SAME)
    )
    for name, kernel in (("none", unary.gelu), ("tanh", unary.gelu_by_tanh))
}


def _gelu(tensor: Tensor, approximate: str, out: Tensor | None = None) -> Tensor:
    check(approximate in _GELU, lambda: "approximate argument must be either none or tanh.")
    return _GELU[approximate](tensor, out=out)


_OVERLOAD = Overload(
    '*, c10::string_view approximate="none"', with_gradient_check(_gelu, gradient_check("gelu"))
)
gelu: Any = with_array_plans(
    function_of(
        "gelu", _OVERLOAD, "Return each element times the cumulative normal distribution at it."
    ),
    _OVERLOAD,
)
