"""Makes ``pytest conformance`` work by itself."""

from conformance.cli.pytest_plugin import *  # noqa: F403  # the hooks and the fixture
