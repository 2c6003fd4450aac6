"""Layers: their construction, initial values and forward functions."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.networks import functions, layers as programs

PLACES = {
    "default": "{layer}",
    "float64": "{call}, dtype=torch.float64)",
    "bfloat16": "{call}, dtype=torch.bfloat16)",
    "int64": "{call}, dtype=torch.int64)",
    "complex64": "{call}, dtype=torch.complex64)",
    "meta": "{call}, device='meta')",
    "meta half": "{call}, device=torch.device('meta'), dtype=torch.float16)",
    "nowhere": "{call}, device='nowhere')",
}
"""The dtypes and devices of a layer."""


@exhaustive(lambda torch: Domain(layer=programs.LAYERS, place=PLACES), one_in=2)
def test_construction(ask: Probe, layer: str, place: str) -> None:
    """A layer has the parameters, initial values, repr and state dict that torch's has."""
    call = layer[:-1].replace("()", "(").rstrip()
    text = PLACES[place].format(layer=layer, call=call).replace("(, ", "(")
    ask(
        "torch.manual_seed(7).initial_seed()", f"m = torch.nn.{text}", "repr(m)",
        "[*m.named_parameters()]",
        "[(n, p.requires_grad) for n, p in m.state_dict(keep_vars=True).items()]",
        "[(n, v) for n, v in vars(m).items() if n[0] != '_']", "torch.rand(2)", "repr(m.eval())",
        "m.load_state_dict(m.state_dict())",
        "hasattr(m, 'reset_parameters') and m.reset_parameters()",
        "[*m.parameters()]", "repr(copy.deepcopy(m))", "getattr(m, '__constants__', None)",
        question=1,
    )  # fmt: skip


CONTEXTS = {
    "meta": "with torch.device('meta'):",
    "no_grad": "with torch.no_grad():",
    "inference": "with torch.inference_mode():",
    "float64": "if torch.set_default_dtype(torch.float64) is None:",
}


@exhaustive(lambda torch: Domain(layer=programs.LAYERS, context=CONTEXTS), one_in=3)
def test_contexts(ask: Probe, layer: str, context: str) -> None:
    """A layer is made on the default device, in the default dtype, and requires gradients."""
    make = f"def make():\n {CONTEXTS[context]}\n  return torch.nn.{layer}"
    ask(
        "torch.manual_seed(7).initial_seed()", make, "m = make()",
        "[(n, p) for n, p in m.state_dict(keep_vars=True).items()]", "m.to('meta') is m",
        question=2,
    )  # fmt: skip


