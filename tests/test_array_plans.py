"""Calls of known kinds, for which one function of arrays stands in place of all checks."""

import math
import threading
from typing import Any

import pytest

import impl as torch
from impl._ops.elementwise.plan import operand_key

CALLS: dict[str, Any] = {
    "view_copy": lambda x, i: torch.view_copy(x, (2, 6)),
    "as_strided_copy": lambda x, i: torch.as_strided_copy(x, (2, 2), (1, 2), 1),
    "split_copy": lambda x, i: torch.split_copy(x, 2),
    "narrow_copy": lambda x, i: x.narrow_copy(1, 1, 2),
    "select_scatter": lambda x, i: torch.select_scatter(x, x[0], 0, 1),
    "diag_embed": lambda x, i: torch.diag_embed(x, 1),
    "tril": lambda x, i: torch.tril(x, -1),
    "flip": lambda x, i: torch.flip(x, (0,)),
    "roll": lambda x, i: torch.roll(x, 5, 1),
    "hstack": lambda x, i: torch.hstack([x, x[:, :1]]),
    "block_diag": lambda x, i: torch.block_diag(x, x[0], x[0, 0]),
    "cartesian_prod": lambda x, i: torch.cartesian_prod(x[0], x[1]),
    "combinations": lambda x, i: torch.combinations(x[0], 3),
    "vander": lambda x, i: torch.vander(x[0]),
    "clamp": lambda x, i: x.clamp(0.5, 4),
    "lerp": lambda x, i: torch.lerp(x, x.flip(0), 0.25),
    "addcmul": lambda x, i: torch.addcmul(x, x, x, value=3),
    "nan_to_num": lambda x, i: torch.nan_to_num(x),
    "complex": lambda x, i: torch.complex(x, x),
    "where": lambda x, i: torch.where(x > 3, x, x + 1),
    "take": lambda x, i: torch.take(x, i),
    "gather": lambda x, i: x.gather(1, i),
    "take_along_dim": lambda x, i: torch.take_along_dim(x, i, 1),
    "index_select": lambda x, i: x.index_select(1, i[0]),
    "searchsorted": lambda x, i: torch.searchsorted(x[0], x),
    "topk": lambda x, i: x.topk(2),
    "kthvalue": lambda x, i: x.kthvalue(2, 0),
    "median": lambda x, i: (x.median(), *x.median(1)),
    "mode": lambda x, i: x.mode(0, True),
    "sort": lambda x, i: x.sort(1, True),
    "histc": lambda x, i: torch.histc(x, 4),
    "histogram": lambda x, i: torch.histogram(x, 4),
    "quantile": lambda x, i: torch.quantile(x, 0.3, 1),
    "nanquantile": lambda x, i: torch.nanquantile(x, 0.3),
    "logsumexp": lambda x, i: torch.logsumexp(x, 1),
    "trapezoid": lambda x, i: torch.trapezoid(x, dx=0.5),
    "cumulative_trapezoid": lambda x, i: torch.cumulative_trapezoid(x, x[0]),
    "sum": lambda x, i: x.sum(0, keepdim=True),
    "cummax": lambda x, i: x.cummax(1),
    "var_mean": lambda x, i: torch.var_mean(x, 0),
    "max": lambda x, i: x.max(1),
    "min": lambda x, i: x.min(0, True),
    "alpha": lambda x, i: x.add(x, alpha=2),
    "rounding": lambda x, i: torch.div(x, x + 1, rounding_mode="floor"),
    "number first": lambda x, i: torch.float_power(2, x),
    "item": lambda x, i: x[i[0] % 3],
    "items": lambda x, i: x[i[0] % 3, i[1]],
    "slice and item": lambda x, i: x[:2, i],
    "diff": lambda x, i: torch.diff(x, 0),
    "zeros_like": lambda x, i: torch.zeros_like(x),
}
calls = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
differentiable = pytest.mark.parametrize(
    "call", [CALLS[x] for x in ("view_copy", "lerp", "gather", "quantile", "topk", "sum")]
)


