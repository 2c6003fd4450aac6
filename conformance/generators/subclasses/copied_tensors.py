"""Tensors with attributes and of subclasses, and every way to copy and rebuild one."""

_CLASSES = {
    "tensor": "A = torch.Tensor",
    "subclass": "class A(torch.Tensor):\n    pass",
    "slots": "class A(torch.Tensor):\n    __slots__ = ('v', 'w')",
    "slots, empty": (
        "class A(torch.Tensor):\n    __slots__ = ('v', 'w')\n    def new_empty(self, *a):\n"
        "        return torch.empty(*a).as_subclass(A)"
    ),
    "setstate": (
        "class A(torch.Tensor):\n    def __setstate__(self, state):\n        self.s = state"
    ),
    "empty": (
        "class A(torch.Tensor):\n    def new_empty(self, *a):\n"
        "        return torch.empty(*a).as_subclass(A)"
    ),
    "getstate": "class A(torch.Tensor):\n    def __getstate__(self):\n        return {'g': 1}",
}
_ATTRIBUTES = {
    "plain": "x.shape", "attribute": "setattr(x, 'v', [1, 2])", "own": "setattr(x, 'v', x)",
}  # fmt: skip

MAKERS = {
    f"{cls}, {attribute}": (_CLASSES[cls], "x = torch.ones(2, 3).t().as_subclass(A)", step)
    for cls in _CLASSES
    for attribute, step in _ATTRIBUTES.items()
} | {
    f"{cls} on meta": (_CLASSES[cls], "x = torch.ones(2, device='meta').as_subclass(A)")
    for cls in _CLASSES
} | {
    text: (f"x = {text}",)
    for text in (
        "torch.ones(2, requires_grad=True)", "torch.ones(2, requires_grad=True) * 2",
        "torch.ones(2, device='meta')", "torch.tensor([[1.0, 0.0]]).to_sparse()",
        "torch.tensor([1 + 2j]).conj()", "torch.tensor([1 + 2j]).conj().imag",
        "torch.zeros(2).to(torch.float8_e5m2)", "torch.arange(6)[1::2]",
        "torch.ones(2, device='meta', requires_grad=True)",
        "torch.ones(2, 2, device='meta')[1:].requires_grad_()",
        "torch.tensor([[1.0, 0.0]]).to_sparse().requires_grad_()",
        "torch.tensor([1 + 2j]).conj().requires_grad_()",
        "torch.tensor([1 + 2j], device='meta').conj()",
        "torch.tensor([1 + 2j]).conj().imag.requires_grad_()", "torch.ones(2, 2).t()[1:].data",
        "torch.empty(0, 2, dtype=torch.bfloat16, requires_grad=True)",
    )
}  # fmt: skip
"""Programs that make a tensor ``x``."""

USES = (
    "copy.copy(x)", "type(copy.copy(x)).__name__", "copy.copy(x).__dict__", "copy.deepcopy(x)",
    "type(copy.deepcopy(x)).__name__", "copy.deepcopy(x).__dict__.keys()",
    "copy.deepcopy(x, {id(x): 5})", "copy.deepcopy([x, x.detach()])",
    "(lambda row: row[0](*row[1]))(x.__reduce_ex__(2))", "len(x.__reduce_ex__(2))",
    "x.__getstate__()", "x.__getstate__() is x.__dict__", "getattr(copy.copy(x), 'v', None)",
    "getattr(copy.copy(x), 's', None)",
    "getattr(copy.deepcopy(x), 'v', None) is getattr(x, 'v', None)", "x.is_shared()",
    "x.__setstate__((False, 1, {}))", "x.__setstate__((True, None, {}))", "x.__setstate__(())",
    "x.__setstate__((x.untyped_storage(), 0, (2,), (1,)))", "x.__setstate__((1, 2))",
    "x.__setstate__((torch.zeros(3), 0, {}, True, 1))", "x.__setstate__(3)",
    "x.__setstate__((3, 0, {}, True, 1))", "[n for n in dir(x) if n in ('v', 's', 'volatile')]",
    "x.share_memory_().is_shared()", "x.__reduce_ex__()", "x.__reduce_ex__(None)[0].__name__",
    "x.as_subclass(torch.Tensor)", "x.as_subclass(int)", "x.as_subclass(x)", "repr(x)",
    "pickle.loads(pickle.dumps(x))", "pickle.loads(pickle.dumps(x, 0))",
    "pickle.loads(pickle.dumps(x, 5)).is_leaf", "pickle.loads(pickle.dumps([x, x.detach()], 2))",
    "(x + 1).__dict__", "type(x.detach()).__name__", "x[0].__dict__",
)  # fmt: skip
"""Uses of the tensor ``x``."""
