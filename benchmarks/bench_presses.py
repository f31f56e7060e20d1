"""How long the browser works for each press on the demo's pages, and of how many components of Dash they consist.

Chromium's main thread in milliseconds of processor time: scripts, and with them styles, layout and painting. `answer` is the
longest time from a press to the next picture, on the clock: other work on the machine is in it. What only comes when a page
is opened for the first time, as the library that draws figures, is in the first line of each journey.

    python -m benchmarks.bench_presses [JOURNEY ...]
"""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.browser.server import Server, serving
from tools.chromium import find_chromium, flags

BACK = "back"
# Where it begins, then what is pressed; buttons over a figure by keyboard, as the figure takes the mouse.
JOURNEYS: dict[str, tuple[str, ...]] = {
    "options": (
        "markdown/options",
        ".plain-table a:has-text('codehilite')",
        "#option-terms-rows button:has-text('fenced_code')",
        "#option-together a:has-text('fenced_code')",
        BACK,
    ),
    "regions": ("markdown/regions", ".ag-center-cols-container .ag-row", BACK),
    "influences": ("markdown/influences", ".figure-rows button >> nth=1", ".figure-rows button >> nth=2"),
    "histories": ("markdown-commits/histories", ".lens-chip-drop, .content a[href*='/histories/']"),
    "overview": ("markdown/", "nav a:has-text('Options')", "nav a:has-text('Overview')"),
    "what-if": ("markdown/what-if", ".content [data-lens]"),
    "workloads": ("markdown/workloads",),
    "reports": ("markdown/reports", "nav a:has-text('Views')"),
}
STILL = """() => {
  const callbacks = window.store?.getState().callbacks;
  const open = ["requested", "prioritized", "blocked", "executing", "watched", "executed"];
  const blank = graph => graph.checkVisibility() && !graph.querySelector(".main-svg");
  return callbacks && !open.some(kind => callbacks[kind]?.length) && !document.querySelector(".skeleton")
    && !document.querySelector("[data-dash-is-loading=true]")
    && ![...document.querySelectorAll(".dash-graph")].some(blank) && !!document.querySelector("h1")?.textContent.trim();
}"""
COMPONENTS = """() => {
  let found = 0;
  const walk = part => {
    if (part === null || typeof part !== "object") return;
    if (part.namespace && part.type) found += 1;
    if (part.type !== "Static") Object.values(part).forEach(walk);
  };
  walk(window.store.getState().layout);
  return found;
}"""
WATCH = """window.answers = [];
new PerformanceObserver(list => window.answers.push(...list.getEntries()))
  .observe({type: "event", durationThreshold: 16, buffered: true});"""
ANSWER = (
    "() => Math.max(0, ...window.answers.splice(0).filter(one => one.interactionId).map(one => one.duration))"
)


@dataclass(frozen=True, slots=True)
class Work:
    """What the main thread has done since the page was made, in milliseconds of processor time."""

    scripts: float
    all: float

    @classmethod
    def of(cls, session: CDPSession) -> "Work":
        """As it is now."""
        told = {
            one["name"]: 1000.0 * one["value"] for one in session.send("Performance.getMetrics")["metrics"]
        }
        return cls(told["ScriptDuration"], told["TaskDuration"])


def settle(page: Page) -> None:
    """Wait until nothing is on its way."""
    page.wait_for_function(STILL)
    page.wait_for_timeout(150)
    page.wait_for_function(STILL)


def press(page: Page, what: str) -> None:
    """Press a link or a button, or go back."""
    if what == BACK:
        page.go_back()
    elif "-rows button" in what:
        page.locator(what).first.press("Enter")
    else:
        page.locator(what).locator("visible=true").first.click()


def walk(page: Page, session: CDPSession, journey: tuple[str, ...]) -> Iterator[str]:
    """One line for the page, and one for each press."""
    start, *presses = journey
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = Work(0.0, 0.0)
    for what in (f"opened: {start}", *presses):
        if what.startswith("opened"):
            page.goto(f"/app/s/{start}")
        else:
            press(page, what)
        settle(page)
        after, answer, parts = Work.of(session), page.evaluate(ANSWER), page.evaluate(COMPONENTS)
        work = f"{after.scripts - before.scripts:8.0f} {after.all - before.all:8.0f}"
        yield f"{what:52.52} {work} {answer:8.0f} {parts:11}"
        before = Work.of(session)


def measure(browser: Browser, server: Server, chosen: list[str]) -> None:
    """Walk all journeys, each in a page of its own, and print them."""
    context = browser.new_context(base_url=server.address, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(90_000)
    context.new_page().goto(server.login_link)
    context.add_init_script(WATCH)
    print(f"{'ms':52} {'scripts':>8} {'all':>8} {'answer':>8} {'components':>11}")
    for name, journey in JOURNEYS.items():
        if not chosen or name in chosen:
            page = context.new_page()
            for line in walk(page, context.new_cdp_session(page), journey):
                print(line, flush=True)
            page.close()


def main() -> int:
    """Serve the demo, open a browser, measure."""
    program = find_chromium()
    if program is None:
        print("no browser is installed: Chromium from Debian's packages will do")
        return 1
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        server.command("demo")
        browser = playwright.chromium.launch(executable_path=program, args=flags())
        measure(browser, server, sys.argv[1:])
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
