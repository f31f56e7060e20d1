"""The measured system is that of the pages' tests."""

from tests.dashboard.pages.conftest import measured

__all__ = ["measured"]
