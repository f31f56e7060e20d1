"""The documents are shown as pages, and nothing outside of them is."""

import re
from pathlib import Path

import pytest
from django.test import Client

from dashboard.pages.components.blocks import DOCS

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("path", ["", "index", "explanation/influence-models", "explanation/histories.md"])
def test_a_document_is_a_page(client: Client, path: str) -> None:
    response = client.get(f"/docs/{path}")
    assert response.status_code == 200
    assert "<h1" in response.content.decode()


@pytest.mark.parametrize(
    "path",
    [
        "../manage.py",
        "..%2Fmanage.py",
        "/etc/passwd",
        "nothing",
        "index.html",
        "../README",
        "a%00b",
        "a%00.md",
        "x" * 300,
        "how-to",
    ],
)
def test_what_is_no_document_is_not_found(client: Client, path: str) -> None:
    assert client.get(f"/docs/{path}").status_code == 404


def test_every_question_mark_leads_to_a_document() -> None:
    pages = (ROOT / "dashboard" / "pages").rglob("*.py")
    asked = {
        name
        for page in pages
        for name in re.findall(r'"((?:how-to|explanation|reference|tutorial)/[\w-]+)"', page.read_text())
    }
    assert asked
    missing = sorted(name for name in asked if not (ROOT / "docs" / f"{name}.md").is_file())
    assert not missing
    assert DOCS == "/docs/"
