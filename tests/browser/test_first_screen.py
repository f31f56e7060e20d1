"""What a first visit waits for: the content is asked for once and at once, and libraries come only where something needs them."""

import json

from playwright.sync_api import Page, Request, expect

CONTENT = "..content.children...title.data...problem.children.."


def test_the_content_is_asked_for_once_before_any_library_has_run(demo_page: Page) -> None:
    asked: list[Request] = []
    demo_page.on("request", lambda one: asked.append(one) if "_dash-update-component" in one.url else None)
    demo_page.add_init_script(
        """window.fetch = (fetch => function () {
             if (String(arguments[0]).includes("_dash-update-component"))
               (window.before = window.before || []).push(typeof window.React);
             return fetch.apply(this, arguments);
           })(window.fetch);"""
    )
    demo_page.goto("/app/s/markdown/influences?term=fenced_code")
    expect(demo_page.locator("#terms-graph .barlayer .point path").first).to_be_attached()
    ours = [one for one in asked if json.loads(one.post_data or "{}")["output"] == CONTENT]
    assert len(ours) == 1
    assert demo_page.evaluate("window.before[0]") == "undefined"
    # Dash has taken it: what is left would be handed to a later question.
    assert demo_page.evaluate("Object.keys(window.perfatlasEarly)") == []


def test_a_page_that_is_gone_to_later_is_asked_for_by_itself(demo_page: Page) -> None:
    demo_page.goto("/app/s/markdown/")
    expect(demo_page.get_by_role("heading", level=1)).to_be_visible()
    asked: list[str] = []
    demo_page.on("request", lambda one: asked.append(one.post_data or ""))
    demo_page.get_by_role("link", name="Options", exact=True).first.click()
    expect(demo_page.locator(".plain-table a").first).to_be_visible()
    assert [one for one in asked if CONTENT in one]


def test_the_library_of_tables_comes_with_the_first_of_them(demo_page: Page) -> None:
    asked: list[str] = []
    demo_page.on("request", lambda one: asked.append(one.url))
    demo_page.goto("/app/s/markdown/influences")
    expect(demo_page.locator("#terms-graph .barlayer .point path").first).to_be_attached()
    demo_page.wait_for_load_state("networkidle")
    assert not [one for one in asked if "/dash_ag_grid/" in one]

    demo_page.get_by_role("link", name="Regions", exact=True).first.click()
    expect(demo_page.locator("#regions-grid .ag-row").first).to_be_visible()
    demo_page.get_by_role("link", name="Influences", exact=True).first.click()
    expect(demo_page.locator("#terms-graph .barlayer .point path").first).to_be_attached()
    demo_page.get_by_role("link", name="Regions", exact=True).first.click()
    expect(demo_page.locator("#regions-grid .ag-row").first).to_be_visible()
    assert len([one for one in asked if "/dash_ag_grid/dash_ag_grid." in one]) == 1
