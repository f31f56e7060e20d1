"""The machine to measure on is that of the measuring tests, the measured system that of the pages' tests."""

from tests.dashboard.measuring.conftest import machine, machine_folder, sent, tiny
from tests.dashboard.pages.conftest import measured

__all__ = ["machine", "machine_folder", "measured", "sent", "tiny"]
