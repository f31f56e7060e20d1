"""What a run of tests has begun ends with it, even where pytest is killed."""

import os
import secrets
from contextlib import ExitStack

import pytest

from tools.leftovers import ended_with_us


def pytest_configure(config: pytest.Config) -> None:
    """Mark whatever the tests start, and have it ended where nobody else can."""
    if hasattr(config, "workerinput"):
        return
    # Servers get no variable of ours that begins with PERFATLAS_.
    os.environ["TEST_SESSION_OF_PERFATLAS"] = session = secrets.token_hex(8)
    until_end = ExitStack()
    until_end.enter_context(ended_with_us(f"TEST_SESSION_OF_PERFATLAS={session}"))
    config.add_cleanup(until_end.close)
