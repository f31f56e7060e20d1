"""What a measuring machine keeps: the address and the secret of the installation that it measures for."""

from pathlib import Path

import pytest
from django.conf import LazySettings

from dashboard.access import Refused
from dashboard.services.machines.loop import keep_secret, kept_connection


def test_the_secret_is_for_one_installation_and_one_account(tmp_path: Path, settings: LazySettings) -> None:
    file = keep_secret(tmp_path, address="https://perf.example.org", secret="perfatlas_machine_x")
    assert file.stat().st_mode & 0o777 == 0o600
    settings.VAR = tmp_path
    assert kept_connection().address == "https://perf.example.org"
    with pytest.raises(Refused, match="measures for an installation already"):
        keep_secret(tmp_path, address="https://other.example.org", secret="perfatlas_machine_y")


@pytest.mark.parametrize(
    "address", ["http://perf.example.org", "http://10.0.0.1:8000", "http://localhost.example.org"]
)
def test_no_secret_goes_over_an_open_line(address: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="begins with https"):
        keep_secret(tmp_path, address=address, secret="perfatlas_machine_x")
    assert not list(tmp_path.iterdir())


def test_a_machine_that_is_not_registered_says_how(tmp_path: Path, settings: LazySettings) -> None:
    settings.VAR = tmp_path
    with pytest.raises(Refused, match="by `manage"):
        kept_connection()