INITS = (
    "uniform_(x)", "uniform_(x, -2, 3)", "uniform_(x, a=2.0, b=1.0)", "normal_(x)",
    "normal_(x, 1, 2)",
    "normal_(x, std=-1)", "constant_(x, 3)", "constant_(x, 'a')", "ones_(x)", "zeros_(x)",
    "kaiming_uniform_(x)", "kaiming_uniform_(x, 5**0.5)", "kaiming_uniform_(x, mode='fan_out')",
    "kaiming_uniform_(x, mode='fan')", "kaiming_uniform_(x, nonlinearity='relu')",
    "kaiming_uniform_(x, nonlinearity='none')", "kaiming_normal_(x)", "kaiming_normal_(x, True)",
    "kaiming_normal_(x, nonlinearity='selu', mode='FAN_OUT')", "xavier_uniform_(x)",
    "xavier_normal_(x, 2)",
    "xavier_uniform_(x, gain=torch.nn.init.calculate_gain('tanh'))", "uniform_(x, generator=g)",
    "kaiming_uniform_(x, generator=g)", "xavier_normal_(x, generator=g)", "normal_(3)",
    "uniform_()",
    *(f"calculate_gain({kind!r})" for kind in (
        "linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu", "swish",
    )),
    "calculate_gain('leaky_relu', 2)", "calculate_gain('leaky_relu', True)",
    "calculate_gain('leaky_relu', 'a')", "_calculate_fan_in_and_fan_out(x)",
)  # fmt: skip
TENSORS = (
    "torch.zeros(3, 4)", "torch.zeros(2, 3, 2, 2)", "torch.zeros(3)", "torch.zeros(0, 3)",
    "torch.zeros(4, 3).t()", "torch.zeros(3, 4, dtype=torch.float64)", "torch.zeros(3, 4).half()",
    "torch.nn.Parameter(torch.zeros(3, 4))", "torch.zeros(3, 4, device='meta')", "torch.zeros(())",
    "torch.zeros(3, 4, dtype=torch.int64)", "torch.nn.Linear(2, 9).weight", "torch.zeros(20, 2)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(call=INITS, tensor=TENSORS), one_in=2)
def test_init(ask: Probe, call: str, tensor: str) -> None:
    """The functions of torch.nn.init fill tensors with torch's values, or refuse them."""
    ask(
        f"x = {tensor}", "torch.manual_seed(3).initial_seed()", "g = torch.Generator()",
        "g.manual_seed(5).initial_seed()", f"torch.nn.init.{call}", "x", "torch.rand(1)",
        question=4,
    )  # fmt: skip


SHAPES = ("(2, 3)", "(3,)", "(1, 2, 3)", "(2, 2, 2, 3)", "(0, 3)", "()", "(2, 2)", "(2, 0, 3)")
LAYOUTS = ("{x}", "{x}.mT.contiguous().mT", "torch.stack([{x}] * 2, -1).select(-1, 0)",
    "{x}.expand(2, *{x}.shape)", "{x}.requires_grad_()", "{x}.to('meta')", "{x}.to(torch.int64)",
    "{x}.to(torch.float64)", "{x}.to(torch.float16)", "{x}.to(torch.bool)",
    "{x}.to(torch.complex64)")  # fmt: skip
LINEAR = {
    "weight": ("w",),
    "bias": ("w", "b"),
    "bias by name": ("w", "bias=b"),
    "none": ("w", "None"),
    "parameters": ("torch.nn.Parameter(w)", "torch.nn.Parameter(b)"),
    "meta": ("w.to('meta')", "b.to('meta')"),
    "vector": ("w[0]",),
    "vector and number": ("w[0]", "b[0]"),
    "matrix as bias": ("w", "torch.ones(2, 4)"),
    "other sizes": ("w[:, :2]", "b"),
    "other bias": ("w", "b[:3]"),
    "transposed": ("w.t()", "b"),
    "batch": ("w[None]",),
    "float64": ("w.double()", "b.double()"),
    "float16": ("w.half()", "b.half()"),
    "int64": ("w.long()", "b.long()"),
    "mixed": ("w", "b.double()"),
    "number": ("w", "3"),
    "list": ("[1]",),
    "nothing": (),
}


@exhaustive(lambda torch: Domain(shape=SHAPES, layout=LAYOUTS, call=LINEAR), one_in=6)
def test_linear(ask: Probe, shape: str, layout: str, call: str) -> None:
    """A linear function of whole numbers has torch's result, strides and grad_fn."""
    x = f"torch.ones({shape}).cumsum(-1)" if shape != "()" else "torch.ones(())"
    if "mT" in layout and shape.count(",") < 2 and shape != "(2, 3)":
        layout = "{x}"
    arguments = ", ".join(["x", *LINEAR[call]])
    ask(
        "w = torch.arange(12.0).view(4, 3).requires_grad_()", "b = torch.arange(4.0)",
        f"x = {layout.format(x=x)}", f"torch.nn.functional.linear({arguments})", question=3,
    )  # fmt: skip


INDICES = (
    "torch.tensor([1, 0, 3])", "torch.tensor([[1, 0], [2, 3]]).t()", "torch.tensor(2)",
    "torch.tensor([4])",
    "torch.tensor([-1])", "torch.tensor([1.0])", "torch.tensor([True])", "torch.tensor([])",
    "torch.tensor([], dtype=torch.int64)", "torch.tensor([1], dtype=torch.int32)", "3", "[1]",
    "None",
    "torch.zeros(2, 0, dtype=torch.int64)", "torch.tensor([1], device='meta')",
    "torch.tensor([[[3]]])",
    "torch.tensor([1], dtype=torch.uint8)", "torch.tensor([1]).expand(3)",
)  # fmt: skip
TABLES = (
    "torch.arange(12.0).view(4, 3)", "torch.nn.Parameter(torch.arange(12.0).view(4, 3))",
    "torch.arange(12.0).view(3, 4).t()", "torch.arange(4.0)", "torch.ones(4, 2, 2)",
    "torch.ones(4, 0)",
    "torch.ones(4, 3, device='meta')", "torch.arange(12).view(4, 3)", "torch.ones(4, 3).bool()",
    "torch.ones(4, 3, dtype=torch.bfloat16, requires_grad=True)", "torch.ones(0, 3)", "3", "None",
)  # fmt: skip
OPTIONS = ("", ", 1", ", -1", ", 7", ", -9", ", None, None, 2.0, True, True", ", padding_idx=0")


@exhaustive(lambda torch: Domain(indices=INDICES, table=TABLES, options=OPTIONS), one_in=4)
def test_embedding(ask: Probe, indices: str, table: str, options: str) -> None:
    """An embedding has the rows of the table, or raises torch's error."""
    ask(
        f"w = {table}", f"i = {indices}", f"torch.nn.functional.embedding(i, w{options})", "w",
        question=2,
    )  # fmt: skip


DROPS = (
    "", "0.25", "0.0", "1.0", "0", "1", "True", "2", "-1", "'a'", "None", "0.5, False", "0.5, 1",
    "0.5, None",
    "p=0.9", "training=False", "0.5, True, True", "1.0, inplace=True", "0.0, True, True",
    "0.5, True, x",
)  # fmt: skip
DROPPED = (
    "torch.ones(3, 4)", "torch.ones(4, 3).t()", "torch.ones(30, 2)[::2]", "torch.ones(0)",
    "torch.ones(())",
    "torch.ones(3, dtype=torch.int64)", "torch.ones(3).half()",
    "torch.ones(3, dtype=torch.complex64)",
    "torch.ones(3, requires_grad=True)", "torch.ones(3, requires_grad=True) * 2", "3", "None",
    "torch.nn.Parameter(torch.ones(40))", "torch.ones(3, device='meta')",
    "torch.full((2,), float('inf'))",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(name=("dropout", "relu"), arguments=DROPS, tensor=DROPPED), one_in=3
)
def test_elements(ask: Probe, name: str, arguments: str, tensor: str) -> None:
    """Dropout draws torch's zeros and scales the rest; relu is the operator."""
    comma = ", " * bool(arguments)
    ask(
        f"x = {tensor}", "torch.manual_seed(11).initial_seed()",
        f"y = torch.nn.functional.{name}(x{comma}{arguments})", "y", "y is x", "torch.rand(1)", "x",
        question=2,
    )  # fmt: skip


NORMALIZATIONS = (
    "torch.{name}(y, {dim}{dtype})", "torch.{name}(y, dim={dim}{dtype})", "y.{name}({dim}{dtype})",
    "torch.nn.functional.{name}(y, {dim}{dtype})", "torch.{name}(y, {dim}{dtype}, out=y)",
    "torch.nn.functional.{name}(y, None{dtype})", "torch.{name}(y, {dim}{dtype}, out=o)",
    "torch.{name}(y, {dim}{dtype}, out=o.t())", "torch.{name}(y, {dim}, out=o[:1].expand(2, 3))",
    "torch.{name}(y, {dim}, out=o[0])", "torch.{name}(y, {dim}, out=torch.empty(0).double())",
    "torch.{name}(y, {dim}{dtype}, out=o.requires_grad_())",
    "torch.{name}(y, {dim}{dtype}, out=torch._neg_view(o))", "y.{name}({dim}, out=o)",
    "torch.{name}(y, {dim}, out=o.to('meta'))", "torch.nn.functional.{name}(y, {dim}, 3, None)",
)  # fmt: skip
LINES = (
    "x", "x.t()", "x[0]", "x[0, 0]", "x[:0]", "x[:, :0]", "x.view(1, 2, 3).expand(2, 2, 3)",
    "x.repeat(5, 9)", "x.repeat(2, 3, 2, 2).contiguous(memory_format=torch.channels_last)",
    "x.double()", "x.half()", "x.to(torch.bfloat16)", "x.to(torch.bfloat16).repeat(9, 6).t()",
    "x.long()", "x.bool()", "x + 0j", "x.to(torch.float8_e5m2)", "x.long()[:0]", "(x + 0j)[:0]",
    "x.requires_grad_()", "x.half().requires_grad_()", "(x + 0j)[:0].requires_grad_()",
    "(x + 0j).requires_grad_()", "torch._neg_view(x)", "(x + 0j).conj()", "x.to('meta')",
    "x.t().to('meta')", "x.bool().to('meta')", "x.requires_grad_().to('meta')", "x.to_sparse()",
    "x * torch.inf", "x.log()", "x * 60", "x / 0 * 0", "-x.fill_(torch.inf)", "3", "None",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        name=("softmax", "log_softmax"), form=NORMALIZATIONS, tensor=LINES,
        dim=("0", "1", "-1", "5", "'a'", "True"),
        dtype=("", ", dtype=torch.float64", ", dtype=torch.float16", ", dtype=torch.int32"),
    ),
    one_in=24,
)  # fmt: skip
def test_softmax(ask: Probe, name: str, form: str, tensor: str, dim: str, dtype: str) -> None:
    """Softmax and log_softmax have torch's result, dtype, strides and grad_fn, or its error."""
    ask(
        "x = torch.tensor([[0.0, 1.0, -2.0], [3.0, 0.5, 1.0]])", f"y = {tensor}",
        "o = torch.empty(2, 3)", form.format(name=name, dim=dim, dtype=dtype),
    )  # fmt: skip


