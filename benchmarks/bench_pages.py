"""How long pages of large archives take, cold and warm: in the browser, and request by request.

Two suites of made-up points beside the demo, in PostgreSQL; web server, workers and reaper are the processes that `deploy/` starts, all on
127.0.0.1. *First* is the first visit of a browser that keeps nothing, to a web server that just started; *again* the median of the visits
after it. The clock stops when the title stands there and nothing waits to be drawn. *Sent* is what came over the wire, once with all that
the browser keeps. Requests are those of the pages, one after the other.

    python -m benchmarks.bench_pages [--points 6000000 2600000] [--visits 10]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
from playwright.sync_api import Browser, StorageState, sync_playwright

from benchmarks.bench_load import ACCOUNTS, wait_for_work
from benchmarks.installation import ROOT, Installation
from benchmarks.recorded_pages import Asked, record
from tools.chromium import find_chromium, flags
from tools.servers import throwaway_postgresql

GROW = """
import sys
import django
django.setup()
from benchmarks.grown_system import grow
for number, points in enumerate(sys.argv[1:]):
    print(f"archive-{number}: {grow(int(points), f'archive-{number}').series.count()} series")
"""
PAGES = (
    "/app/",
    "/app/s/archive-0/",
    "/app/s/archive-0/histories",
    "/app/s/archive-0/histories/all",
    "/app/s/archive-1/histories/all?sort=newest",
    "/app/s/archive-0/compare",
    "/app/s/markdown/",
    "/app/s/markdown/influences",
    "/app/s/markdown/options/codehilite",
    "/app/s/markdown/regions",
)
DRAWN = """() => {
  const title = document.querySelector("h1");
  return title && title.textContent.trim() && !document.querySelector(".skeleton, .skeleton-line, [data-dash-is-loading=true]");
}"""
PATIENCE_MS = 120_000


@dataclass(frozen=True, slots=True)
class Visit:
    """How long a page took until it stood there, and what was sent for it."""

    seconds: float
    sent: int


def visit(browser: Browser, state: StorageState, address: str, path: str, times: int) -> list[Visit]:
    """Visits of one page by a browser that keeps nothing before the first."""
    context = browser.new_context(storage_state=state)
    page = context.new_page()
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    sent = [0]
    wire.on("Network.loadingFinished", lambda told: sent.append(told["encodedDataLength"]))
    visits = []
    for _ in range(times):
        sent.clear()
        began = time.perf_counter()
        page.goto(f"{address}{path}", wait_until="commit", timeout=PATIENCE_MS)
        page.wait_for_function(DRAWN, timeout=PATIENCE_MS)
        seconds = time.perf_counter() - began
        page.wait_for_load_state("networkidle")
        visits.append(Visit(seconds, round(sum(sent))))
    context.close()
    return visits


def ask_again(address: str, login_path: str, pages: Mapping[str, Sequence[Asked]], visits: int) -> None:
    """Print how long requests take, by kind and the slowest ones, each asked after all others."""
    times: dict[tuple[str, str], list[float]] = {}
    sizes: dict[tuple[str, str], int] = {}
    with httpx.Client(base_url=address, timeout=120, follow_redirects=True) as client:
        client.get(login_path)
        for _ in range(visits + 1):
            for path, every in pages.items():
                for asked in every:
                    request = asked.request_of(client)
                    began = time.perf_counter()
                    answer = client.send(request)
                    key = asked.kind, f"{path} {asked.name}"
                    times.setdefault(key, []).append(time.perf_counter() - began)
                    sizes[key] = int(answer.headers.get("Content-Length", len(answer.content)))
                    if answer.is_error:
                        raise SystemExit(f"{asked.path}: {answer.status_code}")
    print(f"{'requests, warm':34}{'times':>8}{'p50 ms':>10}{'p95 ms':>10}{'longest':>10}{'largest kB':>12}")
    # What was asked first is not warm.
    warm = {key: some[len(some) // (visits + 1) :] for key, some in times.items()}
    for kind in ("page", "frame", "callback"):
        taken = [one for (of, _), some in warm.items() if of == kind for one in some]
        half, most = np.quantile(taken, [0.5, 0.95]) * 1e3
        largest = max(size for (of, _), size in sizes.items() if of == kind) / 1e3
        print(f"{kind:34}{len(taken):8}{half:10.0f}{most:10.0f}{max(taken) * 1e3:10.0f}{largest:12.0f}")
    print("slowest by median:")
    for (kind, name), some in sorted(warm.items(), key=lambda one: -statistics.median(one[1]))[:12]:
        print(f"  {statistics.median(some) * 1e3:6.0f} ms  {sizes[kind, name] / 1e3:7.0f} kB  {kind} {name}")


def wait_for_web(address: str) -> None:
    """Wait until the web server answers."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{address}/healthz", timeout=5).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise SystemExit("the web server did not start")


def look(installation: Installation, login_path: str, visits: int) -> None:
    """Print how long each page takes in the browser, first and again."""
    program, address = find_chromium(), f"http://127.0.0.1:{installation.port}"
    if program is None:
        raise SystemExit("no Chromium is installed")
    print(
        f"{'page':46}{'first s':>9}{'sent kB':>9}{'again s':>9}{'longest':>9}{'sent kB':>9}"
        f"   load {os.getloadavg()[0]:.1f}"
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags())
        signing = browser.new_context()
        signing.new_page().goto(f"{address}{login_path}")
        state = signing.storage_state()
        for path in PAGES:
            installation.kill("web")
            installation.tend()
            wait_for_web(address)
            first, *others = visit(browser, state, address, path, visits)
            again = [one.seconds for one in others]
            print(
                f"{path:46}{first.seconds:9.2f}{first.sent / 1e3:9.0f}{statistics.median(again):9.2f}"
                f"{max(again):9.2f}{statistics.median(one.sent for one in others) / 1e3:9.0f}",
                flush=True,
            )
        browser.close()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--points", type=int, nargs="+", default=[6_000_000, 2_600_000], help="of each archive"
    )
    parser.add_argument("--visits", type=int, default=10, help="of each page (10)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="perfatlas-pages-") as name, throwaway_postgresql() as server:
        installation = Installation(Path(name), server)
        try:
            installation.manage("migrate", "--noinput")
            installation.manage("demo")
            place = installation.place | {"DJANGO_SETTINGS_MODULE": "dashboard.settings"}
            grown = [sys.executable, "-c", GROW, *map(str, asked.points)]
            subprocess.run(grown, cwd=ROOT, env=place, check=True)
            installation.tend()
            wait_for_work(installation)
            address = f"http://127.0.0.1:{installation.port}"
            wait_for_web(address)
            accounts = json.loads(installation.manage("shell", "-v", "0", "-c", ACCOUNTS % (2, 0)))
            look(installation, accounts["recorder"], asked.visits)
            (first, _), (second, _) = accounts["reader"]
            ask_again(address, second, record(address, first, PAGES), asked.visits)
        finally:
            installation.end()


if __name__ == "__main__":
    main()
