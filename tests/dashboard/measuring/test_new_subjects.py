"""A subject of one's own is begun at the terminal, in a new folder."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from dashboard.access import Forbidden
from dashboard.services.subjects import draft_subject
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def test_nobody_begins_a_subject_from_the_browser(alice: Person, tmp_path: Path) -> None:
    """It runs what is named."""
    with pytest.raises(Forbidden, match="on the machine that measures"):
        draft_subject(principal=alice.principal, folder=tmp_path, way="command", what="true", said=print)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CommandError, match="not empty") as refused:
        call_command("init", str(tmp_path), "--command", "true")
    assert refused.value.returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_nothing_is_left_of_what_could_not_be_begun(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="there is no program") as refused:
        call_command("init", str(tmp_path / "new"), "--command", "no-such-program")
    assert refused.value.returncode == 2
    assert not (tmp_path / "new").exists()