ACTIVATIONS = (
    "silu(y)", "silu(y, True)", "silu(y, inplace=[])", "silu(input=y)", "gelu(y)", "silu(y, out=y)",
    "gelu(y, approximate='tanh')", "gelu(y, 'tanh')", "gelu(y, approximate='a')", "gelu()",
    "gelu(y, approximate=None)", "gelu(y, out=o)", "gelu(y, approximate='tanh', out=o)",
    "gelu(y, out=y)", "gelu(y, out=o.double())", "gelu(y, out=torch.empty(0))", "sigmoid(y)",
    "gelu(y, out=o.requires_grad_())", "tanh(y)", "silu()", "gelu(input=y, out=o[:1].expand(2, 3))",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        call=ACTIVATIONS,
        tensor=(*LINES, "x.repeat(2, 4)[:, ::2]", "x[:1].expand(2, 3)", "x.requires_grad_() * 1",
                "(x + 1j).requires_grad_() * 1", "(x + 1j).conj()", "x * 1e30", "x.double() * 9"),
    ),
    one_in=3,
)  # fmt: skip
def test_activations(ask: Probe, call: str, tensor: str) -> None:
    """silu, gelu, sigmoid and tanh have torch's result, strides and grad_fn, or its error."""
    ask(
        "x = torch.tensor([[0.0, 1.0, -2.0], [3.0, 0.5, 1.0]])", f"y = {tensor}",
        "o = torch.empty(2, 3)", f"torch.nn.functional.{call}",
    )  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        call=programs.FORWARDS,
        change=("", ".eval()", ".half()", ".to('meta')", ".requires_grad_(False)"),
    )
)
def test_forwards(ask: Probe, call: str, change: str) -> None:
    """A layer with parameters of whole numbers gives torch's results, or its errors."""
    layer, _, rest = call.rpartition(")(")
    ask(
        "x = torch.arange(6.0).view(2, 3)", "torch.manual_seed(2).initial_seed()",
        f"m = torch.nn.{layer}){change}", "[p.detach().fill_(1) for p in m.parameters()][:0]",
        f"m({rest}", "x", question=3,
    )  # fmt: skip


