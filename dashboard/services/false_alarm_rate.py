"""The false-alarm rate of a system: how often a change of its histories may be told where there is none."""

from analytics.changepoints.changes import FALSE_ALARM_RATE
from dashboard.access import Access, Permission, Refused
from dashboard.models import System
from dashboard.services import audit, data_versions
from dashboard.services.histories.fit_jobs import queue_fits

# In percent per series and year: less than the least finds nothing, more than the most is no alarm any more.
LEAST_PERCENT, MOST_PERCENT = 0.001, 20.0
DEFAULT_PERCENT = 100 * FALSE_ALARM_RATE


def set_false_alarm_rate(*, access: Access, percent: float) -> int | None:
    """Keep how many percent of series may alarm in a year of history without any change, and queue the fits anew.

    Returns the job that fits, None where nothing is to be fitted. Needs the role editor. Raises `Refused` and `Forbidden`.
    """
    access.check(Permission.EDIT)
    if not LEAST_PERCENT <= percent <= MOST_PERCENT:
        raise Refused(
            f"{percent:g} % is no false-alarm rate: write a number from {LEAST_PERCENT:g} to {MOST_PERCENT:g} %; "
            f"{DEFAULT_PERCENT:g} % is usual"
        )
    rate = percent / 100
    system = access.system
    if rate != system.false_alarm_rate:
        former, system.false_alarm_rate = system.false_alarm_rate, rate
        System.objects.filter(pk=system.pk).update(false_alarm_rate=rate)
        data_versions.bump(system=system)
        percents = {"from": f"{100 * former:g} %", "to": f"{percent:g} %"}
        audit.record(access.principal, "set false-alarm rate", access.slug, **percents)
    return queue_fits(access=access)
