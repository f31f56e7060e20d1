"""Most figures are drawn by a part of the chart library; the whole comes with the first that needs it, and draws the others on."""

from playwright.sync_api import Page, Route, expect

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


def test_a_page_that_is_known_to_need_the_whole_chart_library_loads_it_alone(demo_page: Page) -> None:
    asked: list[str] = []
    demo_page.on("request", lambda one: asked.append(one.url))
    demo_page.goto("/app/s/markdown/regions")
    expect(demo_page.locator(FRAMES).first).to_be_attached()
    assert len([one for one in asked if "plotly.min.js" in one]) == 1
    assert not [one for one in asked if "/assets/charts.js?m=" in one]
    # It draws the figures of other pages, too.
    demo_page.get_by_role("link", name="Influences", exact=True).first.click()
    expect(demo_page.locator(BARS).first).to_be_attached()
    assert not [one for one in asked if "/assets/charts.js?m=" in one]


# The small library draws on an element, and again when it has had time; meanwhile the whole comes and draws what only it can.
HURRY = """async () => {
  const element = document.body.appendChild(document.createElement("div"));
  const small = window.Plotly;
  await small.react(element, {data: [], layout: {autosize: true}, config: {responsive: true}});
  window.wholeCame = () => small.Plots.resize(element);
  await small.react(element, {data: [{type: "icicle", labels: ["all", "part"], parents: ["", "all"]}], layout: {autosize: true}});
  window.dispatchEvent(new Event("resize"));
  await new Promise(resolve => setTimeout(resolve, 500));
  return element.querySelectorAll(".icicle .slice").length;
}"""
# A figure that the whole would draw is followed by one that needs no waiting.
OVERTAKEN = """async () => {
  const element = document.body.appendChild(document.createElement("div"));
  const late = window.Plotly.react(element, {data: [{type: "icicle", labels: ["all"], parents: [""]}], layout: {}});
  await window.Plotly.react(element, {data: [{x: [1], y: [1]}], layout: {}});
  await late;
  return [element.querySelectorAll(".icicle .slice").length, element.querySelectorAll(".scatterlayer .trace").length];
}"""


def test_what_the_small_library_has_yet_to_do_does_not_undo_a_figure_of_the_whole(demo_page: Page) -> None:
    def told(route: Route) -> None:
        whole = route.fetch()
        route.fulfill(response=whole, body=whole.text() + "\n;window.wholeCame();")

    demo_page.route("**/plotly.min.js*", told)
    demo_page.goto("/app/s/markdown/influences")
    expect(demo_page.locator(BARS).first).to_be_attached()
    assert demo_page.evaluate(HURRY) == 2


def test_the_figure_asked_for_last_stays(demo_page: Page) -> None:
    demo_page.goto("/app/s/markdown/influences")
    expect(demo_page.locator(BARS).first).to_be_attached()
    assert demo_page.evaluate(OVERTAKEN) == [0, 1]
