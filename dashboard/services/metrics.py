"""The metrics that our own runner measures."""

from dashboard.models import Metric


def seconds(clock: Metric.Clock) -> Metric:
    """The metric of times in seconds by one clock."""
    metric, _ = Metric.objects.get_or_create(
        quantity="time", unit="s", clock=clock, better=Metric.Better.LOWER
    )
    return metric
