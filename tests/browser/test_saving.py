"""Every figure and every table can be taken along: as picture, and as numbers."""

import csv
import struct
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_for_everyone import PAGES, open_whole

# What cannot be saved: figures and tables that no button stands for, by their words.
BARE = """() => {
  const lacking = (scope, kinds) => !scope || kinds.some((kind) => !scope.querySelector(`[data-save=${kind}]`));
  const figures = [...document.querySelectorAll('#page .dash-graph')].filter(
    (one) => lacking(one.closest('.figure-card, .small-figure'), ['png', 'svg', 'csv']));
  const tables = [...document.querySelectorAll('#page table.plain-table, #page .grid')].filter((one) => {
    const scope = one.closest('.saved, .figure-card');
    const whole = scope && scope.getAttribute('data-saved-by');
    return whole ? !document.getElementById(whole) : lacking(scope, ['csv']);
  });
  return [...figures, ...tables].map((one) => one.id || one.textContent.slice(0, 60));
}"""
COUNTED = "() => document.querySelectorAll('#page .dash-graph, #page table.plain-table, #page .grid').length"


def _saved(page: Page, button: Locator, folder: Path) -> Path:
    with page.expect_download() as download:
        button.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.slow("walks all sections of the application")
def test_every_figure_and_table_can_be_saved(demo_page: Page) -> None:
    counted = 0
    for path in PAGES.values():
        open_whole(demo_page, path)
        assert demo_page.evaluate(BARE) == [], path
        counted += demo_page.evaluate(COUNTED)
    # The walk came by figures and tables at all.
    assert counted > 15


def test_a_figure_is_saved_as_picture_and_as_numbers(demo_page: Page, tmp_path: Path) -> None:
    """In the dark, too, a picture is light; it is named for system, part and revision."""
    demo_page.emulate_media(color_scheme="dark")
    open_whole(demo_page, "/app/s/markdown/influences")
    card = demo_page.locator(".figure-card").first
    expect(card.locator(".trace").first).to_be_attached()
    menu = card.get_by_label("Save this figure")
    files = []
    for name in ("Picture, PNG", "Picture, SVG", "Numbers, CSV"):
        # By keyboard as by mouse.
        menu.focus()
        menu.press("Enter")
        files.append(_saved(demo_page, card.get_by_role("button", name=name), tmp_path))
    png, svg, numbers = files
    assert [one.name for one in files] == [
        f"markdown-influences-terms-3.11.3.{end}" for end in ("png", "svg", "csv")
    ]
    assert struct.unpack(">II", png.read_bytes()[16:24])[0] == 1920
    drawn = " ".join(svg.read_text().split())
    finding = card.locator(".figure-finding").inner_text()
    assert " ".join(finding.split()) in drawn
    assert "influence on CPU time, ms" in drawn
    # Ink and ground of the light palette, none of the dark one.
    assert "rgb(27, 31, 36)" in drawn
    assert "rgb(232, 234, 237)" not in drawn
    with numbers.open(encoding="utf-8-sig", newline="") as file:
        head, first, *_ = csv.reader(file)
    assert head[:4] == ["term", "influence, ms", "95 % from, ms", "95 % to, ms"]
    assert len(first[1].partition(".")[2]) > 6


def test_small_figures_of_one_card_are_saved_by_names_of_their_own(demo_page: Page, tmp_path: Path) -> None:
    open_whole(demo_page, "/app/s/markdown/histories")
    figures = demo_page.locator(".small-figure")
    names = set()
    for at in range(2):
        figures.nth(at).get_by_label("Save this figure").click()
        button = figures.nth(at).get_by_role("button", name="Numbers, CSV")
        names.add(_saved(demo_page, button, tmp_path).name)
    assert len(names) == 2


def test_what_histories_say_in_a_table_is_saved_as_numbers(demo_page: Page, tmp_path: Path) -> None:
    open_whole(demo_page, "/app/s/markdown/options/codehilite")
    table = demo_page.locator(".option-histories")
    path = _saved(
        demo_page, table.get_by_role("button", name="Save as CSV: Histories of codehilite"), tmp_path
    )
    with path.open(encoding="utf-8-sig", newline="") as file:
        head, first, *_ = csv.reader(file)
    assert head[:2] == ["term", "now, ms"]
    assert "From" not in first[0]
    assert len(first[1]) > 8
    assert float(first[1])


def test_a_table_is_saved_with_every_digit_and_without_formulas(demo_page: Page, tmp_path: Path) -> None:
    open_whole(demo_page, "/app/s/markdown/analysis")
    table = demo_page.locator(".option-effects")
    # A locator waits for the table, which comes after the page.
    table.locator("td").first.evaluate("cell => { cell.textContent = '=1+1, \"so\"'; }")
    path = _saved(
        demo_page, table.get_by_role("button", name="Save as CSV: Options by what they change"), tmp_path
    )
    assert path.name == "markdown-analysis-Options-by-what-they-change-3.11.3.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        head, first, *_ = csv.reader(file)
    assert head == ["option", "changes up to, share", "most of it in", "functions"]
    assert first[0] == '\'=1+1, "so"'
    assert 0 < float(first[1]) <= 1
    assert len(first[1]) > 8
