"""Ids of the page of reports, and of the button that freezes a view."""

LIST = "reports-list"
MESSAGE = "reports-message"
CHANGED = "reports-changed"
FREEZE = "reports-freeze"
FREEZE_VIEW = "reports-freeze-view"
FREEZE_TITLE = "reports-freeze-title"
FREEZE_MESSAGE = "reports-freeze-message"


def act(verb: str, key: int) -> dict[str, str | int]:
    """The id of a button that acts on one report or link."""
    return {"act": verb, "key": key}
