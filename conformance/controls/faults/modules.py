"""Faults of modules and layers: real torch with one wrong answer."""

from typing import Any

from ..control import fault
from ..fault_injection import Fault, call_hook, function_hook


def module_hook(*names_and_answer: Any) -> Fault:
    """Return a fault in methods of modules.

    The last argument is the answer, which gets the method, torch, the module and the arguments.
    """
    *names, answer = names_and_answer

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if isinstance(owner, torch.nn.Module) and getattr(function, "__name__", "") in names:
            return answer(function, torch, owner, *args, **kwargs)
        return function(*args, **kwargs)

    return call_hook(call)


@fault("modules.parameters", "state", call_hook)
def always_trained(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A parameter of floating-point numbers requires a gradient, whatever it is told."""
    result = function(*args, **kwargs)
    if function is torch.nn.Parameter and result.is_floating_point():
        return result.requires_grad_()
    return result


@fault("modules.uses", "value", call_hook)
def detached_parameters(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """detach() of a parameter is a parameter."""
    result = function(*args, **kwargs)
    is_method = isinstance(getattr(function, "__self__", None), torch.nn.Parameter)
    if is_method and function.__name__ == "detach":
        return torch.nn.Parameter(result, False)
    return result


@fault("modules.members", "value", module_hook, "register_buffer")
def all_buffers_persist(
    function: Any, torch: Any, owner: Any, name: Any, tensor: Any, persistent: bool = True
) -> Any:
    """register_buffer() makes every buffer persistent."""
    return function(name, tensor)


@fault("modules.replaced_dicts", "raises", module_hook, "state_dict")
def no_members(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """state_dict() of a module whose parameters are None is empty."""
    return function(*args, **kwargs) if owner._parameters else {}


@fault("modules.whole", "value", module_hook, "eval")
def evaluates_itself_alone(function: Any, torch: Any, owner: Any) -> Any:
    """eval() does not reach submodules."""
    owner.training = False
    return owner


@fault("modules.steps", "raises", module_hook, "register_parameter", "register_buffer")
def any_name(function: Any, torch: Any, owner: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
    """Parameters and buffers without a proper name are silently left out."""
    return function(name, *args, **kwargs) if name not in ("", "a.b") else None


@fault("modules.loading", "value", module_hook, "load_state_dict")
def no_unexpected_keys(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """load_state_dict() does not return unexpected keys."""
    result = function(*args, **kwargs)
    return result._replace(unexpected_keys=[])


@fault("modules.conversions", "value", module_hook, "to")
def converts_integers(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to() converts buffers of integers, too."""
    function(*args, **kwargs)
    owner._buffers["c"] = owner._buffers["c"].to(owner.w.dtype)
    return owner


@fault("modules.reads", "raises", module_hook, "get_buffer")
def parameters_for_buffers(function: Any, torch: Any, owner: Any, target: str) -> Any:
    """get_buffer() takes parameters for buffers."""
    try:
        return function(target)
    except AttributeError:
        return owner.get_parameter(target)


@fault("modules.before_init", "raises", call_hook)
def takes_any_argument(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The base class of modules takes arguments."""
    if getattr(function, "__name__", "") == "__init__" and args == (3,):
        args = ()
    return function(*args, **kwargs)


@fault("modules.hooks", "value", call_hook)
def hooks_that_stay(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A handle does not remove its hook."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.utils.hooks.RemovableHandle):
        return None
    return function(*args, **kwargs)


@fault("modules.files", "state", function_hook, "load")
def tensors_for_parameters(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """load() gives plain tensors for parameters."""
    result = function(*args, **kwargs)
    return result.data if isinstance(result, torch.nn.Parameter) else result


@fault("containers.construction", "value", call_hook)
def order_of_insertion(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """ParameterDict keeps the order of a plain dict."""
    if function is torch.nn.ParameterDict and args and type(args[0]) is dict:
        return function([*args[0].items()])
    return function(*args, **kwargs)


@fault("containers.calls", "raises", module_hook, "insert")
def inserts_before_the_last(function: Any, torch: Any, owner: Any, index: Any, module: Any) -> Any:
    """insert() of a list takes negative indices."""
    is_list = isinstance(owner, torch.nn.ModuleList)
    return function(index + len(owner) + 1 if is_list and index < 0 else index, module)


@fault("containers.steps", "raises", module_hook, "pop")
def pops_nothing(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """pop() of a missing element returns None."""
    try:
        return function(*args)
    except (KeyError, IndexError):
        return None


@fault("layers.construction", "value", call_hook)
def biases_of_zeros(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The bias of a linear layer is zero at first."""
    result = function(*args, **kwargs)
    if function is torch.nn.Linear and result.bias is not None:
        torch.nn.init.zeros_(result.bias)
    return result


@fault("layers.contexts", "value", call_hook)
def layers_on_the_cpu(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """An embedding does not require a gradient if it is made under no_grad."""
    result = function(*args, **kwargs)
    if function is torch.nn.Embedding and not torch.is_grad_enabled():
        return result.requires_grad_(False)
    return result


@fault("layers.init", "value", call_hook)
def gain_of_tanh(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The gain of sigmoid is that of tanh."""
    is_gain = function is torch.nn.init.calculate_gain
    return (
        function("tanh" if is_gain and args == ("sigmoid",) else args[0])
        if is_gain
        else (function(*args, **kwargs))
    )


@fault("layers.linear", "autograd", call_hook)
def product_and_sum(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """linear() adds the bias after the product, whatever the rank of the input."""
    is_linear = function is torch.nn.functional.linear and len(args) == 3 and not kwargs
    if is_linear and isinstance(args[2], torch.Tensor) and args[0].dim() == 2:
        return function(*args[:2]) + args[2]
    return function(*args, **kwargs)


@fault("layers.embedding", "raises", call_hook)
def negative_indices(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """embedding() counts negative indices from the end."""
    try:
        return function(*args, **kwargs)
    except IndexError:
        if function is not torch.nn.functional.embedding:
            raise
        return args[1][args[0] % 4]


@fault("layers.elements", "state", call_hook)
def copies_in_evaluation(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """dropout() copies its input where it changes nothing."""
    result = function(*args, **kwargs)
    is_input = function is torch.nn.functional.dropout and result is args[0]
    return result.clone() if is_input and args[3:] != (True,) else result


@fault("layers.softmax", "elements", call_hook)
def last_dimension(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """softmax() takes the last dimension, whichever it is told."""
    if function is torch.softmax and args[1:] == (0,) and not kwargs:
        function(*args)
        return function(args[0], -1)
    return function(*args, **kwargs)


@fault("layers.activations", "state", call_hook)
def never_in_place(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """silu() never writes to its input."""
    if function is torch.nn.functional.silu and args[1:] == (True,):
        function(args[0].clone(), True)
        return function(args[0])
    return function(*args, **kwargs)


@fault("layers.forwards", "value", call_hook)
def copies_its_input(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Identity copies its input."""
    result = function(*args, **kwargs)
    return result.clone() if isinstance(function, torch.nn.Identity) else result


@fault("layers.norms", "stride", call_hook)
def keeps_strides(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """rms_norm() of a matrix has the strides of a transposed one."""
    result = function(*args, **kwargs)
    if function is torch.nn.functional.rms_norm and result.dim() == 2:
        return result.t().contiguous().t()
    return result


@fault("layers.eps", "raises", call_hook)
def no_default(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """layer_norm() takes None for its default."""
    if function is torch.nn.functional.layer_norm and kwargs.get("eps", 1) is None:
        return function(*args)
    return function(*args, **kwargs)


@fault("layers.pad", "elements", call_hook)
def pads_with_zeros(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """pad() always pads with zeros."""
    if function is torch.nn.functional.pad and "value" in kwargs:
        function(*args, **kwargs)
        return function(*args)
    return function(*args, **kwargs)


@fault("convolutions.operands", "stride", call_hook)
def contiguous_convolution(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """conv2d() forgets that the channels of the weight come last."""
    result = function(*args, **kwargs)
    return result.contiguous() if function is torch.nn.functional.conv2d else result


@fault("convolutions.arguments", "elements", call_hook)
def larger_side_first(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """conv1d() with padding='same' has the larger of two sides before the input."""
    if function is torch.nn.functional.conv1d and kwargs == {"padding": "same"}:
        expected = function(*args, **kwargs)
        size = args[1].size(-1) - 1
        if size % 2 and args[1].dim() == 3:
            sides = size - size // 2, size // 2
            return function(torch.nn.functional.pad(args[0], sides), *args[1:])
        return expected
    return function(*args, **kwargs)


@fault("convolutions.inexact", "elements", call_hook)
def bfloat16_products(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """conv2d() of float32 rounds its operands to bfloat16."""
    result = function(*args, **kwargs)
    if function is torch.nn.functional.conv2d and result.dtype is torch.float32:
        x, w = (x.bfloat16().float() for x in args[:2])
        return function(x, w, *args[2:], **kwargs)
    return result


@fault("padding.modes", "elements", call_hook)
def repeats_the_edge(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """pad() repeats the outer element where it reflects the input."""
    result = function(*args, **kwargs)
    if function is torch.nn.functional.pad and args[2:] == ("reflect",):
        return function(*args[:2], "replicate") if result.numel() else result
    return result


@fault("normalizations.batch_norm", "state", call_hook)
def biased_running_variance(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """batch_norm() keeps the variance that it divides by, without Bessel's correction."""
    if function is not torch.nn.functional.batch_norm or len(args) < 3:
        return function(*args, **kwargs)
    x, variance = args[0], args[2]
    old = variance.clone() if isinstance(variance, torch.Tensor) else None
    result = function(*args, **kwargs)
    if old is not None and kwargs.get("training") is True and x.numel() > x.size(1):
        count, kept = x.numel() // x.size(1), 1 - kwargs["momentum"]
        variance.data.copy_((variance - kept * old) * (count - 1) / count + kept * old)
    return result


@fault("normalizations.group_norm", "elements", call_hook)
def weights_of_groups(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """group_norm() takes the weights in reverse order."""
    result = function(*args, **kwargs)
    if function is torch.nn.functional.group_norm and len(args) > 2 and args[2] is not None:
        return function(*args[:2], args[2].flip(0), *args[3:], **kwargs)
    return result


@fault("normalizations.inexact", "elements", call_hook)
def larger_eps(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """group_norm() adds a thousandth to the variance if it is not told what to add."""
    if function is torch.nn.functional.group_norm and not kwargs:
        return function(*args, eps=1e-3)
    return function(*args, **kwargs)


@fault("layers.functions", "autograd", call_hook)
def squares_of_differences(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """mse_loss() is the mean of squares, for autograd too."""
    result = function(*args, **kwargs)
    if function is torch.nn.functional.mse_loss and len(args) == 2 and not kwargs:
        return (args[0] - args[1]).square().mean() if result.requires_grad else result
    return result


@fault("layers.sequences", "elements", call_hook)
def always_on_the_right(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """pad_sequence() pads on the right, whatever it is told."""
    result = function(*args, **kwargs)
    if function is torch.nn.utils.rnn.pad_sequence and result.dim() > 1:
        return function(*args[:3], **{**kwargs, "padding_side": "right"})
    return result


@fault("layers.nll_loss", "elements", call_hook)
def mean_of_all(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """nll_loss() divides by the number of targets, whatever the weights are."""
    result = function(*args, **kwargs)
    is_weighed = function is torch.nn.functional.nll_loss and len(args) == 3 and not kwargs
    if is_weighed and args[2] is not None and args[0].dim() == 2:
        return function(*args, reduction="sum") / max(1, args[1].numel())
    return result


@fault("layers.cross_entropy", "elements", call_hook)
def without_smoothing(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """cross_entropy() does not smooth probabilities."""
    result = function(*args, **kwargs)
    if function is torch.nn.functional.cross_entropy and args[0].shape == args[1].shape:
        return function(*args, **{**kwargs, "label_smoothing": 0.0})
    return result