def operands() -> tuple[Any, Any]:
    """Return a matrix and indices of its columns."""
    return torch.arange(12.0).reshape(3, 4) % 7, torch.arange(12).reshape(3, 4) * 5 % 4


def facts(results: Any) -> list[Any]:
    """Return what is compared of a result, or of several."""
    results = [results] if isinstance(results, torch.Tensor) else results
    return [
        (
            tensor.tolist(), tensor.dtype, tensor.stride(), tensor.requires_grad,
            None if tensor.is_inference() else tensor._version,
            tensor.untyped_storage().nbytes(), tensor._base is None,
        )
        for tensor in results
    ]  # fmt: skip


@calls
def test_a_call_asked_again_gives_equal_new_tensors(call: Any) -> None:
    first, second, third = (facts(call(*operands())) for _ in range(3))
    assert first == second == third
    x, i = operands()
    results = call(x, i)
    for result in [results] if isinstance(results, torch.Tensor) else results:
        result.fill_(9)
    assert facts(call(*operands())) == first
    assert (x.tolist(), i.tolist()) == tuple(each.tolist() for each in operands())


@calls
def test_a_plan_computes_with_the_elements_of_each_call(call: Any) -> None:
    x, i = operands()
    call(x, i)
    expected = facts(call(x.flip(1), i.flip(0)))
    for changed, source in ((x, x.flip(1)), (i, i.flip(0))):
        changed.copy_(source)
    assert facts(call(x, i)) == expected


@differentiable
def test_a_known_call_records_the_gradients_of_its_operands(call: Any) -> None:
    x, i = operands()
    assert not facts(call(x, i))[0][3]
    assert facts(call(x.requires_grad_(), i))[0][3]
    with torch.no_grad():
        assert not facts(call(x, i))[0][3]


@calls
def test_known_calls_give_the_grad_fn_of_the_first_one(call: Any) -> None:
    x, i = operands()
    seen = [facts_of_nodes(call(x.clone().requires_grad_(), i)) for _ in range(3)]
    assert seen == seen[:1] * 3
    call(x, i)
    for _ in range(2):
        assert {node for node, *_ in facts_of_nodes(call(x, i))} == {None}
        assert facts_of_nodes(call(x.clone().requires_grad_(), i)) == seen[0]
        assert facts_of_nodes(call(torch.nn.Parameter(x), i)) == seen[0]
        with torch.no_grad():
            assert {node for node, *_ in facts_of_nodes(call(x.clone().requires_grad_(), i))} == {
                None
            }


def facts_of_nodes(results: Any) -> list[Any]:
    """Return the class, the name of the grad_fn, and its number of each result."""
    results = [results] if isinstance(results, torch.Tensor) else results
    return [
        (x.grad_fn and x.grad_fn.name(), type(x), x.output_nr, x.requires_grad, x.tolist())
        for x in results
    ]


PRODUCTS: dict[str, Any] = {
    "mm": torch.mm,
    "matmul": torch.matmul,
    "addmm": lambda x, y: torch.addmm(y[0], x, y),
    "linear": torch.nn.functional.linear,
    "outer": lambda x, y: torch.outer(x[0], y[0]),
    "dot": lambda x, y: torch.dot(x[0], y[0]),
}


@pytest.mark.parametrize("call", PRODUCTS.values(), ids=PRODUCTS)
def test_known_products_give_the_grad_fn_of_the_first_one(call: Any) -> None:
    pairs = [(False, True), (True, False), (True, True)]
    for needs in pairs:
        seen = []
        for turn in range(4):
            x, y = (torch.arange(9.0).view(3, 3).requires_grad_(need) for need in needs)
            seen.append(facts_of_nodes(call(x, y)))
            if turn == 1:
                x, y = x.detach(), y.detach()
                assert facts_of_nodes(call(x, y))[0][:1] == (None,)
        assert seen == seen[:1] * 4
        assert seen[0][0][3]


