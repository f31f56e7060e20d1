"""Which terms learned models have: those that a source published, or our own choice."""

from dataclasses import asdict

from analytics.configurations.options import OptionSpace
from analytics.influence.term_choice import TermChoice, choose_terms
from dashboard.models import Batch, PublishedCoefficient, System
from dashboard.selectors.learned_models import written_terms
from dashboard.selectors.model_settings import OWN, PUBLISHED, LearnedSettings, WrittenTerm
from dashboard.services.performance_models.curves import Curve, LearningRefused


def choose(system: System, curve: Curve, space: OptionSpace, wanted: str) -> LearnedSettings:
    """The terms of all models of one curve. Raises `LearningRefused`."""
    if wanted not in (OWN, PUBLISHED):
        raise LearningRefused(f"terms {wanted!r}: choose {OWN} or {PUBLISHED}")
    if wanted == PUBLISHED:
        told, untold = _published(system, curve.key.metric_id)
        if not told:
            raise LearningRefused(f"no terms were published for {curve.key.metric} of {system.slug!r}")
        return LearnedSettings(terms=PUBLISHED, left_out=untold, levels=[_as_lists(one) for one in told])
    limits = TermChoice()
    levels = choose_terms(space, curve.observations(), limits)
    written = written_terms(levels, space)
    return LearnedSettings(terms=OWN, levels=[_as_lists(one) for one in written], **asdict(limits))


def _as_lists(term: WrittenTerm) -> dict[str, str | list[str]]:
    return {name: labels if isinstance(labels, str) else list(labels) for name, labels in term.items()}


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
