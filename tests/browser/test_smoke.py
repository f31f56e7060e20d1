"""The server answers, signs in by its link once, and leaves nothing behind."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, expect

from tests.browser.server import Server, start_server, stop_process
from tests.browser.watch import Watch


def test_the_first_page_opens_in_silence(page: Page) -> None:
    """Signed in, the root leads to the application; console and network stay quiet."""
    page.goto("/")
    expect(page).to_have_url(re.compile(r"/app/"))
    expect(page).to_have_title(re.compile("Perfatlas"))


def test_an_address_that_is_a_script_leads_nowhere(page: Page) -> None:
    """As in Dash's own elements, so in those that only stand there."""
    page.goto("/app/")
    expect(page.locator("h1")).to_be_visible()
    link = "{type: 'A', props: {href: 'javascript:alert(1)', children: 'x'}}"
    assert page.evaluate(f"perfatlas.Static({{tree: {link}}}).props.href") == "about:blank"


def test_the_printed_link_works_once(page: Page, stranger_page: Page, server: Server, watch: Watch) -> None:
    """The administrator came in by it; whoever finds it later does not."""
    page.goto("/app/")
    watch.expect("404")
    answer = stranger_page.goto(server.login_link)
    assert answer is not None
    assert answer.status == 404


def test_who_is_not_signed_in_is_asked_to(stranger_page: Page) -> None:
    """No page of the application is shown; the way back is kept in the address."""
    stranger_page.goto("/app/")
    expect(stranger_page).to_have_url(re.compile(r"/login/\?next=/app/"))
    expect(stranger_page.get_by_role("button", name="Sign in")).to_be_visible()


def test_a_page_that_is_not_silent_is_noticed(page: Page, watch: Watch) -> None:
    """Messages, uncaught errors, what the policy refuses and requests to others are heard, and can be expected."""
    page.goto("/app/")
    page.evaluate("console.warn('careful')")
    page.evaluate("() => { setTimeout(() => { throw new Error('out of reach') }, 0) }")
    page.evaluate("fetch('http://example.org/').catch(() => null)")
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        page.goto("http://example.org/")
    heard = "\n".join(watch.problems)
    watch.expect(".")
    for said in ("careful", "out of reach", "Content Security Policy", "request to http://example.org/"):
        assert said in heard
    assert not watch.problems


def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    """The server ends by itself, with its web server and its workers."""
    own = start_server(tmp_path)
    assert len(own.processes()) > 2
    assert stop_process(own.process) == 0
    assert own.processes() == []
