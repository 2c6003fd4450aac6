"""Modules and parameters of impl.nn; with torch as impl these tests pass, too."""

import copy
import io
import pickle
import subprocess
import sys
import threading

import pytest

import impl as torch

nn = torch.nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.arange(6.0).view(2, 3))
        self.register_buffer("b", torch.ones(2))
        self.register_buffer("c", torch.zeros(1), persistent=False)
        self.inner = nn.Module()
        self.inner.v = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        return x + self.b


def test_operators_on_parameters_give_plain_tensors():
    p = nn.Parameter(torch.ones(2, 2))
    results = (p + 1, p.data, p.detach(), p[0], p.t(), p.view(-1), p.clone(), p.view(torch.int32))
    assert {type(result) for result in results} == {torch.Tensor}
    assert type(p.requires_grad_(False)) is nn.Parameter
    assert repr(nn.Parameter(torch.ones(1))) == (
        "Parameter containing:\ntensor([1.], requires_grad=True)"
    )


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))]
)
def test_copies_of_parameters_are_parameters(copied):
    p = nn.Parameter(torch.ones(2), requires_grad=False)
    p.note = 3
    new = copied(p)
    assert type(new) is nn.Parameter
    assert not new.requires_grad
    assert getattr(new, "note", None) == (None if copied is copy.deepcopy else 3)


def test_files_keep_parameters():
    file = io.BytesIO()
    torch.save({"p": nn.Parameter(torch.ones(2)), "s": Net().state_dict()}, file)
    file.seek(0)
    loaded = torch.load(file)
    assert type(loaded["p"]) is nn.Parameter
    assert [*loaded["s"]] == ["w", "b", "inner.v"]


def test_buffers_are_flagged_tensors():
    b = nn.Buffer(torch.ones(2), persistent=False)
    assert type(b) is torch.Tensor
    assert isinstance(b, nn.Buffer)
    assert not isinstance(torch.ones(2), nn.Buffer)


def test_state_dict_and_metadata():
    state = Net().state_dict()
    assert [*state] == ["w", "b", "inner.v"]
    assert [*state._metadata] == ["", "inner"]
    assert state["w"].data_ptr() != 0


def test_loading_tells_all_errors():
    with pytest.raises(RuntimeError) as error:
        Net().load_state_dict({"w": torch.ones(3, 2), "inner.v": 3, "x": 1})
    assert str(error.value).split("\n\t") == [
        "Error(s) in loading state_dict for Net:",
        'Missing key(s) in state_dict: "b". ',
        'Unexpected key(s) in state_dict: "x". ',
        "size mismatch for w: copying a param with shape torch.Size([3, 2]) from checkpoint, the"
        " shape in current model is torch.Size([2, 3]).",
        'While copying the parameter named "inner.v", expected torch.Tensor or Tensor-like object'
        " from checkpoint but received <class 'int'>",
    ]


def test_loading_assigns_or_copies():
    net, state = Net(), Net().double().state_dict()
    w = net.w
    assert repr(net.load_state_dict(state)) == "<All keys matched successfully>"
    assert net.w is w
    assert net.w.dtype is torch.float32
    net.load_state_dict(state, assign=True)
    assert net.w is not w
    assert net.w.dtype is torch.float64
    assert isinstance(net.w, nn.Parameter)


def test_conversions_keep_parameters_unless_they_go_to_meta():
    net = Net()
    w = net.w
    assert net.to(torch.float64).w is w
    assert net.to("meta").w is not w
    with pytest.raises(NotImplementedError, match="Please use torch"):
        net.to("cpu")
    assert net.to_empty(device="cpu").w.shape == (2, 3)


def test_refused_assignments_change_nothing():
    net = Net()
    before = {name: value for name, value in vars(net).items() if name[0] != "_"}
    for name, value in (("w", torch.ones(1)), ("b", 3), ("inner", 3)):
        with pytest.raises(TypeError, match="cannot assign"):
            setattr(net, name, value)
    assert {name: value for name, value in vars(net).items() if name[0] != "_"} == before


def test_hooks_end_with_their_handles():
    net, calls = Net(), []
    with net.register_forward_pre_hook(lambda module, args: calls.append(args)):
        net(1.0)
    handle = net.register_forward_hook(lambda module, args, result: 7)
    assert net(1.0) == 7
    handle.remove()
    assert net(1.0).tolist() == [2, 2]
    assert calls == [(1.0,)]


def test_containers_show_and_number_their_modules():
    row = nn.Sequential(nn.Module(), nn.Module())
    del row[0]
    assert [*row.append(Net()).state_dict()] == ["1.w", "1.b", "1.inner.v"]
    assert repr(nn.ModuleList([nn.Module()] * 3)) == "ModuleList(\n  (0-2): 3 x Module()\n)"
    assert [*nn.ParameterDict({"b": torch.ones(1), "a": torch.ones(1)})] == ["a", "b"]


PROGRAM = """
import sys, impl
assert "impl.nn" not in sys.modules
impl.ones(1)
assert "impl.nn.modules" not in sys.modules
assert "Module" in dir(impl.nn) and impl.nn.Module
assert "impl.nn.modules" in sys.modules
import impl.nn.parameter, impl.nn as nn
assert impl.nn is nn and nn.parameter.Parameter is nn.Parameter
"""


def test_modules_are_loaded_when_they_are_used():
    if torch.__name__ == "impl":
        subprocess.run([sys.executable, "-c", PROGRAM], check=True)
        for module in ("", ".modules", ".modules.linear", ".functional", ".init", ".parameter"):
            program = f"import impl.nn{module}; impl.nn.Module(); impl.nn.Linear(1, 1)"
            subprocess.run([sys.executable, "-c", program], check=True)


def test_modules_are_loaded_once_by_many_threads():
    program = "import impl, threading; impl.ones(1); f = lambda: s.append(impl.nn.Module); s = []\n"
    program += "t = [threading.Thread(target=f) for _ in range(9)]; [x.start() for x in t]\n"
    program += "[x.join() for x in t]; assert len(s) == 9 and len(set(s)) == 1, s"
    if torch.__name__ == "impl":
        subprocess.run([sys.executable, "-c", program], check=True)
    assert threading.active_count()


def test_a_program_may_replace_the_dicts_of_members() -> None:
    module = torch.nn.Module()
    module._buffers = None
    with pytest.raises(TypeError, match="argument of type 'NoneType' is not iterable"):
        module.w = torch.nn.Parameter(torch.zeros(1))
    module._buffers = {"w"}
    module.w = torch.nn.Parameter(torch.zeros(1))
    assert (module._buffers, [*module._parameters]) == (set(), ["w"])
