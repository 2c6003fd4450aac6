"""Adapters: what an author tells the suite of a library, and the facts that it lacks."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy
import pytest

import impl
from conformance.adapter import FACTS, Adapter, Namespace
from conformance.core.domain import Domain
from conformance.core.errors import CouldNotRun
from conformance.core.profiles import Profile
from conformance.engine.execution import run_property
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.libraries.library import Library
from conformance.libraries.loading import load
from conformance.observation.cross_device import observer_for
from conformance.observation.lacking_facts import lacking_facts, name_equal_dtypes
from conformance.observation.tensor_state import READERS

ORACLE = Library("impl", impl)
LACKED = ("stride", "untyped_storage", "data_ptr", "_version", "storage_offset")


class Base:
    """The class of all tensors of the library."""


class Array(Base):
    """A tensor of another library, around one of impl, with fewer members."""

    def __init__(self, tensor):
        self._tensor = tensor

    def __getattr__(self, name):
        if name in LACKED or name == "_tensor":
            raise AttributeError(name)
        value = getattr(self._tensor, name)
        return _wrapping(value) if callable(value) else _wrapped(value)

    def __add__(self, other):
        return Array(self._tensor + getattr(other, "_tensor", other))

    def __repr__(self):
        return repr(self._tensor)


def _wrapped(value):
    return Array(value) if type(value) is impl.Tensor else value


def _wrapping(function):
    def call(*args, **keywords):
        args = [getattr(each, "_tensor", each) for each in args]
        return _wrapped(function(*args, **keywords))

    return call


class Module:
    """The functions of that library."""

    __name__ = "arrays"

    def __getattr__(self, name):
        value = getattr(impl, name)
        is_function = callable(value) and not isinstance(value, type)
        return _wrapping(value) if is_function else value


def elements(array):
    return array._tensor.numpy()


def session_of(adapter):
    return session_with(Library("arrays", adapter.module, ORACLE.names, adapter))


def session_with(subject):
    lacking = lacking_facts(subject)
    subject.not_asked = subject.not_asked.union(lacking)
    observer = observer_for(subject)
    return Session(ORACLE, subject, Profile("test", 1), observer=observer, lacking=lacking)


def ask(session, *programs):
    prop = Property(
        "planted.programs", "Planted.", lambda ask, text: ask(*text), 1,
        domain=lambda torch: Domain(text=programs),
    )  # fmt: skip
    [record] = run_property(session, prop)
    return record


ADAPTER = Adapter(Module(), tensor=Array, elements=elements)


def test_facts_that_are_lacking_are_found_and_not_asked():
    session = session_of(ADAPTER)
    assert {"stride", "offset", "storage", "address", "version"} <= session.lacking.keys()
    assert session.lacking["stride"] == "AttributeError: stride"
    assert not {"dtype", "shape", "is_leaf", "elements", "repr"} & session.lacking.keys()
    record = ask(session, ("x = torch.ones(2, 3)", "x + 1"))
    assert not record.divergences
    assert {"dtype", "shape", "elements", "autograd"} <= record.facets.keys()
    assert "stride" not in record.facets
    assert record.not_asked["stride"] == record.facets["shape"]


def test_what_can_be_asked_is_still_wrong():
    class Wrong(Module):
        def __getattr__(self, name):
            if name == "ones":
                return lambda *sizes: Array(impl.full(sizes, 2.0))
            return super().__getattr__(name)

    session = session_of(replace(ADAPTER, module=Wrong()))
    divergence, text = ask(session, ("torch.ones(2)", "torch.zeros(2)")).divergences.values()
    assert (divergence.facet, divergence.expected[0]) == ("elements", "3f800000")
    assert (text.facet, text.observed) == ("repr", "tensor([2., 2.])")


def test_a_class_alone_neither_hides_nor_blocks_what_follows():
    class Named(Module):
        Tensor = Base  # the class of a tensor is another one

    session = session_of(Adapter(Named(), elements=elements))
    record = ask(session, ("x = torch.ones(2)", "x + 1"))
    assert {row.facet for row in record.divergences.values()} == {"value", "state"}
    assert {row.level for row in record.divergences.values()} == {2}
    assert record.facets["elements"] == 1
    assert not record.visits.blocked


def test_a_step_that_the_library_declines_blocks_its_program():
    class Declined(Exception):
        pass

    class Declining(Module):
        def __getattr__(self, name):
            if name == "sum":
                return lambda *args: (_ for _ in ()).throw(Declined())
            return super().__getattr__(name)

    session = session_of(replace(ADAPTER, module=Declining(), declines=(Declined,)))
    record = ask(session, ("x = torch.ones(2)", "torch.sum(x)"), ("torch.ones(2)",))
    assert not record.divergences
    assert [*record.visits.blocked] == ["Declined, which the adapter declines"]
    assert len(record.visits.seen) == 1


def test_steps_run_in_the_context_of_the_adapter():
    entered = []

    class Context:
        def __enter__(self):
            entered.append(True)

        def __exit__(self, *error):
            pass

    library = Library("impl", impl, (), Adapter(impl, context=Context))
    library.run("torch.ones(1)", library.scope())
    library.run("x = 1", library.scope())
    assert len(entered) == 2


def test_a_module_with_an_adapter_is_a_subject(tmp_path, monkeypatch):
    (tmp_path / "held.py").write_text(
        "import impl\nfrom conformance.adapter import Adapter\nmade = []\n"
        "adapter = Adapter('impl', names={'single': impl.float32}, imports=['json'],"
        " setup=lambda: made.append(1))\n"
        "other = Adapter('impl', setup=lambda: 1 / 0)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    library = load("held", ORACLE.names)
    assert library.root.single is impl.float32
    assert library.root.ones is impl.ones
    assert __import__("held").made == [1]
    with pytest.raises(CouldNotRun, match="its setup raises ZeroDivisionError"):
        load("held:other", ORACLE.names)


def test_only_facts_that_may_be_lacking_can_be_declared():
    with pytest.raises(ValueError, match="shape: no fact that a library may lack"):
        Adapter(impl, not_asked=["shape"])
    assert [fact.name for fact in FACTS if not fact.optional] == ["dtype", "shape"]


def test_elements_may_be_bytes_or_an_array():
    tensor = SimpleNamespace(shape=(2,), layout="torch.strided")
    for content in (b"\1\0\2\0", numpy.array([1, 2], numpy.int16)):
        adapter = Adapter(impl, tensor=Array, elements=lambda array, content=content: content)
        library = Library("impl", impl, (), adapter)
        assert READERS["elements"](tensor, library) == ["0001", "0002"]


def test_a_namespace_has_the_names_of_its_module():
    namespace = Namespace(impl, extra=3)
    assert namespace.extra == 3
    assert namespace.ones is impl.ones
    assert {"extra", "ones"} <= {*dir(namespace)}
    with pytest.raises(AttributeError):
        _ = namespace.nothing


def test_every_fact_that_may_be_lacking_is_looked_for():
    class Bare:
        def __repr__(self):
            raise NotImplementedError

    library = Library(
        "bare", SimpleNamespace(ones=lambda size: Bare()), (), Adapter(None, tensor=Bare)
    )
    assert lacking_facts(library).keys() == {fact.name for fact in FACTS if fact.optional}


def test_dtypes_that_are_equal_and_not_identical_have_names():
    class Dtype:
        def __init__(self, name):
            self.name = name

        def __eq__(self, other):
            return type(other) is Dtype and other.name == self.name

        def __hash__(self):
            return hash(self.name)

    class Copied(Array):
        dtype = property(lambda self: Dtype("float32"))

    class Equal(Module):
        float32, float64 = Dtype("float32"), Dtype("float64")

        def __getattr__(self, name):
            if name == "ones":
                return lambda *sizes: Copied(impl.ones(sizes))
            return super().__getattr__(name)

    library = Library("planted", Equal(), ORACLE.names, Adapter(Equal(), tensor=Array))
    assert library.name_of(Dtype("float32")) is None
    name_equal_dtypes(library)
    assert library.name_of(Dtype("float32")) == "float32"
    assert library.name_of(Dtype("other")) is None
    assert library.name_of([]) is None


def test_identical_dtypes_stay_the_only_ones():
    library = Library("impl", impl)
    name_equal_dtypes(library)
    assert library.name_of(impl.float32) == "float32"
    assert library._class_of_equal_dtypes is None


def test_without_torch_a_run_names_both_ways_on(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(CouldNotRun, match=r"pip install torch==.*--oracle recorded:FILE"):
        load("torch")
