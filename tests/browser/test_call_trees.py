"""From where the time goes to the function that takes it: by a click on a frame, and by the table without a mouse."""

import re

from playwright.sync_api import Page, expect

FRAMES = "#regions-tree-graph .icicle .slice"


def test_a_frame_leads_to_its_function_and_the_table_says_the_same(demo_page: Page) -> None:
    demo_page.goto("/app/s/markdown/regions")
    expect(demo_page.locator(FRAMES).first).to_be_attached()
    expect(demo_page.locator("#regions-tree-finding")).to_contain_text("go through")

    demo_page.get_by_label("Find a function on call paths").fill("applyPattern")
    expect(demo_page.locator("#regions-tree-finding")).to_contain_text("applyPattern is on")

    card = demo_page.locator("#regions-tree")
    card.get_by_role("button", name="Table").click()
    lead = card.get_by_role("link", name="InlineProcessor.__applyPattern").first
    expect(lead).to_be_visible()
    card.get_by_role("button", name="Figure").click()

    frame = demo_page.locator(FRAMES).filter(has_text="applyPattern").first
    frame.click(position={"x": 12, "y": 8})
    expect(demo_page).to_have_url(re.compile(r"/regions/markdown\.treeprocessors%3A"))


def test_two_configurations_show_regions_and_paths_that_differ(demo_page: Page) -> None:
    demo_page.goto("/app/s/markdown/influences?compared=fenced_code*codehilite")
    expect(demo_page.locator("#differing-regions-finding")).to_contain_text("differs most")
    expect(demo_page.locator("#compared-tree-finding")).to_contain_text("whole call differs by")
    expect(demo_page.locator("#compared-tree-graph .icicle .slice").first).to_be_attached()
    demo_page.goto("/app/s/markdown/influences?compared=tables")
    expect(demo_page.locator("#compared-tree-message")).to_contain_text("No call paths here")
