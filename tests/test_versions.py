"""torch.__version__ and its comparisons."""

import pickle

import pytest

import impl
from impl.torch_version import TorchVersion


def test_the_version() -> None:
    assert impl.__version__ == impl.version.__version__
    assert isinstance(impl.__version__, TorchVersion)
    assert impl.__version__.partition("+")[2] == "impl"
    assert type(impl.version.__version__) is str
    assert (impl.version.cuda, impl.version.hip, impl.version.debug) == (None, None, False)


ORDERED = (
    "0!0.1", "1.0.dev0", "1.0a1.dev1", "1.0a1", "1.0beta", "1.0-c1", "1.0", "1.0+abc", "1.0+abd",
    "1.0+5", "1.0+5.a", "1.0.post1.dev2", "1.0-1", "1.0.1", "1.10", "1!0",
)  # fmt: skip


def test_the_order_is_that_of_pep_440() -> None:
    versions = [TorchVersion(text) for text in ORDERED]
    for index, (low, high) in enumerate(zip(versions, ORDERED[1:], strict=False)):
        assert (low < high, low <= high, low > high, low >= high) == (True, True, False, False)
        assert low != versions[index + 1]
    assert [*map(str, sorted(versions))] == [*ORDERED]


@pytest.mark.parametrize("same", ["1.2.0", "v1.2", " 1.2 ", (1, 2), [1, 2, 0], {1: 0, 2: 0}])
def test_equal_versions(same: object) -> None:
    assert TorchVersion("1.2") == same


def test_what_is_no_version_is_compared_as_a_string() -> None:
    assert TorchVersion("parrot") > "1.2"
    assert TorchVersion("1.2") < "parrot"
    with pytest.raises(TypeError, match="'<' not supported between instances"):
        TorchVersion("1.2") < 2  # noqa: B015


def test_unequal_strings_are_unequal() -> None:
    assert TorchVersion("1.2") == "1.2.0"
    assert TorchVersion("1.2") != "1.2.0"


def test_versions_are_hashed_and_pickled_as_strings() -> None:
    version = TorchVersion("1.2")
    assert hash(version) == hash("1.2")
    assert type(pickle.loads(pickle.dumps(version))) is TorchVersion
