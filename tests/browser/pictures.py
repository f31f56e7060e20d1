"""Screenshots: of every look for a person's eye, and the pictures in the documents."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page

SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# Dash marks what it is still computing; transitions are off, two frames draw what is there.
SETTLED = """() => new Promise(done => {
  const look = () => document.querySelector('[data-dash-is-loading="true"]')
    ? setTimeout(look, 50)
    : requestAnimationFrame(() => requestAnimationFrame(done));
  document.fonts.ready.then(look);
})"""


@dataclass(frozen=True, slots=True)
class Camera:
    """Takes pictures into the folders that were named, and none where none was."""

    looks: Path | None
    documents: Path | None

    def every_look(self, page: Page, name: str) -> None:
        """`NAME-light-wide.png` and its three sisters, whole page, for review."""
        if self.looks is None:
            return
        before = page.viewport_size
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                page.evaluate(SETTLED)
                page.screenshot(path=self.looks / f"{name}-{scheme}-{size}.png", full_page=True)
        page.emulate_media(color_scheme="light")
        if before is not None:
            page.set_viewport_size(before)

    def for_documents(self, page: Page, name: str) -> None:
        """`docs/images/NAME.png`, as the page stands."""
        if self.documents is not None:
            page.evaluate(SETTLED)
            page.screenshot(path=self.documents / f"{name}.png")
