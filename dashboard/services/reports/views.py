"""The views that can be frozen as a report: each from its selectors and figures, as they are at this moment."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from dashboard.access import Access, Refused
from dashboard.figures.histories_words import revision_text
from dashboard.selectors.reports import FrozenView
from dashboard.services.reports.comparisons import (
    freeze_approaches,
    freeze_findings,
    freeze_two_revisions,
    freeze_workloads,
)
from dashboard.services.reports.history_views import freeze_history
from dashboard.services.reports.model_views import (
    freeze_influences,
    freeze_region,
    freeze_what_if,
)
from dashboard.services.reports.option_views import freeze_option
from dashboard.services.reports.sections import Lens


def freeze_view(*, access: Access, view: str, lens: Lens) -> FrozenView:
    """What the view shows now for what the lens selects (the names of an address's query string).

    Raises `Refused` for a view that cannot be frozen, `NotFound` where the selection has nothing to show.
    """
    if view not in VIEWS:
        raise Refused(f"the view {view!r} cannot be frozen: choose one of {', '.join(VIEWS)}")
    frozen = VIEWS[view](access, lens)
    # In a list, and sent by link, a title stands alone.
    revision = revision_text(dict(frozen.facts).get("revision", ""))
    titled = (
        frozen.title if not revision or f" at {revision}" in frozen.title else f"{revision}: {frozen.title}"
    )
    return replace(frozen, title=titled)


# By the section of the explorer that shows them, but for the findings, which its histories begin with.
VIEWS: Mapping[str, Callable[[Access, Lens], FrozenView]] = {
    "influences": freeze_influences,
    "options": freeze_option,
    "workloads": freeze_workloads,
    "what-if": freeze_what_if,
    "regions": freeze_region,
    "histories": freeze_history,
    "findings": freeze_findings,
    "compare": freeze_two_revisions,
    "approaches": freeze_approaches,
}
