"""A report taken away as one file: small enough for a letter, opened from a disk without any network, its figures alive."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.chart_library import SMALL_LIBRARY_DRAWS
from tests.browser.pictures import SCHEMES, Camera
from tests.browser.test_for_everyone import serious

LARGEST_BYTES = 2_000_000
# What is frozen, and how many figures that has.
VIEWS = {
    "history": ("/app/s/pygments/reports?view=histories", 1),
    "influences": ("/app/s/markdown/reports?view=influences", 2),
    "region": ("/app/s/markdown/reports?view=regions&region=markdown.blockparser:BlockParser.parseChunk", 1),
}
# The ticks of an axis.
LIGHT_WORDS, DARK_WORDS = "rgb(91, 100, 112)", "rgb(154, 164, 178)"
# What printing sees stands in `seen` afterwards; the button's press is counted, since no window opens here.
LOOK_WHILE_PRINTING = """() => {
  window.pressed = 0;
  window.print = () => { window.pressed += 1; };
  window.addEventListener("beforeprint", () => {
    window.seen = {
      words: getComputedStyle(document.querySelector("[data-figure] .xtick text")).fill,
      figures: [...document.querySelectorAll("[data-figure]")].map((one) => {
        const zoom = Number(one.style.zoom || 1);
        const drawn = one.querySelector(".main-svg");
        return [drawn.width.baseVal.value * zoom, drawn.height.baseVal.value * zoom];
      }),
    };
  });
}"""
# Groups of tools above figures that would hide what stands behind them.
OPAQUE_TOOLS = """() => [...document.querySelectorAll(".modebar-group")]
    .map((one) => getComputedStyle(one).backgroundColor).filter((colour) => colour !== "rgba(0, 0, 0, 0)")"""
SIZE = "one => [one.width.baseVal.value, one.height.baseVal.value]"
PAGE_OF_PDF = re.compile(rb"/Type\s*/Page\b")


def _open_report(page: Page, address: str) -> None:
    """Freeze what the address selects, and open the report."""
    page.goto(address)
    page.locator("#reports-freeze").click()
    page.goto(page.get_by_role("link", name="Open it").get_attribute("href") or "")
    expect(page.locator("[data-figure] .point").first).to_be_attached()


def _saved(page: Page, address: str, folder: Path) -> Path:
    """The file of a report of what the address selects."""
    _open_report(page, address)
    with page.expect_download() as download:
        page.get_by_role("link", name="Take it away as one HTML file").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def _wait_for_width(page: Page, most: int) -> None:
    """Wait until the page is no wider; its policy lets no function of ours wait within it."""
    for _ in range(100):
        if (width := page.evaluate("document.documentElement.scrollWidth")) <= most:
            return
        page.wait_for_timeout(50)
    pytest.fail(f"the page stays {width} px wide in a window of {most}")


@pytest.mark.parametrize("name", VIEWS)
def test_a_saved_report_is_small_and_alive_without_a_network(
    demo_page: Page, opened: Page, camera: Camera, tmp_path: Path, name: str
) -> None:
    address, figures = VIEWS[name]
    path = _saved(demo_page, address, tmp_path)
    # The page of the report itself, before its file: there a link to CSV stands beside each table.
    assert not serious(demo_page)
    assert demo_page.evaluate(OPAQUE_TOOLS) == []
    assert path.stat().st_size < LARGEST_BYTES
    opened.goto(path.as_uri())
    drawn = opened.locator("[data-figure]")
    expect(drawn).to_have_count(figures)
    expect(drawn.first.locator(".point").first).to_be_attached()
    drawn.first.locator(".nsewdrag").first.hover()
    expect(drawn.first.locator(".hoverlayer text").first).to_be_attached()
    opened.get_by_text("The numbers").first.click()
    expect(opened.locator("td").first).to_be_visible()
    camera.every_look(opened, f"saved-{name}")
    for scheme in SCHEMES:
        opened.emulate_media(color_scheme=scheme)
        assert not serious(opened)
    # A window that becomes narrower, as one that is turned.
    opened.set_viewport_size({"width": 390, "height": 844})
    _wait_for_width(opened, 390)
    # What the pages choose the small library by is what it draws.
    assert set(opened.evaluate("Object.keys(Plotly.PlotSchema.get().traces)")) == SMALL_LIBRARY_DRAWS


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_report_is_printed_light_and_whole_from_a_dark_screen(demo_page: Page, paper: str) -> None:
    _open_report(demo_page, VIEWS["influences"][0])
    demo_page.emulate_media(color_scheme="dark")
    figure = demo_page.locator("[data-figure]").first
    words = figure.locator(".xtick text").first
    expect(words).to_have_css("fill", DARK_WORDS)
    size = figure.locator(".main-svg").first.evaluate(SIZE)
    demo_page.evaluate(LOOK_WHILE_PRINTING)
    demo_page.get_by_role("button", name="Print or save as PDF").click()
    assert demo_page.evaluate("pressed") == 1
    printed = demo_page.pdf(format=paper, print_background=True)
    seen = demo_page.evaluate("seen")
    assert seen["words"] == LIGHT_WORDS
    assert len(seen["figures"]) == 2
    assert all(width <= 680 and height <= 820 for width, height in seen["figures"])
    assert len(PAGE_OF_PDF.findall(printed)) == 2
    # And the screen is as it was.
    expect(words).to_have_css("fill", DARK_WORDS)
    assert figure.locator(".main-svg").first.evaluate(SIZE) == size


def test_on_paper_addresses_of_links_are_read_and_nothing_stands_that_is_pressed(demo_page: Page) -> None:
    demo_page.goto("/app/s/markdown/reports/new")
    demo_page.get_by_label("Title").fill("Why")
    demo_page.get_by_label("Text in Markdown").fill("See the [method](https://example.org/method).")
    expect(demo_page.locator("#report-preview")).to_contain_text("See the method")
    demo_page.get_by_role("button", name="Publish").click()
    demo_page.goto(demo_page.get_by_role("link", name="Open it").get_attribute("href") or "")
    demo_page.emulate_media(media="print", color_scheme="dark")
    link = demo_page.get_by_role("link", name="method")
    after = link.evaluate("one => getComputedStyle(one, '::after').content")
    assert "https://example.org/method" in after.replace('" "', "")
    expect(demo_page.get_by_text("Print or save as PDF")).to_be_hidden()
    expect(demo_page.locator("h1")).to_have_css("color", "rgb(27, 31, 36)")
    assert demo_page.title() == "Why · Perfatlas"


def test_a_saved_report_predicts_as_the_server_does(
    demo_page: Page, opened: Page, camera: Camera, tmp_path: Path
) -> None:
    path = _saved(demo_page, VIEWS["influences"][0], tmp_path)
    assert path.stat().st_size < LARGEST_BYTES
    opened.goto(path.as_uri())
    said = opened.locator(".what-if-said strong")
    expect(said).to_contain_text("by default")
    switched: list[str] = []
    for option in ("codehilite", "smarty", "tables"):
        opened.get_by_role("button", name=f"{option}: on").click()
        switched.append(option)
        demo_page.goto(f"/app/s/markdown/what-if?compared={'*'.join(switched)}")
        sentence = demo_page.get_by_role("heading", level=1)
        expect(sentence).to_contain_text(f"{option} on")
        # Both name the configuration behind the number.
        server = (sentence.text_content() or "").partition(" with ")[0]
        assert (said.text_content() or "").partition(" with ")[0] == server
        assert "Markdown takes" in server
    camera.every_look(opened, "saved-what-if")


def test_a_what_if_is_frozen_as_it_stands(demo_page: Page) -> None:
    demo_page.goto("/app/s/markdown/what-if?compared=codehilite")
    freeze = demo_page.get_by_role("link", name="Share as report")
    _open_report(demo_page, freeze.get_attribute("href") or "")
    expect(demo_page.get_by_role("heading", level=1)).to_contain_text("with codehilite on")
    title = demo_page.get_by_role("heading", level=1).text_content() or ""
    assert title.startswith("3.11.3: ")
    expect(demo_page.locator(".what-if-said strong")).to_have_text(title.removeprefix("3.11.3: "))
    expect(demo_page.get_by_role("button", name="codehilite: on")).to_have_attribute("aria-pressed", "true")
