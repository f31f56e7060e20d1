"""What searches for changes of profiled regions found: docs/adr/0013-changes-of-regions.md."""

from django.db import models

from dashboard.models.measurements import Metric
from dashboard.models.regions import Region
from dashboard.models.rows import Row
from dashboard.models.systems import Configuration, Environment, System, Workload


class RegionSearch(Row):
    """The search of all regions that one configuration spent time in, over the revisions at which it was profiled.

    `digest` tells the runs and the settings that it was made of: with others it is out of date.
    """

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="region_searches")
    configuration = models.ForeignKey(Configuration, on_delete=models.CASCADE, related_name="+")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="+")
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    # How many regions were searched, each by every metric of regions.
    regions = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["configuration", "workload", "environment"], name="region_search_unique"
            )
        ]


class RegionChanges(Row):
    """The changes of one region in one search: a region without any has no row."""

    search = models.ForeignKey(RegionSearch, on_delete=models.CASCADE, related_name="found", db_index=False)
    region = models.ForeignKey(Region, on_delete=models.CASCADE, related_name="+")
    metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="+")
    # As in `HistoryFit`: of what the region costs, then those that only its share of the whole shows.
    packed_changes = models.BinaryField(default=b"")
    packed_share_changes = models.BinaryField(default=b"")
    # What moved at each of both, or may have: see `selectors.history_list.region_searches`.
    packed_moves = models.BinaryField(default=b"")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["search", "region", "metric"], name="region_changes_unique")
        ]
