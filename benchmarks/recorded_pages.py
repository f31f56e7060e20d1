"""What a browser asks the server when it opens a page: recorded once in Chromium, to be asked again by many."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import Request, sync_playwright

from tools.chromium import find_chromium, flags

CALLBACK = "_dash-update-component"
# What browsers keep, and what only comes with it.
_KEPT = re.compile(r"/static/|/charts/|_dash-component-suites|/assets/|\.(js|css|svg|woff2|png|ico)$")
_SETTLE_MS = 2_500


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its path with the query, and what was sent with it, "" for nothing."""

    path: str
    body: str

    @property
    def kind(self) -> str:
        """What it is for: `page`, `frame` (what Dash asks before it draws) or `callback`."""
        if CALLBACK in self.path:
            return "callback"
        return "frame" if "/_dash-" in self.path else "page"

    @property
    def name(self) -> str:
        """What it asks for, to tell the slow ones."""
        if self.kind != "callback":
            return self.path
        return str(json.loads(self.body)["output"])[:90]

    def request_of(self, client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        """It as a client asks it that is signed in, with the token of forms that its cookies hold."""
        token = next((one for name, one in client.cookies.items() if name.endswith("-csrf")), "")
        headers = {"X-CSRFToken": token} | ({"Content-Type": "application/json"} if self.body else {})
        method = "POST" if self.body else "GET"
        return client.build_request(method, self.path, content=self.body or None, headers=headers)


def record(address: str, login_path: str, paths: Sequence[str]) -> dict[str, list[Asked]]:
    """Sign in and open each page; its requests in order. Ends the bench where there is no Chromium."""
    program = find_chromium()
    if program is None:
        raise SystemExit("no Chromium is installed: what pages ask is recorded with it")
    pages: dict[str, list[Asked]] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags())
        page = browser.new_page()
        page.goto(f"{address}{login_path}")
        for path in paths:
            asked: list[Asked] = []

            def note(request: Request, asked: list[Asked] = asked) -> None:
                parts = urlsplit(request.url)
                if request.url.startswith(address) and not _KEPT.search(parts.path):
                    query = f"?{parts.query}" if parts.query else ""
                    asked.append(Asked(parts.path + query, request.post_data or ""))

            page.on("request", note)
            page.goto(f"{address}{path}", wait_until="networkidle")
            page.wait_for_timeout(_SETTLE_MS)
            page.remove_listener("request", note)
            pages[path] = asked
        browser.close()
    return pages
