"""Which regions of a model that was learned from counts have a page: it counts in regions that nobody measured."""

from dashboard.access import NotFound, Principal, require
from dashboard.selectors.loaded_models import load_selected
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.performance_models import ModelRow
from dashboard.selectors.whitebox.analyses import newest_analysis


def regions_with_page(*, principal: Principal, slug: str, row: ModelRow) -> frozenset[str]:
    """The regions that were measured where the model was learned, or traced in its revision. Raises `NotFound`."""
    newest = newest_analysis(require(principal, slug), row.revision)
    sites = () if newest is None else newest.result.sites
    traced = {site.region for site in sites if site.data or site.control}
    return frozenset(traced) | _measured(principal, slug, row)


def _measured(principal: Principal, slug: str, row: ModelRow) -> frozenset[str]:
    """The regions of the model that a region's page shows."""
    beside = Selection(revision=row.revision, workload=row.workload, environment=row.environment)
    try:
        times = load_selected(principal=principal, slug=slug, selection=beside).loaded.region_times
    except NotFound:
        return frozenset()
    return frozenset() if times is None else frozenset(times.regions)