NORMS = {
    "": "",
    "weight": "w",
    "bias": "w, b",
    "bias alone": "None, b",
    "vector": "torch.ones(3)",
    "float64": "w.double()",
    "float16": "w.half()",
    "halves": "w.half(), b.half()",
    "mixed": "w.half(), b",
    "number": "3",
    "meta": "w.to('meta'), b.to('meta')",
}
NORMALIZED = (
    "x", "x.t().contiguous().t()", "x.half()", "x.to(torch.bfloat16)", "x.double()", "x.long()",
    "x.bool()", "x.requires_grad_()", "x.to('meta')", "x.t()", "x[None].expand(3, 2, 4)", "x[:0]",
    "x[0]",
    "x[0, 0]", "x.to(torch.float8_e5m2)", "torch.stack([x, x], 1).transpose(0, 1)", "3", "x[:, :0]",
)  # fmt: skip
WHOLE = ("(4,)", "[2, 4]", "[3]", "[]", "4", "(2,)", "(0,)", "None", "torch.Size([4])", "(4.0,)")


@exhaustive(
    lambda torch: Domain(
        name=("layer_norm", "rms_norm"), tensor=NORMALIZED, shape=WHOLE, parameters=NORMS,
        eps=("3.0", "0.0"),
    ),
    one_in=12,
)  # fmt: skip
def test_norms(ask: Probe, name: str, tensor: str, shape: str, parameters: str, eps: str) -> None:
    """A normalization whose numbers are exact has torch's result, strides and grad_fn."""
    arguments = NORMS[parameters]
    if name == "rms_norm":
        arguments = arguments.partition(", b")[0]
    comma = ", " * bool(arguments)
    ask(
        "x = torch.tensor([[1.0, -1.0, 1.0, -1.0], [-1.0, 1.0, 1.0, -1.0]])",
        "w = torch.tensor([1.0, 2.0, 0.5, -1.0]).requires_grad_()", "b = torch.arange(4.0)",
        f"y = {tensor}",
        f"torch.nn.functional.{name}(y, {shape}{comma}{arguments}, eps={eps})", question=4,
    )  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        call=("layer_norm", "rms_norm"), dtype=("float16", "bfloat16", "float32", "float64"),
        arguments=("(4,)", "(4,), eps=None", "(4,), eps=1e-30", "(2, 4)", "(4,), eps='a'"),
    )
)  # fmt: skip
def test_eps(ask: Probe, call: str, dtype: str, arguments: str) -> None:
    """The smallest inputs show the default of eps."""
    ask(
        f"x = torch.zeros(2, 4, dtype=torch.{dtype})",
        f"torch.nn.functional.{call}(x, {arguments})",
        f"torch.nn.functional.{call}(x + 2**-10, {arguments}).to(torch.float16).isfinite()",
        question=1,
    )


