"""Makes ``pytest conformance`` work by itself."""

from conformance.plugin import *  # noqa: F403  # the hooks and the fixture
