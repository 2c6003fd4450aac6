"""The autograd metadata of tensors, as in torch 2.13."""

import threading

import pytest

import impl as torch


def leaf():
    return torch.ones(2, 2).requires_grad_()


def non_leaf():
    return leaf().clone()


def name(tensor):
    return None if tensor.grad_fn is None else type(tensor.grad_fn).__name__


def test_a_write_counts_for_the_base_its_views_and_what_detach_returns():
    x = torch.ones(3)
    view, detached, data = x[0], x.detach(), x.data
    view.fill_(2)
    detached.zero_()
    assert [tensor._version for tensor in (x, view, detached, data)] == [2, 2, 2, 0]


def test_a_view_made_before_sees_what_becomes_of_its_base():
    x = torch.ones(3)
    view = x[0]
    x.copy_(torch.ones(()).requires_grad_())
    assert (name(x), name(view), view.is_leaf) == ("CopyBackwards", "AsStridedBackward0", False)


def test_a_base_sees_what_is_written_to_a_view():
    x = torch.ones(2)
    x[0].copy_(torch.ones(()).requires_grad_())
    assert name(x) == "CopySlices"


def test_a_view_with_another_dtype_is_made_anew_by_its_own_function():
    x = non_leaf()
    view = torch.view_as_complex(x)
    x.zero_()
    assert (name(view), name(view[0])) == ("ViewAsComplexBackward0", "SelectBackward0")


def test_a_view_that_becomes_its_own_transpose_leaves_the_base_alone():
    x = non_leaf()
    view = x[:]
    view.t_()
    assert (name(view), name(x)) == ("TBackward1", "CloneBackward0")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (leaf, "a leaf Variable that requires grad is being used"),
        (lambda: leaf()[0], "a view of a leaf Variable that requires grad"),
        (
            lambda: non_leaf().unbind()[1],
            "Output 1 of Unbind is a view and is being modified inplace",
        ),
        (lambda: non_leaf().unbind()[0][0], "Output 0 of Select is a view and is being modified"),
        (
            lambda: torch.no_grad(non_leaf().view)(4),
            "A view was created in no_grad mode and is being",
        ),
        (lambda: torch.inference_mode(non_leaf().view)(4), "A view was created in inference mode"),
        (torch.inference_mode(lambda: torch.ones(2)), "Inplace update to inference tensor"),
    ],
)
def test_writes_in_place_that_are_refused(make, message):
    with pytest.raises(RuntimeError, match=message):
        make().fill_(2)


def test_a_view_that_may_not_change_refuses_to_tell_what_it_came_from():
    x = non_leaf()
    view = x.chunk(2)[0]
    x.zero_()
    with pytest.raises(
        RuntimeError, match="its base or another view of its base has been modified"
    ):
        view.grad_fn  # noqa: B018
    assert view.requires_grad


def test_several_views_have_numbers_and_slices_made_together_have_none():
    x = non_leaf()
    assert [view.output_nr for view in x.split(1)] == [0, 1]
    assert [view.output_nr for view in x.tensor_split(2)] == [0, 0]


def test_a_refused_write_changes_nothing():
    x = leaf()
    with pytest.raises(RuntimeError):
        x.copy_(torch.zeros(2))
    assert (x.tolist(), x._version) == ([[1.0, 1.0], [1.0, 1.0]], 0)


def test_tensors_of_inference_mode():
    with torch.inference_mode():
        x = torch.ones(2)
        x.zero_()
    flags = (x.is_inference(), x[0].is_inference(), x[0]._is_view(), x.clone().is_inference())
    assert flags == (True, True, False, False)
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        x._version  # noqa: B018
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        x.requires_grad_()


def test_integers_keep_no_history_of_copies_but_of_fills():
    source = torch.ones(()).requires_grad_()
    x = torch.ones(2, dtype=torch.int32)
    assert not x.copy_(source).requires_grad
    assert name(x.fill_(source)) == "FillBackward3"


def test_set_has_no_derivative():
    assert name(non_leaf().set_(torch.ones(1))) == "NotImplemented"


def test_modes_are_put_back_after_errors():
    with pytest.raises(ZeroDivisionError):
        torch.no_grad(lambda: 1 / 0)()
    assert torch.is_grad_enabled()


def test_modes_are_of_a_thread():
    modes = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: modes.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
        modes.append(torch.is_grad_enabled())
    assert modes == [True, False]


def test_a_decorated_generator_has_the_mode_only_while_it_runs():
    @torch.no_grad
    def modes():
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    assert [(mode, torch.is_grad_enabled()) for mode in modes()] == [(False, True), (False, True)]


def test_set_grad_enabled_acts_at_once_but_not_as_a_decorator():
    torch.set_grad_enabled(False)
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    function = torch.set_grad_enabled(False)(torch.is_grad_enabled)
    assert (before, torch.is_grad_enabled(), function()) == (False, True, False)


def test_inference_mode_that_is_off_turns_grad_mode_on():
    with torch.no_grad(), torch.inference_mode(False):
        assert torch.is_grad_enabled()


