"""A revision on a page: with its subject, author and date, and a link to its host only where that is safe."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dashboard.pages.components.revisions import revision_line
from dashboard.selectors.histories.order_rows import RevisionPlace

COMMIT = "0123456789" * 4
PLACE = RevisionPlace(
    1, COMMIT, 0, COMMIT, "Count twice\n\nMore", datetime(2026, 3, 1, tzinfo=UTC), author="Jo Doe"
)


def test_a_revision_is_told_with_author_and_leads_to_its_host() -> None:
    told = str(revision_line(PLACE, "https://example.org/p/{commit}"))
    assert f"href='https://example.org/p/{COMMIT}'" in told
    assert "rel='noopener noreferrer'" in told
    assert "target='_blank'" in told
    assert "Count twice" in told
    assert "Jo Doe, 1 March 2026" in told


@pytest.mark.parametrize(
    "pattern", ["", "javascript:alert('{commit}')", "https://me:secret@example.org/{commit}"]
)
def test_without_a_safe_address_there_is_no_link(pattern: str) -> None:
    told = str(revision_line(replace(PLACE, author=""), pattern))
    assert "href" not in told
    assert "Count twice" in told
