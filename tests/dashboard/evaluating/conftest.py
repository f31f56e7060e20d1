"""The machine to measure on is that of the measuring tests."""

from tests.dashboard.measuring.conftest import machine, machine_folder, sent

__all__ = ["machine", "machine_folder", "sent"]
