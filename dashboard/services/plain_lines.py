"""Names and notes of one line, as people write them: what is stored is what everybody sees."""

from dashboard.access import Refused
from dashboard.importers.limits import hidden_character


def check_line(text: str, what: str) -> None:
    """See that a text of one line can be read as it stands. Raises `Refused`, which begins with `what` the text is."""
    if hidden := hidden_character(text):
        raise Refused(f"{what} holds the character {hidden}, which nobody sees: leave it out")
