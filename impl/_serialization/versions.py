"""The checks of a pickle module's version, and kin (torch/serialization.py)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._runtime.errors import check
from .._runtime.lazy_exports import public_in
from .._runtime.lazy_import import LazyModule
from .._runtime.warnings import warn

shutil: Any = LazyModule("shutil")
tempfile: Any = LazyModule("tempfile")


@public_in("serialization")
class SourceChangeWarning(Warning):
    """The source of a saved class has changed."""


@public_in("serialization")
@contextmanager
def mkdtemp() -> Iterator[str]:
    """Return a context with the path of a new folder, which is deleted afterwards."""
    path = tempfile.mkdtemp()
    try:
        yield path
    finally:
        shutil.rmtree(path)


@public_in("serialization")
def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: Any, error_if_malformed: bool = True
) -> bool:
    """Return whether a module has at least a version; warn or raise if its version is malformed."""
    try:
        parts = module.__version__.split(".")
        version = tuple(type(part)(parts[i]) for i, part in enumerate(req_version_tuple))
        return bool(version >= req_version_tuple)
    except Exception as error:
        message = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and"
            f" cannot be compared with tuple {req_version_tuple}"
        )
        if error_if_malformed:
            raise RuntimeError(message) from error
        warn(message + ", but continuing assuming that requirement is met")
        return True


_DILL_VERSION = (0, 3, 1)


def check_dill_version(pickle_module: Any) -> None:
    """Raise if the pickle module is a version of dill that is too old."""
    if pickle_module is None or pickle_module.__name__ != "dill":
        return
    check(
        check_module_version_greater_or_equal(pickle_module, _DILL_VERSION, False),
        lambda: (
            f"'torch' supports dill >= {'.'.join(map(str, _DILL_VERSION))}, but you have dill"
            f" {pickle_module.__version__}. Please upgrade dill or switch to 'pickle'"
        ),
        ValueError,
    )