PADS = (
    "(1, 2)", "(0, 0)", "()", "(1,)", "(1, 0, 2, 0)", "(-1, 0)", "(-1, -2)", "(-2, -2)", "(-1, 1)",
    "(-4, 1)", "(2, -4)", "(1, 1, -1, 0)", "(1, 1, 1, 1, 1, 1)", "(1, 1, 1, 1, 1, 1, 1, 1)",
    "[1, 1]",
    "1", "None", "(1.5, 1)", "(True, 1)", "(0, -1, 0, 0)", "torch.Size([1, 2])", "(-1, 0, 0, 2)",
)  # fmt: skip
VALUES = (
    "", ", value=7", ", value=2.5", ", 'constant', -1", ", value=None", ", value='a'", ", value=1j",
    ", 'foo'", ", 3", ", mode='constant', value=float('nan')", ", value=300", ", value=True",
)  # fmt: skip
PADDED = (
    "x", "x.t()", "x.long()", "x.bool()", "x.half()", "x + 0j", "x.to('meta')", "x[0]", "x[0, 0]",
    "x[:0]",
    "x.requires_grad_()", "x.to(torch.uint8)", "x.view(1, 2, 3, 1)", "x.expand(2, 2, 2, 3)", "3",
    "x.expand(2, 2, 2, 3).contiguous(memory_format=torch.channels_last)", "x.to(torch.float8_e5m2)",
    "x.expand(2, 2, 2, 2, 3).contiguous(memory_format=torch.channels_last_3d)",
    "x.t().requires_grad_()",
    "torch.nn.Parameter(x)", "x.expand(4, 2, 3).transpose(0, 2)",
)  # fmt: skip


