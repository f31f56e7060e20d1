"""From an influence to its functions and back, by mouse and by keyboard; the address holds what is selected."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.server import Server
from tests.dashboard.importers import comprex_sample

INFLUENCES = "/app/s/explored/influences"
REGIONS = "/app/s/explored/regions"


@pytest.fixture(scope="module", autouse=True)
def _explored(server: Server, tmp_path_factory: pytest.TempPathFactory) -> None:
    """T = 4 - 0.5 A + 2 A*B + 4 B*C seconds, in three functions."""
    folder = comprex_sample.as_folder(tmp_path_factory.mktemp("bundle") / "toy", comprex_sample.files())
    server.command("import", "comprex", str(folder), "--system", "Explored")


def row(page: Page, card: str, label: str) -> Locator:
    """The row of a figure with this label."""
    return page.locator(f"#{card}-rows .figure-row").filter(has_text=label)


def press_bar(page: Page, card: str, label: str) -> None:
    """Click beside the label, on the figure itself: the mouse goes through the text."""
    box = row(page, card, label).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + 0.75 * box["height"])


def open_influences(page: Page, query: str = "") -> None:
    page.goto(INFLUENCES + query)
    expect(row(page, "terms", "C [fast → slow]")).to_be_visible()
    # The figure under the rows is drawn last.
    expect(page.locator("#terms-graph .bars .point").first).to_be_attached()


def test_a_term_leads_to_its_regions_and_a_region_to_its_page_and_back(page: Page) -> None:
    open_influences(page)
    expect(page.locator("#terms-finding")).to_contain_text("costs 4.00 s")
    press_bar(page, "terms", "A × B")
    expect(page).to_have_url(re.compile(r"term=A\*B"))
    expect(page.locator("#influences-term")).to_have_text("A × B [off → on]")
    expect(row(page, "term-regions", "Main.foo")).to_contain_text("100")

    expect(page.locator("#term-regions-graph .bars .point").first).to_be_attached()
    press_bar(page, "term-regions", "Main.foo")
    expect(page).to_have_url(re.compile(r"/regions/toy\.Main\.foo"))
    sentence = page.locator("#region-sentence")
    expect(sentence).to_contain_text("Main.foo takes no time by default")
    expect(sentence).to_contain_text("A with B costs 2.000 ± 0.002 s")
    expect(page.locator("#region-source")).to_contain_text("No source in these data")
    expect(row(page, "region-subspaces", "A on and B on")).to_contain_text("2.50")

    page.go_back()
    expect(page.locator("#influences-term")).to_have_text("A × B [off → on]")
    page.reload()
    expect(page.locator("#influences-term")).to_have_text("A × B [off → on]")


def test_the_frame_is_asked_for_once_before_any_library_runs(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("/app/_dash-")[2]))
    # Without the library that draws, whoever asks is the page itself.
    page.route("**/react-dom*", lambda _held: None)
    with page.expect_response("**/_dash-dependencies"):
        page.goto(INFLUENCES, wait_until="commit")
    page.unroute("**/react-dom*")
    expect(row(page, "terms", "C [fast → slow]")).to_be_visible()
    assert [asked.count(one) for one in ("layout", "dependencies")] == [1, 1]


def test_the_list_of_systems_stands_before_any_library_runs_and_leads_on(page: Page) -> None:
    page.route("**/react-dom*", lambda _held: None)
    page.goto("/app/", wait_until="commit")
    row = page.get_by_role("link", name="Explored")
    expect(row).to_be_visible()
    page.unroute("**/react-dom*")
    row.focus()
    expect(page.locator("#content").get_by_role("link", name="Explored")).to_be_focused()
    expect(page.locator(".first-look")).to_have_count(0)
    row.click()
    expect(page.locator("h1")).to_contain_text("Explored")


def test_who_went_to_a_system_by_keyboard_stays_there_when_the_menu_was_drawn_first(page: Page) -> None:
    """The closed menu holds the same link: nobody can go to that."""
    held: list[Route] = []

    def hold_the_content(route: Route) -> None:
        is_content = "..content.children..." in (route.request.post_data or "")
        held.append(route) if is_content else route.continue_()

    page.route("**/_dash-update-component*", hold_the_content)
    page.goto("/app/", wait_until="commit")
    page.locator(".first-look").get_by_role("link", name="Explored").focus()
    expect(page.locator("a[href='/app/s/explored/']")).to_have_count(2)
    (content,) = held
    content.continue_()
    expect(page.locator("#content").get_by_role("link", name="Explored")).to_be_focused()


def test_terms_are_walked_by_keyboard_and_shown_as_a_table(page: Page) -> None:
    open_influences(page)
    page.keyboard.press("j")
    expect(row(page, "terms", "C [fast → slow]").locator("button")).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"term=A\*B"))
    expect(row(page, "terms", "A × B").locator("button")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("t")
    table = page.locator("#terms-grid")
    expect(table).to_be_visible()
    expect(table).to_contain_text("A × B [off → on]")
    page.keyboard.press("t")
    expect(table).to_be_hidden()


def test_another_base_is_chosen_and_back_undoes_it(page: Page) -> None:
    open_influences(page)
    page.get_by_title("Choose: base").click()
    page.get_by_role("button", name="A: on", exact=True).locator("visible=true").click()
    expect(page).to_have_url(re.compile("base=A"))
    expect(page.locator("#influences-sentence")).to_contain_text("3.50")
    expect(row(page, "terms", "A [on → off]").first).to_be_visible()
    page.go_back()
    expect(page.locator("#influences-sentence")).to_contain_text("by default")
    expect(row(page, "terms", "A [off → on]")).to_be_visible()


def test_two_configurations_are_compared_step_by_step(page: Page) -> None:
    open_influences(page)
    page.get_by_title("Choose: compared with").click()
    page.get_by_role("button", name="all options changed").locator("visible=true").click()
    expect(page).to_have_url(re.compile("compared=all"))
    expect(page.locator("#terms-finding")).to_contain_text(
        re.compile(r"5\.50\d*\s±\s0\.00\d+\ss slower: from 4\.00\ss to 9\.50\ss")
    )
    expect(page.locator("#influences-differences")).to_contain_text("3 options differ")


def test_what_was_pressed_is_marked_until_it_is_answered(page: Page) -> None:
    open_influences(page, "?term=B%2AC")
    asked = "**/_dash-update-component*"
    page.route(asked, lambda _: None)
    history = page.get_by_role("link", name="History of this term")
    history.click()
    expect(page.locator("#content")).to_have_attribute("data-dash-is-loading", "true")
    expect(history).to_have_attribute("data-pressed", "true")
    # What was held goes on, too.
    page.unroute(asked)
    expect(history).to_have_count(0)
    expect(page.locator("[data-pressed], .press-line:not([hidden])")).to_have_count(0)


def test_the_threshold_stays_in_the_address(page: Page) -> None:
    open_influences(page)
    expect(page.locator("#influences-count")).to_have_text("3 of 3 terms")
    assert "threshold" not in page.url
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile("threshold=3"))
    expect(page.locator("#influences-count")).to_contain_text("1 of 3 terms of at least 3")
    page.reload()
    expect(page.locator("#influences-count")).to_contain_text("1 of 3 terms of at least 3")


def test_a_term_that_is_not_there_is_said(page: Page) -> None:
    open_influences(page, "?term=A*C")
    expect(page.locator("#influences-term-facts")).to_contain_text("choose another term or base")


def test_option_hotspots_lead_to_a_region(page: Page) -> None:
    page.goto(REGIONS)
    expect(row(page, "hotspots", "Main.main")).to_be_visible()
    page.get_by_role("button", name="Option hotspots").click()
    expect(page).to_have_url(re.compile("kind=options"))
    expect(page.locator("#hotspots-finding")).to_contain_text("Main.bar changes most")
    page.locator("#regions-grid").get_by_text("Main.foo").click()
    expect(page).to_have_url(re.compile(r"/regions/toy\.Main\.foo"))
    expect(page.locator("#region-subspaces-finding")).to_contain_text("3 subspaces")


@pytest.mark.parametrize("width", [390, 1440])
def test_no_page_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for address, seen in ((INFLUENCES, "#terms-rows"), (REGIONS, "#hotspots-rows")):
        page.goto(address)
        expect(page.locator(f"{seen} .figure-row").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_open_menus_reach_beyond_no_edge_of_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(INFLUENCES)
    expect(page.locator("#terms-rows .figure-row").first).to_be_visible()
    if not page.evaluate("CSS.supports('anchor-scope: all')"):
        pytest.skip("this browser puts no menu beside its button by its style")
    # Each in turn; one that is closed has no width.
    reach = """() => [...document.querySelectorAll("main .menu")].map((menu) => {
      menu.open = true;
      const panel = menu.querySelector(".menu-panel").getBoundingClientRect();
      menu.open = false;
      return [panel.left, panel.right];
    })"""
    reached = page.evaluate(reach)
    assert len(reached) >= 4
    assert all(0 <= left < right <= 390 for left, right in reached), reached
