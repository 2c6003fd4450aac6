"""Lines with a type error, each with the error code that mypy must report."""

import impl as torch

x = torch.ones(2)

torch.float33  # attr-defined
torch.promote_types(torch.int8, 1)  # arg-type
torch.promote_types(torch.int8)  # call-arg
torch.zeros(2, dtype="float32")  # call-overload
torch.full((2,), "a")  # arg-type
torch.full((2,), 1.0, layout="strided")  # arg-type
torch.finfo(torch.float32).max = 1.0  # misc
x + "a"  # operator
x.view("a")  # arg-type
x.shape = (2,)  # misc
x.sum(0, out=x)  # call-overload
x["a"]  # index
x.flatten(start=1)  # call-arg
x.is_contiguous(torch.channels_last)  # call-arg
x.mul(other=x, alpha=2)  # call-arg
x.nothing  # attr-defined
torch.set_grad_enabled()  # call-arg
torch.set_warn_always(1)  # arg-type
torch.stack(x, x)  # arg-type
"a" in x.size(0)  # operator
y: torch.Tensor = torch.equal(x, x)  # assignment
z: int = x.item()  # assignment