def test_what_detach_in_place_and_retain_grad_refuse():
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        non_leaf()[0].detach_()
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=Fa"):
        torch.ones(1).retain_grad()
    x = non_leaf()
    x.retain_grad()
    assert (x.retains_grad, x.detach_().is_leaf) == (True, True)


def test_numbers_of_what_requires_a_gradient_warn():
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True"):
            assert float(torch.ones(()).requires_grad_()) == 1
    finally:
        torch.set_warn_always(False)


@pytest.mark.parametrize(
    ("tensor", "arguments", "message"),
    [
        (torch.ones(2), {}, "element 0 of tensors does not require grad"),
        (leaf(), {}, "grad can be implicitly created only for scalar outputs"),
        (leaf(), {"inputs": []}, "`inputs` argument to `backward\\(\\)` cannot be empty"),
        (leaf(), {"gradient": torch.ones(3)}, "Mismatch in shape: grad_output\\[0\\]"),
    ],
)
def test_backward_refuses_what_torch_refuses(tensor, arguments, message):
    with pytest.raises(RuntimeError, match=message):
        tensor.backward(**arguments)
    with pytest.raises(NotImplementedError):
        torch.ones(()).requires_grad_().backward()


def test_tensor_split():
    x = torch.arange(7)
    assert [part.tolist() for part in x.tensor_split(3)] == [[0, 1, 2], [3, 4], [5, 6]]
    assert [part.tolist() for part in x.tensor_split((5, 2))] == [
        [0, 1, 2, 3, 4],
        [],
        [2, 3, 4, 5, 6],
    ]
    assert [part.tolist() for part in torch.tensor_split(x, torch.tensor(2))] == [
        [0, 1, 2, 3],
        [4, 5, 6],
    ]
    with pytest.raises(RuntimeError, match="number of sections must be larger than 0, got 0"):
        x.tensor_split(0)


def test_nothing_is_recorded_in_inference_mode_whatever_grad_mode_says():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        torch.set_grad_enabled(True)
        x.mul_(2)
    assert x.is_leaf


def test_a_hook_is_left_behind_where_a_tensor_becomes_its_own_view():
    x = torch.ones(2, 3, requires_grad=True).clone()
    x.retain_grad()
    x.transpose_(0, 1)
    with pytest.raises(RuntimeError, match="out != nullptr INTERNAL ASSERT"):
        x.mul_(2)
    assert x.grad_fn.name() == "MulBackward0"
    assert x.tolist() == [[2.0] * 2] * 3


def test_a_view_is_made_anew_of_its_base_as_that_is_now():
    base = torch.ones(2, 2, requires_grad=True)
    pairs = torch.view_as_complex(base)
    with torch.no_grad():
        base.transpose_(0, 1)
    with pytest.raises(RuntimeError, match="must have a last dimension with stride 1"):
        pairs.is_leaf  # noqa: B018


def test_views_made_again_have_the_grad_fn_of_the_first_one():
    for cls in (lambda x: x.requires_grad_(), torch.nn.Parameter, lambda x: x):
        for _ in range(3):
            x = cls(torch.ones(2, 3))
            names = [
                None if view.grad_fn is None else view.grad_fn.name()
                for view in (x.view(6), x.t(), torch.permute(x, (1, 0)), x.unsqueeze(0))
            ]
            with torch.no_grad():
                assert x.view(6).grad_fn is None
            if x.requires_grad:
                assert names == [
                    "ViewBackward0", "TBackward0", "PermuteBackward0", "UnsqueezeBackward0"
                ]  # fmt: skip
            else:
                assert names == [None] * 4
            assert type(x.t()) is torch.Tensor


def test_a_complex_result_without_a_derivative_is_refused_if_it_requires_a_gradient() -> None:
    source = torch.ones(2, dtype=torch.complex64)
    refused = "does not support automatic differentiation for outputs with complex dtype"
    with torch.no_grad():
        out = torch.zeros(2, dtype=torch.complex64, requires_grad=True)
        assert torch.normal(torch.ones(2), 1.0, out=out) is out
        assert not torch.slice_inverse(source, source.clone().requires_grad_()).requires_grad
        with pytest.raises(RuntimeError, match=f"slice_inverse {refused}"):
            torch.slice_inverse(source.clone().requires_grad_(), source)
    with pytest.raises(RuntimeError, match=f"slice_inverse {refused}"):
        torch.slice_inverse(source, source.clone().requires_grad_())


@pytest.mark.parametrize("bins", [2, torch.tensor([0.0, 1.0, 2.0])], ids=["count", "edges"])
def test_results_of_histogram_share_whether_they_require_gradients(bins: object) -> None:
    counts, edges = torch.zeros(2), torch.zeros(3)
    edges.requires_grad_()
    with torch.no_grad():
        torch.histogram(torch.ones(4), bins, out=(counts, edges))
    assert (counts.requires_grad, edges.requires_grad) == (False, True)
    counts, edges = torch.zeros(2), edges.detach().requires_grad_().clone()
    torch.histogram(torch.ones(4), bins, out=(counts, edges))
    assert (name(counts), name(edges)) == ("NotImplemented", "NotImplemented")
