"""The plugin for a plain ``pytest conformance``."""

from conformance.cli.pytest_plugin import *  # noqa: F403  # the hooks and the fixture
