"""Revisions as people read them."""

from dashboard.figures.histories_words import revision_text, revision_title


def test_a_commit_is_read_by_the_beginning_of_its_hash_and_its_message() -> None:
    """A release keeps its name whatever its message says."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    assert revision_text(commit) == "0123456789"
    assert revision_title(commit, "Count twice") == "0123456789 Count twice"
    assert revision_title("3.11.3", "Markdown 3.11.3") == revision_text("3.11.3") == "3.11.3"