@exhaustive(lambda torch: Domain(tensor=PADDED, pad=PADS, value=VALUES), one_in=16)
def test_pad(ask: Probe, tensor: str, pad: str, value: str) -> None:
    """A tensor is padded with a constant, or cut, or refused, as by torch."""
    ask(
        "x = torch.arange(6.0).view(2, 3)", f"y = {tensor}",
        f"torch.nn.functional.pad(y, {pad}{value})", "y", question=2,
    )  # fmt: skip


@exhaustive(lambda torch: Domain(tensor=functions.TENSORS, call=functions.CALLS), one_in=3)
def test_functions(ask: Probe, tensor: str, call: str) -> None:
    """Losses, similarities and one-hot rows have torch's result, grad_fn and warnings, or error."""
    ask(
        "x = torch.tensor([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]])", "z = x + 1", "o = torch.empty(0)",
        f"y = {tensor}", f"torch.nn.functional.{call}", question=4,
    )  # fmt: skip


@exhaustive(lambda torch: Domain(call=functions.RNN_CALLS))
def test_sequences(ask: Probe, call: str) -> None:
    """Sequences of different lengths are padded to one tensor, or refused, as by torch."""
    ask("x = torch.arange(6.0).view(2, 3)", f"torch.nn.utils.rnn.{call}")


@exhaustive(
    lambda torch: Domain(
        logits=functions.LOGITS, target=functions.TARGETS, weight=functions.WEIGHTS,
        option=functions.LOSS_OPTIONS,
    ),
    one_in=16,
)  # fmt: skip
def test_nll_loss(ask: Probe, logits: str, target: str, weight: str, option: str) -> None:
    """The numbers of classes are looked up, weighed and reduced, or refused, as by torch."""
    ask(
        *_CLASSES, f"y = {functions.LOGITS[logits]}",
        f"torch.nn.functional.nll_loss(y, {target}{weight}{option})", question=4,
    )  # fmt: skip


_CLASSES = (
    "x = torch.tensor([[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]])", "t = torch.tensor([1, 0, 1])",
    "w = torch.tensor([1.0, 2.0])",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        logits=functions.LOGITS, target=functions.TARGETS, weight=functions.WEIGHTS[:4],
        option=functions.LOSS_OPTIONS[:4], smoothing=functions.SMOOTHINGS,
    ),
    one_in=24,
)  # fmt: skip
def test_cross_entropy(
    ask: Probe, logits: str, target: str, weight: str, option: str, smoothing: str
) -> None:
    """Cross entropies of classes and of probabilities are torch's within the bound of softmax."""
    ask(
        *_CLASSES, f"y = {functions.LOGITS[logits]}",
        f"torch.nn.functional.cross_entropy(y, {target}{weight}{option}{smoothing})", question=4,
    )  # fmt: skip
