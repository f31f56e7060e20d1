"""A change of a configuration that the reference runs beside it show as well is set aside as the machine's."""

import numpy as np
import pytest

from dashboard.access import Principal, access_to
from dashboard.models import Configuration, System
from dashboard.pages.history_list.words import reason_text
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.services.histories.fits import fit_system
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, settle


@pytest.mark.parametrize(("machine", "verdict"), [(0.3, "machine"), (0.0, "told")])
def test_what_the_reference_shows_as_well_is_the_machines(
    system: System, operator: Principal, machine: float, verdict: str
) -> None:
    """One run at each of 24 revisions: too few to take the machine's speed out of the times."""
    rng = np.random.default_rng(8)
    revisions = add_revisions(system, [f"r{at}" for at in range(24)])
    batch = add_batch(system)
    default = Configuration.objects.get(system=system, assignments={})
    for at, revision in enumerate(revisions):
        slower, reference = (1 + step * (at >= 12) for step in (0.3, machine))
        noise, other = np.exp(0.01 * rng.normal(size=2)).tolist()
        took = 0.05 * reference * other
        clocks = {
            f"reference_{clock}_{when}": took for clock in ("cpu", "wall") for when in ("before", "after")
        }
        add_run(batch, default, revision, value=slower * noise, **clocks)
    # Findings are kept by it.
    System.objects.filter(pk=system.pk).update(data_version=100 + round(10 * machine))
    settle([batch])
    access = access_to(operator, system.slug)
    fit_system(access=access)
    found = found_changes(access.system, HistoryQuery())
    assert found.total == (verdict == "told")
    (finding,) = found.told or found.filtered[0][2]
    assert (finding.verdict, finding.after, finding.histories) == (verdict, "r12", 2)
    text = reason_text(finding).replace("\N{NO-BREAK SPACE}", " ")
    assert ("Reference runs became" in text and text.endswith("slower there, too")) == (verdict == "machine")
