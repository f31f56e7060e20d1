"""The pictures in the documents, taken from the running program: `make screenshots` writes them anew."""

import re

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera


def test_picture_of_the_readme(page: Page, camera: Camera) -> None:
    """The first page, as a newcomer sees it."""
    page.goto("/app/")
    expect(page).to_have_title(re.compile("Perfatlas"))
    camera.for_documents(page, "model")
    camera.every_look(page, "first-page")
