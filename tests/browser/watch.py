"""What a page may not do in silence: write to the console, throw, or ask anybody but our server."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Page, Request

LOUD = {"error", "warning", "assert"}


class Watch:
    """Collects what went wrong in the pages that it watches; `problems` is empty where all was well."""

    def __init__(self, address: str) -> None:
        self._host = urlsplit(address).netloc
        self._expected: list[re.Pattern[str]] = []
        self._heard: list[str] = []

    def expect(self, pattern: str) -> None:
        """Let messages pass that match: a test that provokes a refusal says so."""
        self._expected.append(re.compile(pattern))

    def watch(self, page: Page) -> None:
        """Listen to the page, its workers and pop-ups of the same context."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._heard.append(f"uncaught: {error}"))
        page.on("request", self._request)
        page.on("crash", lambda _: self._heard.append("the page crashed"))

    @property
    def problems(self) -> list[str]:
        """Everything heard that was not expected."""
        return [said for said in self._heard if not any(known.search(said) for known in self._expected)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in LOUD:
            where = message.location or {}
            self._heard.append(f"console {message.type}: {message.text} ({where.get('url', '')})")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in {"data", "blob"} and address.netloc != self._host:
            self._heard.append(f"request to {request.url}: nothing is loaded from outside")
