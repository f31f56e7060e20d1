"""What a person sees when a page or a callback fails: a designed state, never a traceback."""

import logging
import secrets
import time
from traceback import extract_tb

from dash import html, set_props

from dashboard.access import Forbidden, NotFound
from dashboard.outages import remedy_of
from dashboard.pages import ids
from dashboard.pages.addresses import HOME
from dashboard.pages.components.blocks import action, failed_state
from dashboard.pages.components.text import sentence

_log = logging.getLogger(__name__)

# When the error of a place in the code was told as a whole; made-up calls raise the same one as often as they like.
_told: dict[tuple[str, int | None], float] = {}
_TOLD_AGAIN_SECONDS = 600.0


def problem(error: Exception, *, whole: bool = True) -> html.Div:
    """The state that stands for an error; an unexpected one is logged under the reference that the state shows.

    It is the `whole` page, or stands above one.

    What one place raises is logged with its traceback once in ten minutes, in between in one line.
    """
    back = action("All systems", href=HOME, quiet=True)
    if isinstance(error, (NotFound, Forbidden)):
        title = "Nothing here" if isinstance(error, NotFound) else "Your role does not allow this"
        return failed_state(title, sentence(error), act=back, whole=whole)
    if (remedy := remedy_of(error)) is not None:
        _log.warning("not shown: %s (%.200r)", remedy, error)
        return failed_state(
            "This cannot be shown now", f"{remedy[0].upper()}{remedy[1:]}.", act=back, whole=whole
        )
    reference = secrets.token_hex(4)
    last = extract_tb(error.__traceback__)[-1:]
    place = (last[0].filename, last[0].lineno) if last else ("", None)
    now = time.monotonic()
    if now - _told.get(place, -_TOLD_AGAIN_SECONDS) < _TOLD_AGAIN_SECONDS:
        _log.error("unexpected error as before, reference %s, %s line %s: %.200r", reference, *place, error)
    else:
        _told[place] = now
        _log.error("unexpected error, reference %s", reference, exc_info=error)
    text = f"Something went wrong on the server. Its log tells more under the reference {reference}."
    return failed_state("This could not be shown", text, act=back, whole=whole)


def on_error(error: Exception) -> None:
    """Dash's handler of what callbacks raise: the page stays, the problem stands above it."""
    set_props(ids.PROBLEM, {"children": problem(error, whole=False)})
