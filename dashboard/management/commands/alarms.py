"""`manage.py alarms SYSTEM [--rate PERCENT]`: how often a change may be told where there is none."""

import re
from argparse import ArgumentTypeError
from typing import Any

from dashboard.access import Access
from dashboard.figures.histories_words import alarm_rate_text
from dashboard.management.system_command import SystemCommand, argument
from dashboard.selectors.histories.series import searched_together
from dashboard.services.false_alarm_rate import set_false_alarm_rate


def percent(text: str) -> float:
    """The percent of "1", "1%" or "0.5 %". Raises `ArgumentTypeError`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%?", text.strip())
    if found is None:
        raise ArgumentTypeError(f"{text!r} is no percentage: write 1 or 0.5%")
    return float(found[1])


class Command(SystemCommand):
    """Tell the false-alarm rate of a system, or set it."""

    help = "Tell how often a change of a system's histories may be told where there is none, or set that."

    arguments = (
        argument(
            "--rate", type=percent, metavar="PERCENT", help="per series and year of history, as 1 or 0.5%%"
        ),
    )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Set, and tell."""
        job = None
        if options["rate"] is not None:
            job = set_false_alarm_rate(access=access, percent=options["rate"])
        system = access.system
        self.stdout.write(alarm_rate_text(system.false_alarm_rate, searched_together(system)))
        if job is not None:
            self.note(
                f"job {job} makes the fits anew; with nobody working on jobs: manage.py fit {access.slug}"
            )
