"""Most figures are drawn by a part of the chart library; the whole comes with the first that needs it, and draws the others on."""

from playwright.sync_api import Page, expect

BARS = "#terms-graph .barlayer .point path"
FRAMES = "#regions-tree-graph .icicle .slice"


def test_the_whole_chart_library_comes_only_where_a_figure_needs_it(demo_page: Page) -> None:
    asked: list[str] = []
    demo_page.on("request", lambda one: asked.append(one.url))
    demo_page.goto("/app/s/markdown/influences")
    expect(demo_page.locator(BARS).first).to_be_attached()
    assert [one for one in asked if "/assets/charts.js?m=" in one]
    assert not [one for one in asked if "plotly.min.js" in one]

    demo_page.get_by_role("link", name="Regions", exact=True).first.click()
    expect(demo_page.locator(FRAMES).first).to_be_attached()
    assert len([one for one in asked if "plotly.min.js" in one]) == 1

    demo_page.get_by_role("link", name="Influences", exact=True).first.click()
    before = demo_page.locator(BARS)
    expect(before.first).to_be_attached()
    count = before.count()
    # Drawn anew, by another library than at first.
    demo_page.get_by_role("button", name="may be zero").click()
    expect(demo_page.locator(BARS)).not_to_have_count(count)
    assert len([one for one in asked if "plotly.min.js" in one]) == 1
