"""The regions of a step: their names, whether their bodies differ, and the term in which each moved most."""

from collections.abc import Sequence

from analytics.influence.times import PROGRAM_REGION
from analytics.step_parts import Changed, StepParts, measured_terms, term_weights, weighted_difference
from dashboard.models import Region, RegionVersion, System
from dashboard.selectors.batch_manifests import unseen
from dashboard.selectors.explanations.cells import Ends, RegionCells
from dashboard.selectors.explanations.configurations import StepConfigurations
from dashboard.selectors.explanations.rows import ADDED, CHANGED, REMOVED, SAME, StepRegion


def step_regions(
    system: System,
    cells: RegionCells,
    split: StepParts,
    found: StepConfigurations,
    ends: Ends,
) -> tuple[StepRegion, ...]:
    """The regions of a step, in the order of its parts. Three queries."""
    nearest = [end[0] for end in ends]
    names = dict(Region.objects.filter(system=system, key__in=cells.keys).values_list("key", "name"))
    bodies: dict[str, dict[int, tuple[str, str]]] = {}
    hidden = unseen(RegionVersion)
    versions = RegionVersion.objects.filter(region__system=system, revision_id__in=nearest)
    seen = set()
    for pk, key, revision, body, file in versions.values_list(
        "pk", "region__key", "revision_id", "body_digest", "file"
    ):
        if pk not in hidden:
            seen.add(revision)
            bodies.setdefault(key, {})[revision] = (body, file)
    known = seen == set(nearest)
    is_configuration = found.weights.keys() == {found.whole}
    terms = measured_terms(found.whole, cells.cells.keys()) if is_configuration else ()
    moved = _terms_of(cells, terms, found)
    rows = []
    for part in (*split.parts, *split.folded):
        own = bodies.get(part.key, {})
        before, after = (own.get(end, ("", ""))[0] for end in nearest)
        # A function that did not run at a revision has no body there.
        differs = CHANGED if before and after else ADDED if after else REMOVED if before else ""
        rows.append(
            StepRegion(
                part=part,
                name=names.get(part.key, part.key),
                file=next((file for _, file in own.values()), ""),
                body=(SAME if before and before == after else differs) if known else "",
                term=moved.get(part.key, ""),
                is_program=part.key == PROGRAM_REGION,
            )
        )
    return tuple(rows)


def _terms_of(cells: RegionCells, terms: Sequence[Changed], found: StepConfigurations) -> dict[str, str]:
    """The term, in words, in which each region moved most at least, by its interval."""
    largest: dict[str, tuple[float, str]] = {}
    for term in terms:
        amounts, halves = weighted_difference(term_weights(term), cells.cells)
        for key, amount, half in zip(cells.keys, amounts.tolist(), halves.tolist(), strict=True):
            if (at_least := abs(amount) - half) > largest.get(key, (0.0, ""))[0]:
                largest[key] = (at_least, found.label(term))
    return {key: words for key, (_, words) in largest.items()}
