"""Behind a proxy with TLS the server names the proxy's address, as its own leads there."""

import pytest
from pytest_django import Settings

from dashboard.services.serving.start import public_address


@pytest.mark.parametrize(
    ("host", "address"), [("127.0.0.1", "http://127.0.0.1:8000"), ("::1", "http://[::1]:8000")]
)
def test_without_tls_people_open_the_server_itself(host: str, address: str) -> None:
    assert public_address(host, 8000) == address


@pytest.mark.parametrize(
    ("origins", "address"),
    [(["https://perf.example.org:8443"], "https://perf.example.org:8443"), ([], "https://perf.example.org")],
)
def test_with_tls_people_open_the_proxy(settings: Settings, origins: list[str], address: str) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS = ["perf.example.org"], origins
    assert public_address("127.0.0.1", 8000) == address
