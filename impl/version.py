"""torch.version: the version of torch that impl follows, as a build without accelerators."""

from ._runtime.version_numbers import GIT_VERSION, VERSION

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

__version__ = VERSION
git_version = GIT_VERSION
debug = False
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