WRITTEN: dict[str, Any] = {
    "addmm_": lambda out, x, y: out.addmm_(x, y),
    "addmm": lambda out, x, y: torch.addmm(out, x, y, out=out),
    "mm": lambda out, x, y: torch.mm(x, y, out=out),
    "matmul": lambda out, x, y: torch.matmul(x, y, out=out),
    "addr_": lambda out, x, y: out.addr_(x[0], y[0]),
    "outer": lambda out, x, y: torch.outer(x[0], y[0], out=out),
    "addmv_": lambda out, x, y: out[0].addmv_(x, y[0]),
    "mv": lambda out, x, y: torch.mv(x, y[0], out=out[0]),
    "baddbmm_": lambda out, x, y: out[None].baddbmm_(x[None], y[None]),
    "bmm": lambda out, x, y: torch.bmm(x[None], y[None], out=out[None]),
    "addbmm_": lambda out, x, y: out.addbmm_(x[None], y[None]),
    "linear": lambda out, x, y: out.add_(torch.nn.functional.linear(x, y)),
}


RESIZING = [WRITTEN[name] for name in ("mm", "matmul", "outer")]


@pytest.mark.parametrize("call", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("size", [21, 22, 23])
def test_products_of_operands_with_gradients_are_written_once(call: Any, size: int) -> None:
    needs = [(True, False), (False, True), (True, True)][size - 21]

    def written(*needs: bool, target: Any) -> Any:
        x, y = (torch.arange(float(size**2)).view(size, size) % 4 for _ in needs)
        x, y = (each.requires_grad_(need) for each, need in zip((x, y), needs, strict=True))
        out = target()
        with torch.no_grad():
            call(out, x, y)
        return out.tolist(), out._version

    def ones() -> Any:
        return torch.ones(size, size)

    first = written(*needs, target=ones)  # no other test has these kinds
    assert first == written(False, False, target=ones) == written(*needs, target=ones)
    if call in RESIZING:
        first = written(*needs, target=lambda: torch.ones(0))
        assert first == written(False, False, target=lambda: torch.ones(0))


def test_known_calls_regenerate_the_grad_fn_of_views() -> None:
    for _ in range(3):
        base = torch.ones(3, 4, requires_grad=True) * 1
        view = base[0]
        base.mul_(2)
        assert (view + view).grad_fn.name() == "AddBackward0"
        assert view.grad_fn.name() == "AsStridedBackward0"
        assert torch.clamp(view, 0, 1).grad_fn.name() == "ClampBackward1"


def test_calls_without_a_grad_fn_do_not_ask_stale_views() -> None:
    for _ in range(3):
        base = torch.ones(2, 3, requires_grad=True) * 1
        with torch.no_grad():
            view = base[0]
        base.zero_()
        assert torch.zeros_like(view).grad_fn is None
        assert (view > 0).tolist() == [False] * 3
        with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
            view + view


def test_warnings_of_known_products_are_given_once_a_call() -> None:
    torch.set_warn_always(True)
    try:
        for needs in (True, True, False, True):
            x = torch.ones(2, 3, requires_grad=needs)
            with pytest.warns(UserWarning, match="torch.cross without specifying") as warned:
                torch.cross(x, x)
            assert len(warned) == 1
    finally:
        torch.set_warn_always(False)


@calls
def test_a_known_call_returns_inference_tensors_in_inference_mode(call: Any) -> None:
    for is_inference in (False, True, False):
        with torch.inference_mode(is_inference):
            assert {fact[4] is None for fact in facts(call(*operands()))} == {is_inference}


@calls
def test_another_thread_may_ask_a_known_call(call: Any) -> None:
    expected, seen = facts(call(*operands())), []
    threads = [
        threading.Thread(target=lambda: seen.append(facts(call(*operands())))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [expected] * 3


def test_operands_with_the_conj_bit_are_not_taken_for_known_ones() -> None:
    x = torch.arange(4) * (1 + 2j)
    assert torch.alias_copy(x).tolist() == x.tolist()
    assert torch.alias_copy(x.conj()).tolist() == [z.conjugate() for z in x.tolist()]


def test_indices_are_checked_in_each_call() -> None:
    x, i = operands()
    for run, error in (
        (lambda i: x.gather(1, i), "index 4 is out of bounds for dimension 1 with size 4"),
        (lambda i: x[i], "index 4 is out of bounds for dimension 0 with size 3"),
        (lambda i: x[:, i], "index 4 is out of bounds for dimension 0 with size 4"),
        (lambda i: torch.take(x, i), "out of range: tried to access index 12 on a tensor of 12"),
        (
            lambda i: x.index_select(1, i[0]),
            "INDICES element is out of DATA bounds, id=4",
        ),
    ):
        run(i % 3)
        with pytest.raises((RuntimeError, IndexError), match=error):
            run(torch.full_like(i, 12 if "12" in error else 4))


def test_quantiles_are_checked_in_each_call() -> None:
    x, q = operands()[0], torch.tensor([0.5])
    torch.quantile(x, q)
    with pytest.raises(RuntimeError, match=r"q values must be in the range \[0, 1\]"):
        torch.quantile(x, q + 1)
    torch.histc(x, 3)
    with pytest.raises(RuntimeError, match="is not finite"):
        torch.histc(x * math.inf, 3)


def test_deterministic_algorithms_fill_and_count_in_known_calls_too() -> None:
    versions = []
    for is_enabled in (False, True, False):
        torch.use_deterministic_algorithms(is_enabled)
        versions.append(torch.vander(torch.arange(3), increasing=True)._version)
        torch.use_deterministic_algorithms(False)
    assert versions == [3, 4, 3]


def test_the_sign_of_a_zero_end_is_that_of_the_long_way() -> None:
    x = torch.tensor([0.0, -0.0, -3.0])
    ends = [math.copysign(1, torch.histogram(x, 4).bin_edges[-1].item()) for _ in range(3)]
    assert len({*ends}) == 1


def test_numbers_of_other_types_are_other_kinds() -> None:
    x = torch.arange(4)
    dtypes = [torch.full_like(x, n, dtype=None).dtype for n in (1, True, 1.0)]
    assert dtypes == [torch.int64] * 3
    clamped = [torch.clamp(x, n).dtype for n in (1, 1.0, 1)]
    assert clamped == [torch.int64, torch.float32, torch.int64]
    y = torch.tensor([-1.0])
    signs = [math.copysign(1, torch.clamp(y, zero).item()) for zero in (0.0, -0.0, 0.0)]
    assert signs == [1, -1, 1]


def test_copies_of_a_storage_depend_on_its_other_elements() -> None:
    base = torch.arange(6.0)
    whole, part = base.clone(), base[2:]
    for x in (whole[:4].clone(), part, whole[:4].clone()):
        result = torch.slice_scatter(x, torch.zeros(1), 0, 0, 1)
        assert result.storage_offset() == x.storage_offset()
        assert result.untyped_storage().nbytes() == x.untyped_storage().nbytes()
    copies = [torch.as_strided_copy(x, (2,), (1,), 2) for x in (part.clone(), part)]
    assert [copy.tolist() for copy in copies] == [[4.0, 5.0], [2.0, 3.0]]


def test_functions_do_not_take_the_arguments_of_known_methods() -> None:
    x = operands()[0]
    assert x.permute(1, 0).shape == torch.permute(x, (1, 0)).shape == (4, 3)
    assert x.expand(2, 3, 4).stride() == torch.broadcast_to(x, (2, 3, 4)).stride() == (0, 4, 1)
    with pytest.raises(TypeError, match="permute"):
        torch.permute(x, 1, 0)
    assert torch.flatten(x)._base is x
    assert x.flatten(0, 1).shape == (12,)


def test_a_deprecated_call_warns_each_time() -> None:
    x = torch.eye(3)
    torch.set_warn_always(True)
    try:
        for _ in range(3):
            with pytest.warns(UserWarning, match="without specifying the dim arg is deprecated"):
                torch.cross(x, x)
    finally:
        torch.set_warn_always(False)


def test_operators_keep_plans_for_subclasses_of_tensor_too() -> None:
    x = torch.ones(2, 3)
    assert operand_key(torch.nn.Parameter(x)) == operand_key(x.detach().clone()) != operand_key(2)


IN_PLACE: dict[str, Any] = {
    "clamp_": lambda x, y: x.clamp_(0.5, 4),
    "clamp_ by tensors": lambda x, y: x.clamp_(y, y + 1),
    "clamp_min_": lambda x, y: torch.clamp_min_(x, 2),
    "add_ with alpha": lambda x, y: x.add_(y, alpha=2),
    "addcdiv_": lambda x, y: x.addcdiv_(y, y + 1),
    "lerp_": lambda x, y: x.lerp_(y, 0.25),
    "fmod_": lambda x, y: x.fmod_(3),
    "div_ and round": lambda x, y: x.div_(y + 1, rounding_mode="floor"),
    "floor_": lambda x, y: x.floor_(),
    "gt_": lambda x, y: x.gt_(y),
}
in_place = pytest.mark.parametrize("call", IN_PLACE.values(), ids=IN_PLACE)


@in_place
def test_known_calls_in_place_write_as_the_first_one(call: Any) -> None:
    seen = []
    for _ in range(4):
        x = operands()[0]
        assert call(x, x.flip(0) + 0.5) is x
        seen.append(facts(x))
    assert seen == seen[:1] * 4


@in_place
def test_known_calls_in_place_are_recorded_by_autograd(call: Any) -> None:
    for needs_gradient in (False, True, False):
        x, y = operands()[0], operands()[0].flip(0).requires_grad_(needs_gradient)
        leaf = torch.ones(3, 4, requires_grad=needs_gradient)
        assert call(x, y).requires_grad == (x.grad_fn is not None)
        if needs_gradient:
            with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
                call(leaf, leaf.detach())
            with torch.no_grad():
                assert call(leaf, leaf.detach()) is leaf
        else:
            assert not x.requires_grad


@in_place
def test_known_calls_in_place_refuse_inference_tensors_outside_of_the_mode(call: Any) -> None:
    for _ in range(3):
        call(*operands()[:1] * 1, operands()[0])
    with torch.inference_mode():
        x = operands()[0]
        assert call(x, x.clone()) is x
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside"):
        call(x, operands()[0])


def test_known_calls_in_place_check_that_operands_do_not_overlap() -> None:
    for _ in range(3):
        x = torch.arange(5.0)
        assert x[:4].clone().add_(x[1:], alpha=2).tolist() == [2, 5, 8, 11]
        with pytest.raises(RuntimeError, match="written-to tensor"):
            x[:4].add_(x[1:], alpha=2)
        assert x.tolist() == [0, 1, 2, 3, 4]
        assert x.add_(x, alpha=2).tolist() == [0, 3, 6, 9, 12]


def test_deprecated_calls_warn_each_time() -> None:
    torch.set_warn_always(True)
    try:
        for _ in range(3):
            with pytest.warns(UserWarning, match="This overload of add_? is deprecated"):
                torch.add(torch.ones(3), 2, torch.ones(3))
            with pytest.warns(UserWarning, match="This overload of add_? is deprecated"):
                torch.ones(3).add_(2, torch.ones(3))
    finally:
        torch.set_warn_always(False)


def test_known_calls_depend_on_the_default_dtype() -> None:
    x = torch.tensor([[1, 2], [3, 4]])
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float32):
        torch.set_default_dtype(dtype)
        for _ in range(3):
            assert torch.rad2deg(x).dtype is dtype
            assert torch.linspace(0, 1, 3).dtype is dtype
            assert torch.true_divide(x, x).dtype is dtype
