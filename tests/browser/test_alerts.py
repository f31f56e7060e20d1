"""An admin is told of a change: a rule is made in the browser, a webhook arrives, its link acknowledges; mail needs an address."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import WAIT_MILLISECONDS, context_of, sign_in
from tests.browser.pictures import SCHEMES, Camera
from tests.browser.server import Server, serving
from tests.browser.test_for_everyone import serious
from tests.browser.watch import Watch
from tests.dashboard.importers import asv_sample as sample
from tests.sinks import Postbox, Sink, posting, sinking

PAGE = "/systems/suite-with-bells/alerts/"


@pytest.fixture
def sink() -> Iterator[Sink]:
    """What is sent to a web server on this machine."""
    with sinking() as found:
        yield found


@pytest.fixture
def postbox() -> Iterator[Postbox]:
    """What is sent to a mail server on this machine."""
    with posting() as found:
        yield found


@pytest.fixture
def bells(tmp_path_factory: pytest.TempPathFactory, postbox: Postbox) -> Iterator[Server]:
    """A server with a mail server, whose webhooks may call this machine."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        # Links for people are sent where the address is known that they begin with.
        "PERFATLAS_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "PERFATLAS_ALERT_INNER_HOSTS": "127.0.0.1",
        "PERFATLAS_EMAIL_URL": f"smtp://127.0.0.1:{postbox.port}",
    }
    with serving(tmp_path_factory.mktemp("bells"), settings, port=port) as running:
        yield running


@pytest.fixture
def admins_page(bells: Server, browser: Browser) -> Iterator[Page]:
    """A page of its administrator that stays silent, also where an address within a message leads."""
    watching = Watch(bells.address)
    watching.expect("status of 400")
    context = context_of(browser, bells, sign_in(bells, browser))
    context.on("page", watching.watch)
    yield context.new_page()
    context.close()
    assert not watching.problems, "\n".join(watching.problems)


def _look(page: Page, camera: Camera, name: str) -> None:
    camera.every_look(page, name)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert not serious(page)


def _arrived(sink: Sink, many: int) -> dict[str, object]:
    """The newest message, once so many came."""
    deadline = monotonic() + WAIT_MILLISECONDS / 1000
    while len(sink.bodies) < many:
        assert monotonic() < deadline, f"{len(sink.bodies)} of {many} messages came"
        sleep(0.1)
    return sink.bodies[-1]


def _make_rule(page: Page, sink: Sink, camera: Camera) -> None:
    page.goto(PAGE)
    expect(page.locator("main")).to_contain_text("No rule yet")
    _look(page, camera, "alerts-empty")
    page.get_by_label("Name", exact=True).fill("benchmarks got slower")
    page.get_by_label("Webhook", exact=True).fill("http://hooks.example.org/x")
    page.get_by_role("button", name="Make the rule").click()
    expect(page.locator("main")).to_contain_text("must begin with https://")
    _look(page, camera, "alerts-refused")
    page.get_by_label("Webhook", exact=True).fill(sink.address)
    page.get_by_role("button", name="Make the rule").click()
    expect(page.get_by_role("status")).to_have_text("The rule benchmarks got slower is kept.")
    assert "s3cret" not in page.content()


def _acknowledge(page: Page, link: str, camera: Camera) -> None:
    page.goto(link)
    assert page.url.endswith("/alert/"), "the secret stays in no address"
    expect(page.get_by_role("heading").first).to_contain_text("+100")
    _look(page, camera, "alert")
    page.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_role("status")).to_contain_text("acknowledged")
    _look(page, camera, "alert-acknowledged")


def test_a_change_is_told_to_a_webhook_and_acknowledged(
    admins_page: Page, bells: Server, sink: Sink, tmp_path: Path, camera: Camera
) -> None:
    page, files = admins_page, sample.stepped()
    level = {name: content for name, content in files.items() if not name[4:].split(".")[0].isdecimal()}
    folder = sample.write(level, tmp_path / "results")
    bells.command("import", "asv", str(folder), "--system", "Suite with bells")
    _make_rule(page, sink, camera)

    page.get_by_role("button", name="Send a test of benchmarks got slower").click()
    assert _arrived(sink, 1)["test"] is True
    sample.write(files, folder)
    bells.command("import", "asv", str(folder), "--system", "Suite with bells")
    told = _arrived(sink, 2)
    assert (told["system"], told["test"]) == ("suite-with-bells", False)

    page.goto(PAGE)
    expect(page.get_by_role("table").last).to_contain_text("127.0.0.1: sent")
    _look(page, camera, "alerts")
    _acknowledge(page, str(told["link"]), camera)
    page.goto(PAGE)
    expect(page.locator("main")).to_contain_text("admin spoke of it.")
    page.get_by_role("link", name="benchmarks got slower").click()
    expect(page.get_by_role("heading", name="Change the rule")).to_be_visible()
    _look(page, camera, "alert-rule")
    page.goto("/app/s/suite-with-bells/histories?state=all")
    expect(page.locator("#suite-findings [data-triage-key] > summary").first).to_have_text("acknowledged")


def _link(postbox: Postbox, many: int) -> str:
    """The link in the newest message, once so many came."""
    deadline = monotonic() + WAIT_MILLISECONDS / 1000
    while len(postbox.taken) < many:
        assert monotonic() < deadline, f"{len(postbox.taken)} of {many} messages came"
        sleep(0.1)
    found = re.search(r"http://\S+", postbox.taken[-1][1].get_content())
    assert found
    return found[0]


def test_an_address_is_confirmed_and_a_forgotten_password_is_set(
    admins_page: Page, postbox: Postbox, camera: Camera
) -> None:
    page = admins_page
    page.goto("/account/")
    page.get_by_label("Your address").fill("admin@example.org")
    _look(page, camera, "account-without-address")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("status")).to_contain_text("A link is on its way to admin@example.org")
    page.goto(_link(postbox, 1))
    expect(page.get_by_role("heading", name="Is admin@example.org yours?")).to_be_visible()
    _look(page, camera, "address")
    page.get_by_role("button", name="Yes, send messages there").click()
    expect(page.get_by_role("status")).to_have_text("Messages for you go to admin@example.org.")
    _look(page, camera, "account-with-address")
    page.get_by_role("button", name="Sign out").first.click()
    page.get_by_role("link", name="Get a link for a new one").click()
    page.get_by_label("Name or e-mail address").fill("admin@example.org")
    _look(page, camera, "forgot")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("status")).to_contain_text("If there is such an account")
    _look(page, camera, "forgot-sent")
    page.goto(_link(postbox, 2))
    page.get_by_label("New password, at least 8 characters").fill("a-long-new-password")
    page.get_by_label("The new password again").fill("a-long-new-password")
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("status")).to_have_text("The password is set. Sign in with it.")
