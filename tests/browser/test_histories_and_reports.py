"""From the demo's history to the release of a step, and from a view to a report that a stranger reads by link."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.pictures import Camera

HISTORIES = "/app/s/pygments/histories"


def open_history(page: Page, query: str = "") -> None:
    page.goto(HISTORIES + query)
    expect(page.locator("#history-finding")).to_contain_text("between 2.5.2 and 2.6.0")
    # The traces are drawn last.
    expect(page.locator("#history-graph .scatterlayer .point").first).to_be_attached()


def test_a_step_is_named_with_the_releases_around_it(demo_page: Page) -> None:
    open_history(demo_page)
    expect(demo_page.get_by_role("heading", level=1)).to_contain_text("% slower")
    expect(demo_page.locator("#history-changes")).to_contain_text("2.5.2 → 2.6.0")


def test_a_click_tells_of_a_revision_and_the_address_keeps_it(demo_page: Page) -> None:
    open_history(demo_page)
    plot = demo_page.locator("#history-graph .nsewdrag").first
    box = plot.bounding_box()
    assert box is not None
    plot.click(position={"x": box["width"] * 0.5, "y": box["height"] * 0.5})
    expect(demo_page).to_have_url(re.compile(r"revision=2\."))
    told = demo_page.locator("#history-revision")
    expect(told).to_contain_text("measured")
    demo_page.reload()
    expect(told).to_contain_text("measured")


def test_the_numbers_of_a_history_are_one_key_away(demo_page: Page) -> None:
    open_history(demo_page)
    demo_page.locator("#history").get_by_role("button", name="Table").click()
    expect(demo_page.locator("#history-table")).to_contain_text("2.6.0")


def test_the_terms_of_markdown_have_histories_that_lead_to_their_own(demo_page: Page) -> None:
    demo_page.goto("/app/s/markdown/histories")
    demo_page.locator("#history-terms a", has_text="codehilite × smarty").first.click()
    expect(demo_page.locator("#history-finding")).to_contain_text("codehilite × smarty")


def test_what_is_not_told_comes_when_it_is_opened_and_its_menus_have_their_lines(demo_page: Page) -> None:
    demo_page.goto("/app/s/markdown/histories/all")
    filtered = demo_page.locator("details", has_text=re.compile(r"Not told: \d+\s+candidates?"))
    filtered.locator("summary").first.click()
    state = filtered.locator("[data-triage-key] > summary").first
    expect(state).to_have_text("new")
    state.click()
    expect(filtered.locator(".menu-item[aria-current=true]")).to_have_text("newr")
    expect(filtered.get_by_role("button", name="noise")).to_be_visible()


def test_a_view_is_frozen_and_read_by_a_stranger_until_its_link_is_revoked(
    demo_page: Page, browser: Browser
) -> None:
    open_history(demo_page)
    demo_page.get_by_role("link", name="Share as report").click()
    demo_page.locator("#reports-freeze").click()
    # The list may hold such a report already.
    expect(demo_page.get_by_text("Frozen: ")).to_be_visible()
    expect(demo_page.locator("#reports-list")).to_contain_text("between 2.5.2 and 2.6.0")
    demo_page.locator("#reports-link-password").fill("known-to-few")
    demo_page.get_by_role("button", name="Link for 7 days").first.click()
    link = demo_page.locator(".report-message code").inner_text()

    context = browser.new_context()
    stranger = context.new_page()
    stranger.goto(link)
    stranger.get_by_label("Password").fill("known-to-few")
    stranger.get_by_role("button", name="Open").click()
    expect(stranger.get_by_role("heading", level=1)).to_contain_text("between 2.5.2 and 2.6.0")
    expect(stranger.locator("[data-figure] .point").first).to_be_attached()
    answer = stranger.goto(link.partition("/r/")[0] + "/app/")
    assert answer is not None
    assert "/login/" in answer.url, "a share link signs nobody in"

    demo_page.get_by_role("button", name="Revoke").first.click()
    expect(demo_page.locator("#reports-list")).to_contain_text("revoked")
    gone = stranger.goto(link)
    assert gone is not None
    assert gone.status == 404
    context.close()


def test_kernels_are_compared_drawn_side_by_side_and_one_is_kept(demo_page: Page, camera: Camera) -> None:
    open_history(demo_page)
    card = demo_page.locator("#history-kernels")
    expect(card).to_contain_text("Brownian motion, the default")
    demo_page.locator("#history-compare").click()
    expect(card.get_by_text("Matérn 3/2")).to_be_visible()
    for name in ("Brownian motion", "RBF"):
        card.get_by_role("checkbox", name=name, exact=True).check()
    expect(demo_page).to_have_url(re.compile(r"bands=brownian(%2C|,)rbf"))
    expect(demo_page.locator("#history-graph .annotation-text", has_text="RBF")).to_be_visible()
    camera.every_look(demo_page, "history-kernels")
    card.get_by_role("button", name="Use Matérn 3/2").click()
    expect(demo_page.locator("#history-subtitle")).to_contain_text("kernel Matérn 3/2")
    expect(card.get_by_role("button", name="Use Matérn 3/2")).to_be_disabled()
    card.get_by_role("button", name="Use Brownian motion").click()
    expect(demo_page.locator("#history-subtitle")).not_to_contain_text("kernel")
