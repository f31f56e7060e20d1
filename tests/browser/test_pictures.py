"""The pictures in the documents, taken from the running program: `make screenshots` writes them anew."""

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera


def test_picture_of_the_readme(demo_page: Page, camera: Camera) -> None:
    """What the options of Markdown cost, with the largest term first."""
    demo_page.goto("/app/s/markdown/influences")
    expect(demo_page.locator("#terms-graph .bars .point").first).to_be_attached()
    camera.for_documents(demo_page, "model")
    camera.every_look(demo_page, "influences")


def test_every_look_of_the_first_page(page: Page, camera: Camera) -> None:
    """Without a system it tells how to bring one in."""
    page.goto("/app/")
    expect(page.get_by_role("heading").first).to_be_visible()
    camera.every_look(page, "first-page")
