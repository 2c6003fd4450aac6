"""torch.version: the version of torch that impl follows, as a build without accelerators."""

from ._runtime import version_numbers as _numbers

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

__version__ = _numbers.VERSION
git_version = _numbers.GIT_VERSION
debug = False
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
