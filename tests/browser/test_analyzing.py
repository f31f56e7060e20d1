"""From a program to the reason: it is analyzed, measured, and a term leads over a function to the chain of an option."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from runner.state import open_state
from tests.browser.pictures import SETTLED, Camera
from tests.browser.server import Server
from tests.dashboard.whitebox.figure_2 import write_figure_2

# Until the worker has run the program: it may be waiting for the machine.
_PATIENCE = 240_000


@pytest.fixture
def figure(server: Server, tmp_path: Path) -> Iterator[str]:
    """The address of the system of Figure 2, which is registered."""
    server.command("register", str(write_figure_2(tmp_path / "figure")))
    yield "/app/s/figure-2"
    # Where the server's folder is closed to the subject's user, the runner's state lies elsewhere.
    shutil.rmtree(open_state(server.var / "runner").root, ignore_errors=True)


def test_from_a_program_to_the_way_of_an_option(page: Page, figure: str, camera: Camera) -> None:
    """Nothing is reloaded on the way."""
    page.goto(f"{figure}/analysis")
    camera.every_look(page, "analysis-none")
    page.get_by_role("button", name="Analyze Figure 2").click()
    sentence = page.get_by_role("heading", level=1)
    expect(sentence).to_have_text(
        "3 of 5 options change what Figure 2 does; D and E change nothing that is counted", timeout=_PATIENCE
    )
    measure = page.get_by_role("button", name="Measure these 4 configurations")
    expect(measure).to_be_visible(timeout=_PATIENCE)
    expect(page.get_by_text("9 of 9 subspaces seen")).to_be_visible()
    camera.every_look(page, "analysis")
    measure.click()
    page.get_by_role("link", name="Open the influences").click(timeout=_PATIENCE)
    # On a busy machine the times of so few runs may not tell any term from zero.
    page.get_by_role("button", name="may be zero").click()
    _from_the_term_to_the_chain(page, camera)
    _where_an_option_never_gets(page, figure)


def _from_the_term_to_the_chain(page: Page, camera: Camera) -> None:
    # A key goes to what has the focus, and rows that are drawn anew between the two lose it.
    page.evaluate(SETTLED)
    page.locator("#terms-rows .figure-row").filter(has_text="A × C").locator("button").press("Enter")
    expect(page).to_have_url(re.compile(r"term="))
    page.evaluate(SETTLED)
    page.locator("#term-regions-rows .figure-row").filter(has_text="bar").locator("a").press("Enter")
    expect(page).to_have_url(re.compile(r"/regions/"))
    source = page.locator("#region-source")
    page.evaluate(SETTLED)
    source.get_by_role("button", name="C is in the value that is tested here").click()
    expect(page).to_have_url(re.compile(r"line=27&option=C|option=C&line=27"))
    chain = page.get_by_role("region", name="Chain")
    expect(chain.get_by_role("heading")).to_have_text("C gets to line 27 of bar in 3 steps")
    expect(chain.locator(".chain-text")).to_have_text(['c = options["C"]', "bar(c, second)", "if x:"])
    camera.every_look(page, "chain")
    page.reload()
    expect(chain.locator(".chain-step")).to_have_count(3)
    chain.get_by_role("link").filter(has_text="bar(c, second)").click()
    expect(page.locator(".source-line-here")).to_contain_text("bar(c, second)")
    expect(page.locator("#region-sentence")).to_contain_text("main takes")


def _where_an_option_never_gets(page: Page, figure: str) -> None:
    page.goto(f"{figure}/regions/tiny:foo")
    never = page.locator(".partition-never")
    expect(never).to_contain_text("never reached, in all 4 traced runs, by")
    never.get_by_role("button", name="D").click()
    expect(page.get_by_role("region", name="Chain")).to_contain_text(
        "In all 4 traced configurations, D was in no decision of this region"
    )
