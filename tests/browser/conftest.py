"""A server, a browser and a page that hears everything. No ORM here: what a journey needs, a command makes."""

import os
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect, sync_playwright

from tests.browser.pictures import SIZES, Camera
from tests.browser.server import Server, serving
from tests.browser.watch import Watch
from tools.chromium import find_chromium, flags

# What is not there after this long will not come. On a busy machine a page takes twenty times as long as on a quiet one.
WAIT_MILLISECONDS = 90_000


@pytest.fixture(scope="session", autouse=True)
def short_folder() -> Iterator[None]:
    """Files for a while lie in a folder of a short name: among them are sockets, whose paths may not be long."""
    with tempfile.TemporaryDirectory(prefix="m") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all journeys, on a free port with an empty data folder."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all journeys through the demo systems."""
    with serving(tmp_path_factory.mktemp("demo")) as running:
        running.command("demo")
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; names other than this machine's do not resolve."""
    program = find_chromium()
    if program is None:
        pytest.skip("no browser is installed: Chromium from Debian's packages will do")
    closed = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
    expect.set_options(timeout=WAIT_MILLISECONDS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=[*flags(), closed])
        yield chromium
        chromium.close()


def sign_in(server: Server, browser: Browser) -> StorageState:
    """The cookies of the administrator, who follows the printed link."""
    context = context_of(browser, server, None)
    context.new_page().goto(server.login_link)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="session")
def signed_in(server: Server, browser: Browser) -> StorageState:
    """The cookies of the administrator, who followed the printed link."""
    return sign_in(server, browser)


@pytest.fixture(scope="session")
def signed_in_to_demo(demo_server: Server, browser: Browser) -> StorageState:
    """The same on the server with the demo systems."""
    return sign_in(demo_server, browser)


@pytest.fixture
def watch(server: Server) -> Iterator[Watch]:
    """Fails the test at its end if a page was not silent."""
    watching = Watch(server.address)
    yield watching
    assert not watching.problems, "\n".join(watching.problems)


def context_of(browser: Browser, server: Server, state: StorageState | None) -> BrowserContext:
    """What pages of one person share: the cookies, the size of the window, and the language."""
    width, height = SIZES["wide"]
    context = browser.new_context(
        base_url=server.address,
        storage_state=state,
        viewport={"width": width, "height": height},
        color_scheme="light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    context.set_default_timeout(WAIT_MILLISECONDS)
    return context


@pytest.fixture
def page(server: Server, browser: Browser, signed_in: StorageState, watch: Watch) -> Iterator[Page]:
    """A fresh page of the signed-in administrator: `page.goto("/app/")`."""
    context = context_of(browser, server, signed_in)
    context.on("page", watch.watch)
    yield context.new_page()
    context.close()


@pytest.fixture
def stranger_page(server: Server, browser: Browser, watch: Watch) -> Iterator[Page]:
    """A fresh page of somebody who has not signed in."""
    context = context_of(browser, server, None)
    context.on("page", watch.watch)
    yield context.new_page()
    context.close()


@pytest.fixture
def demo_page(demo_server: Server, browser: Browser, signed_in_to_demo: StorageState) -> Iterator[Page]:
    """A fresh page of the administrator of the demo; it must stay silent, too."""
    watching = Watch(demo_server.address)
    context = context_of(browser, demo_server, signed_in_to_demo)
    context.on("page", watching.watch)
    yield context.new_page()
    context.close()
    assert not watching.problems, "\n".join(watching.problems)


@pytest.fixture
def opened(browser: Browser) -> Iterator[Page]:
    """A page of a browser without any network that must stay silent."""
    watching = Watch("file:///")
    context = browser.new_context(color_scheme="light", offline=True)
    context.on("page", watching.watch)
    yield context.new_page()
    context.close()
    assert not watching.problems, "\n".join(watching.problems)


def _folder(variable: str) -> Path | None:
    name = os.environ.get(variable, "")
    if not name:
        return None
    folder = Path(name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def camera() -> Camera:
    """Writes into the folders that PERFATLAS_SCREENSHOTS (every look) and PERFATLAS_PICTURES (documents) name."""
    return Camera(looks=_folder("PERFATLAS_SCREENSHOTS"), documents=_folder("PERFATLAS_PICTURES"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the server's last lines and what the pages held beneath a failure."""
    report = yield
    # Afterwards the fixtures are gone, and what they would show with them.
    if report.failed and report.when == "call":
        for given in getattr(item, "funcargs", {}).values():
            if isinstance(given, Server):
                report.sections.append(("output of the server", given.output()[-4000:]))
            elif isinstance(given, Page):
                shown = (f"{page.url}\n{page.inner_text('body')}"[:4000] for page in given.context.pages)
                report.sections.append(("the pages", "\n\n".join(shown)))
    return report
