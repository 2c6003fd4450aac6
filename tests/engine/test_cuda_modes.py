"""CUDA without a GPU: both libraries run in their device modes, without elements."""

from types import SimpleNamespace

import pytest

import impl
from conformance.core.domain import Domain
from conformance.core.profiles import Profile
from conformance.engine.execution import run_property
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.libraries.library import Library
from conformance.observation.cuda_modes import (
    FakeTensorLibrary,
    LibraryInContext,
    cuda_device_count,
    devices_in,
    observe_fake,
)
from conformance.properties import all_properties
from impl.testing import simulated_cuda

RIGHT = Library("impl", impl)


class Wrong(Library):
    """A subject that reports the first device for every tensor."""

    def run(self, source, scope):
        return super().run(source.replace("cuda:1", "cuda:0"), scope)


def run(subject, *steps):
    prop = Property(
        "planted.cuda",
        "Planted.",
        lambda ask, text: ask(*text),
        1,
        domain=lambda torch: Domain(text=[steps]),
        cuda=True,
    )
    [record] = run_property(Session(RIGHT, subject, Profile("test", 1)), prop)
    return record


def test_a_subject_that_simulates_has_devices_while_programs_run():
    assert cuda_device_count(RIGHT) == 0
    session = Session(RIGHT, RIGHT, Profile("test", 1)).on_cuda()
    assert isinstance(session.subject, LibraryInContext)
    assert session.subject.run("torch.cuda.device_count()", session.subject.scope()) == 2
    assert cuda_device_count(RIGHT) == 0


def test_a_result_on_another_device_is_seen():
    steps = ("x = torch.ones(2, device='cuda:1')", "x + 1")
    assert not run(RIGHT, *steps).divergences
    divergences = run(Wrong("wrong", impl, RIGHT.names), *steps).divergences.values()
    assert {row.facet for row in divergences} & {"device", "state"}


def test_what_names_no_device_is_asked_of_the_library_itself():
    programs = []

    class Watched(Library):
        def run(self, source, scope):
            programs.append((source, cuda_device_count(self)))
            return super().run(source, scope)

    watched = Watched("watched", impl, RIGHT.names)
    run(watched, "torch.ones(1)")
    run(watched, "torch.ones(1, device='cuda:1')")
    assert programs == [("torch.ones(1)", 0), ("torch.ones(1, device='cuda:1')", 2)]


def test_words_about_devices_count_as_the_devices_that_they_name():
    assert devices_in("found at least two devices, cuda:1 and cpu!") == "tensors on cpu and cuda:1"
    assert devices_in("got mask on cpu and self on cuda:0") == "tensors on cpu and cuda:0"
    assert devices_in("Torch not compiled with CUDA enabled") == "of something else than devices"
    assert devices_in("an error of cpu alone") == "of something else than devices"
    assert devices_in('"add_cpu" on cuda:0') == "of something else than devices"


def test_fake_tensors_are_looked_at_as_far_as_they_go():
    class fake_tensor(RuntimeError):
        __module__ = "torch._subclasses.fake_tensor"

    assert FakeTensorLibrary(RIGHT, None).class_name(fake_tensor) == "RuntimeError"
    session = Session(RIGHT, RIGHT, Profile("test", 1)).on_cuda()
    assert session.observer is not observe_fake


@pytest.mark.parametrize(("count", "names_a_second"), [(0, True), (1, False), (2, True)])
def test_programs_name_the_devices_that_the_oracle_has(count, names_a_second):
    cuda = SimpleNamespace(device_count=lambda: count, is_available=lambda: count > 0)
    torch = SimpleNamespace(cuda=cuda)
    properties = [prop for prop in all_properties().values() if prop.area == "cuda"]
    properties = [prop for prop in properties if prop.id != "cuda.overloads"]  # it has no devices
    assert properties
    for prop in properties:
        cells = map(str, prop.domain(torch).cells(0, 1))
        assert any("cuda:1" in cell for cell in cells) == names_a_second, prop.id


def test_a_library_with_one_device_is_asked_itself():
    with simulated_cuda(1):
        session = Session(RIGHT, RIGHT, Profile("test", 1)).on_cuda()
        assert session.oracle is session.subject is RIGHT
