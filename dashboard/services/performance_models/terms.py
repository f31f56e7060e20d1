"""Which terms learned models have: those that a source published, or our own choice."""

from dataclasses import asdict, dataclass
from typing import Any

from analytics.configurations.options import OptionSpace
from analytics.influence.term_choice import TermChoice, choose_terms
from dashboard.models import Batch, PublishedCoefficient, System
from dashboard.selectors.learned_models import (
    OWN,
    PUBLISHED,
    ReadTerms,
    WrittenTerm,
    read_terms,
    written_terms,
)
from dashboard.services.performance_models.curves import Curve, LearningRefused


@dataclass(frozen=True, slots=True, eq=False)
class ChosenTerms:
    """Terms, where they come from, and what an analysis stores of the choice."""

    terms: ReadTerms
    source: str
    settings: dict[str, Any]
    remark: str = ""


def choose(system: System, curve: Curve, space: OptionSpace, wanted: str) -> ChosenTerms:
    """The terms of all models of one curve. Raises `LearningRefused`."""
    if wanted not in (OWN, PUBLISHED):
        raise LearningRefused(f"terms {wanted!r}: choose {OWN} or {PUBLISHED}")
    if wanted == PUBLISHED:
        told, untold = _published(system, curve.key.metric_id)
        if not told:
            raise LearningRefused(f"no terms were published for {curve.key.metric} of {system.slug!r}")
        remark = f"{len(untold)} published terms that the options do not tell are left out" if untold else ""
        settings = {"terms": PUBLISHED, "left_out": untold, "levels": told}
        return ChosenTerms(read_terms(told, space), PUBLISHED, settings, remark)
    limits = TermChoice()
    levels = choose_terms(space, curve.observations(), limits)
    written = written_terms(levels, space)
    return ChosenTerms(read_terms(written, space), OWN, {"terms": OWN, **asdict(limits), "levels": written})


def _published(system: System, metric_id: int) -> tuple[list[WrittenTerm], list[str]]:
    """The published terms of a metric that the options tell, and those that they do not."""
    rows = (
        PublishedCoefficient.objects.filter(
            system=system, metric_id=metric_id, batch__state=Batch.State.VISIBLE
        )
        .order_by("pk")
        .values_list("term", "levels")
    )
    known: dict[str, WrittenTerm | None] = {}
    for term, levels in rows:
        known.setdefault(term, levels)
    told = [levels for levels in known.values() if levels is not None]
    return told, [term for term, levels in known.items() if levels is None]
