"""Classes with the behavior of torch's C classes."""

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import impl as torch
from impl._runtime.c_types import (
    TorchType,
    mapping_class,
    named_type,
    set_class_attribute,
    set_slots,
)


class Thing(metaclass=TorchType):
    """An example of a C class."""

    __slots__ = ("size",)

    size: int

    @property
    def twice(self) -> int:
        return 2 * self.size

    def method(self) -> None:
        """Do nothing."""


@pytest.fixture
def thing() -> Thing:
    new = object.__new__(Thing)
    set_slots(new, size=3)
    return new


def test_fill(thing: Thing) -> None:
    assert (thing.size, thing.twice) == (3, 6)


def test_names() -> None:
    """The name of a class is torch's, and pickle finds the class in impl."""
    assert (Thing.__name__, Thing.__qualname__, Thing.__module__) == ("Thing", "Thing", "impl")
    assert repr(Thing) == "<class 'impl.Thing'>"


def test_where_a_class_is_made_does_not_show() -> None:
    class Inner(metaclass=TorchType):
        pass

    assert (Inner.__qualname__, repr(Inner)) == ("Inner", "<class 'impl.Inner'>")


def test_maker_is_called_type() -> None:
    """CPython's messages have the name of the class, with ``type`` as its metaclass."""
    assert type(Thing).__name__ == "type"

    class Other(TorchType):
        pass

    assert named_type(Other) is Other
    assert Other.__name__ == "type"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("size", "attribute 'size' of 'torch.Thing' objects is not writable"),
        ("twice", "attribute 'twice' of 'torch.Thing' objects is not writable"),
        ("method", "'torch.Thing' object attribute 'method' is read-only"),
    ],
)
def test_instances_are_read_only(thing: Thing, name: str, message: str) -> None:
    with pytest.raises(AttributeError) as caught:
        setattr(thing, name, 5)
    assert str(caught.value) == message
    with pytest.raises(AttributeError) as caught:
        delattr(thing, name)
    assert str(caught.value) == message
    assert (thing.size, thing.twice, thing.method()) == (3, 6, None)


@pytest.mark.parametrize("write", ["setattr({}, 'nonsense', 1)", "delattr({}, 'nonsense')"])
@pytest.mark.parametrize(
    ("instance", "cls"),
    [
        ("torch.int8", "torch.dtype"),
        ("torch.finfo()", "torch.finfo"),
        ("torch.iinfo(torch.int8)", "torch.iinfo"),
    ],
)
def test_unknown_attributes_are_refused_as_by_any_c_object(
    failure_of: Callable[[str], str], write: str, instance: str, cls: str
) -> None:
    """The messages depend on the version of CPython."""
    of_object = failure_of(write.format("object()"))
    assert failure_of(write.format(instance)) == of_object.replace("'object'", f"'{cls}'")


CLASS_FAILURES = [
    ("{}.nonsense", "AttributeError: type object '{}' has no attribute 'nonsense'"),
    (
        "setattr({}, 'nonsense', 1)",
        "TypeError: cannot set 'nonsense' attribute of immutable type '{}'",
    ),
    ("setattr({}, 'bits', 1)", "TypeError: cannot set 'bits' attribute of immutable type '{}'"),
    (
        "setattr({}, '__repr__', 1)",
        "TypeError: cannot set '__repr__' attribute of immutable type '{}'",
    ),
    (
        "delattr({}, '__repr__')",
        "TypeError: cannot set '__repr__' attribute of immutable type '{}'",
    ),
    ("type('Derived', ({},), {{}})", "TypeError: type '{}' is not an acceptable base type"),
    ("type('Derived', (int, {}), {{}})", "TypeError: type '{}' is not an acceptable base type"),
    ("{}[int]", "TypeError: type '{}' is not subscriptable"),
]


@pytest.mark.parametrize("name", ["torch.dtype", "torch.finfo", "torch.iinfo"])
@pytest.mark.parametrize(("text", "failure"), CLASS_FAILURES)
def test_class_failures(
    failure_of: Callable[[str], str], text: str, failure: str, name: str
) -> None:
    assert failure_of(text.format(name)) == failure.format(name)


@pytest.mark.parametrize("call", ["torch.dtype()", "torch.dtype('float32')", "torch.dtype(x=1)"])
def test_dtypes_cannot_be_made(failure_of: Callable[[str], str], call: str) -> None:
    assert failure_of(call) == "TypeError: cannot create 'torch.dtype' instances"


def test_classes_cannot_be_derived_from() -> None:
    with pytest.raises(TypeError, match=r"^type 'torch\.Thing' is not an acceptable base type$"):

        class Derived(Thing):
            pass


@pytest.mark.parametrize("cls", [torch.dtype, torch.finfo, torch.iinfo])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_classes_are_pickled_and_copied_by_name(cls: type, protocol: int) -> None:
    assert pickle.loads(pickle.dumps(cls, protocol)) is cls
    assert copy.copy(cls) is copy.deepcopy(cls) is cls


def test_a_mapping_class_has_items_and_is_no_sequence() -> None:
    class Mapping:
        def __len__(self) -> int:
            return 1

    mapping_class(Mapping, lambda self, index: index)
    thing: Any = Mapping()
    assert thing[5] == 5
    set_class_attribute(Mapping, "__getitem__", lambda self, index: -index)
    assert thing[5] == -5
    with pytest.raises(TypeError, match=r"^'Mapping' object is not reversible$"):
        reversed(thing)


def test_a_tensor_is_no_sequence() -> None:
    tensor: Any = torch.ones(2)
    with pytest.raises(TypeError, match=r"^'Tensor' object can't be concatenated$"):
        operator.concat(tensor, tensor)


def test_sizes_are_not_repeated_in_place() -> None:
    three: Any = torch.tensor(3)
    size: Any = torch.Size([2])
    for _ in range(2):
        assert three * size == size * three == (2, 2, 2)
        assert three.__imul__(size) is NotImplemented
        with pytest.raises(TypeError, match=r"^unsupported operand type\(s\) for \*="):
            operator.imul(three, size)
