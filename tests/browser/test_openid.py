"""Signing in by OpenID Connect as a person does it: the button, the page of a provider that others wrote, and back."""

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import context_of
from tests.browser.pictures import Camera
from tests.browser.server import START_SECONDS, Server, serving
from tools.servers import free_port

PEOPLE = (
    {"sub": "s-1", "email": "ann@example.org", "email_verified": True},
    {"sub": "s-2", "email": "ann@example.org", "email_verified": False},
)


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """The address of a provider that knows two people, one of whom only says whose address is theirs."""
    port = free_port()
    known = [word for one in PEOPLE for word in ("--user-claims", json.dumps(one))]
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port), *known]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + START_SECONDS
    while True:
        with socket.socket() as found:
            if found.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait()


@pytest.fixture(scope="module")
def openid_server(provider: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server at which that provider is set, and accounts are made."""
    settings = {
        "PERFATLAS_OPENID_ISSUER": provider,
        "PERFATLAS_OPENID_CLIENT_ID": "perfatlas",
        "PERFATLAS_OPENID_CLIENT_SECRET": "s3cret",
        "PERFATLAS_OPENID_NAME": "Example",
        "PERFATLAS_OPENID_CREATES_ACCOUNTS": "true",
    }
    with serving(tmp_path_factory.mktemp("openid"), settings) as running:
        yield running


def test_a_person_signs_in_by_a_provider_and_out_again(
    openid_server: Server, browser: Browser, camera: Camera
) -> None:
    """Whom the provider does not vouch for is told so on the page of signing in, and is not signed in."""
    context = context_of(browser, openid_server, None)
    page = context.new_page()
    page.goto("/account/")
    camera.every_look(page, "sign-in-openid")
    page.get_by_role("link", name="Sign in with Example").click()
    page.get_by_role("button", name=re.compile("s-2")).click()
    expect(page.get_by_role("alert")).to_have_text(
        "Example vouches for no e-mail address of yours: have it verified there."
    )
    camera.every_look(page, "sign-in-openid-refused")
    page.goto("/account/")
    page.get_by_role("link", name="Sign in with Example").click()
    page.get_by_role("button", name=re.compile("s-1")).click()
    expect(page).to_have_url(re.compile("/account/$"))
    expect(page.get_by_role("heading", name="ann@example.org", level=1)).to_be_visible()
    expect(page.locator("main")).to_contain_text("this one")
    page.get_by_role("button", name="Sign out").first.click()
    page.goto("/account/")
    expect(page.get_by_role("heading", name="Sign in", level=1)).to_be_visible()
    context.close()
    assert "Traceback" not in openid_server.output()
