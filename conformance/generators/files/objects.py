"""Objects to save, and the arguments of torch.save."""

PAIRS = {
    "views": ("torch.arange(12.0).view(3, 4)", "a.t()[1:, ::2]"),
    "apart": ("torch.tensor([1.0, -0.0, float('nan')])", "torch.tensor([3, 4])"),
    "same": ("torch.ones(2)", "a"),
    "offset": ("torch.arange(6)[2:]", "a.view(2, 2)"),
    "expanded": ("torch.arange(3.0).expand(2, 3)", "a[0]"),
    "0-dim": ("torch.tensor(2.5)", "a.view(1)"),
    "empty": ("torch.zeros(0, 3)", "a.view(3, 0)"),
    "channels last": ("torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last)", "a.detach()"),
    "large offset": ("torch.zeros(1000)[999:]", "torch.zeros(1)"),
    "gradient": ("torch.ones(2, requires_grad=True)", "a * 2"),
    "conjugated": ("torch.tensor([1 + 2j, 3j]).conj()", "a.t()"),
    "negated": ("torch.tensor([1 + 2j, 3j]).conj().imag", "a"),
    "meta": ("torch.ones(2, 3, device='meta')", "a.t()"),
    "sparse": ("torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse()", "a._values()"),
    "uncoalesced": (
        "torch.sparse_coo_tensor([[1, 1]], [2.0, 3.0], (3,), is_coalesced=False)", "a._indices()",
    ),
    "attribute": ("torch.ones(2)", "setattr(a, 'note', [1, 'x']) or a"),
    "storage": ("torch.arange(3).untyped_storage()", "torch.tensor(0)"),
    "typed storage": ("torch.ones(3)._typed_storage()", "torch.tensor(0)"),
    "other dtype": ("torch.ones(2)", "a.view(torch.int32)"),
    "of NumPy": ("torch.from_numpy(numpy.arange(3.0))", "a[1:]"),
    "uint16": ("torch.ones(3, dtype=torch.uint16)", "a[1:]"),
}  # fmt: skip
"""Pairs of tensors ``a`` and ``b``; of some both have the same storage."""

CONTAINERS = (
    "[a, (a, b), {'x': b}]", "collections.OrderedDict(x=a, y=b)", "{1: a, (2, 3): b, None: 2.5}",
    "[1, -1, 255, 256, 65536, -(2**31), 2**31, 2**63, 2**200]", "['', 'x', 'é', 'x' * 300, 'x']",
    "(True, False, None, 1.5, float('nan'), 1j)", "[b'x', bytearray(b'yz'), {1, 2}]",
    "[torch.float32, torch.bits8, torch.Size([2, 3]), torch.device('cpu'), torch.sparse_coo]",
    "torch.LongTensor", "torch.Tensor", "torch.FloatStorage", "[[], (), {}, set()]",
    "(lambda x: x.append(x) or x)([a])", "collections.Counter('aab')", "[*range(300)]",
    "[torch.zeros(i % 3) for i in range(30)]", "torch.max(torch.ones(2), 0)",
)  # fmt: skip
"""Objects with tensors ``a`` and ``b``, and objects without tensors."""

FORMATS = {
    "zip": "",
    "protocol 3": ", pickle_protocol=3",
    "protocol 4": ", pickle_protocol=4",
    "no byte order": ", _disable_byteorder_record=True",
    "pickle": ", pickle_module=pickle",
    "legacy": ", _use_new_zipfile_serialization=False",
}
"""Further arguments of torch.save."""
