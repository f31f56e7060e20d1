"""Every page can be used by everyone: axe finds nothing serious, in light and dark."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from dashboard.pages.addresses import HOME, SECTIONS, address
from tests.browser.conftest import WAIT_MILLISECONDS
from tests.browser.pictures import SETTLED

# What the sections of the application name by themselves, one thing within some of them, and pages outside of it.
PAGES = {
    "home": HOME,
    "nothing": address("nothing-here"),
    **{section or "overview": address("markdown", section) for section in SECTIONS},
    "option": address("markdown", "options", "codehilite"),
    "writing": address("markdown", "reports", "new"),
    "region": address("markdown", "regions", "pygments.plugin:iter_entry_points"),
    "all-histories": address("markdown", "histories", "all"),
    "without-model": address("pygments", "analysis"),
    "documents": "/docs/",
    "document": "/docs/reference/glossary",
    "tutorial": "/docs/tutorial/ten-minutes",
    "found-in-documents": "/docs/?q=chain",
    "import": "/import/",
    "members": "/systems/markdown/members/",
    "alerts": "/systems/markdown/alerts/",
    "badges": "/systems/markdown/badges/",
    "audit-trail": "/systems/markdown/audit/",
    "account": "/account/",
    "forgotten-password": "/forgot/",
    "teams": "/teams/",
    "machines": "/machines/",
    "comparison": f"{address('markdown', 'influences')}?compared=codehilite*smarty",
    "step": f"{address('markdown', 'histories')}?term=codehilite&revision=3.2.2",
    "chain": f"{address('markdown', 'regions', 'pygments.plugin:iter_entry_points')}?term=codehilite&option=codehilite",
    "accounts": "/accounts/",
}
# A grid draws its head and its rows after the page: until then both are lists without entries.
DRAWN = """() => !document.querySelector('.skeleton')
    && !!document.querySelector('h1')?.textContent.trim()
    && ![...document.querySelectorAll(
        '.ag-root-wrapper:not(:has(.ag-overlay-no-rows-center)) :is(.ag-header-row, .ag-center-cols-container):empty'
    )].some((empty) => empty.checkVisibility())"""


# Of axe-core's rules.
OF_COLOURS = ("color-contrast", "link-in-text-block")


def open_whole(page: Page, path: str) -> None:
    """Go there and wait until nothing is on its way."""
    page.goto(path)
    wait_whole(page)


def wait_whole(page: Page) -> None:
    """Wait until nothing is on its way."""
    page.wait_for_function(DRAWN, timeout=WAIT_MILLISECONDS)
    page.evaluate(SETTLED)
    # What came meanwhile may have drawn a grid anew.
    page.wait_for_function(DRAWN, timeout=WAIT_MILLISECONDS)


def serious(page: Page, *rules: str) -> list[tuple[str, list[str], str]]:
    """What axe-core judges to be serious of the page as it stands, by these rules or all: the rule, where, and why."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": rules}
    found = Axe().run(page, options=options).response["violations"]
    return [
        (one["id"], node["target"], node["failureSummary"])
        for one in found
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]


def serious_at_rest(page: Page, *rules: str) -> list[tuple[str, list[str], str]]:
    """The same, but of what stays: on a busy machine a grid may be drawn anew while axe looks at it."""
    if not serious(page, *rules):
        return []
    wait_whole(page)
    return serious(page, *rules)


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(demo_page: Page, name: str) -> None:
    """Names, contrasts, landmarks, what the keyboard reaches: as axe-core judges them.

    The page stands in light; then, as in the evening, the system turns dark, which only what is about colours can tell.
    """
    open_whole(demo_page, PAGES[name])
    assert not serious_at_rest(demo_page)
    demo_page.emulate_media(color_scheme="dark")
    demo_page.locator("html[data-mantine-color-scheme=dark]").wait_for()
    wait_whole(demo_page)
    assert not serious_at_rest(demo_page, *OF_COLOURS)


@pytest.mark.parametrize("name", ["regions", "measure"])
def test_tools_of_a_figure_leave_its_title_room_on_a_phone(demo_page: Page, name: str) -> None:
    """A field among them stands below: beside it a title would have a letter a line."""
    demo_page.set_viewport_size({"width": 390, "height": 844})
    open_whole(demo_page, PAGES[name])
    heads = demo_page.locator(".figure-titles:visible").all()
    assert min(head.evaluate("head => head.offsetWidth") for head in heads) >= 180


def test_the_name_of_what_is_selected_keeps_its_line_in_a_narrow_window(demo_page: Page) -> None:
    """Beside a long configuration "compared with" was broken into two lines and cut off."""
    demo_page.set_viewport_size({"width": 390, "height": 844})
    demo_page.goto("/app/s/markdown/what-if?compared=fenced_code*codehilite*tables*footnotes*smarty")
    label = demo_page.locator(".lens-chip-label", has_text="compared with")
    expect(label).to_be_visible()
    lines = label.evaluate(
        "own => own.getBoundingClientRect().height / parseFloat(getComputedStyle(own).lineHeight)"
    )
    assert lines == pytest.approx(1.0, abs=0.2)


def test_the_options_of_a_line_of_source_end_within_a_narrow_window(demo_page: Page) -> None:
    """Beneath their line, where they wrap: all can be seen without moving the source."""
    demo_page.set_viewport_size({"width": 580, "height": 844})
    demo_page.goto("/app/s/markdown/regions/markdown.treeprocessors%3AInlineProcessor.__applyPattern")
    expect(demo_page.locator(".source-chips .chip").first).to_be_visible()
    beyond = """() => {
      const edge = document.querySelector(".source").getBoundingClientRect().right;
      return [...document.querySelectorAll(".source-chips .chip")]
        .map((chip) => Math.round(chip.getBoundingClientRect().right - edge)).filter((over) => over > 0);
    }"""
    assert demo_page.evaluate(beyond) == []
