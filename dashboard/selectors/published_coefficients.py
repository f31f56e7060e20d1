"""Coefficients that a source's authors published, beside ours over the same terms and measurements."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.errors import LearningError
from analytics.influence.published import Agreement, PublishedComparison, hold_against, published_base
from analytics.influence.terms import margins
from analytics.influence.times import FloatArray
from dashboard.models import Batch, PublishedCoefficient, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.learned_models import measured_of, read_terms
from dashboard.selectors.loaded_models import resolve_model
from dashboard.selectors.model_rows import Estimate, ModelKey, Selection
from dashboard.selectors.performance_models import WrittenTerm, get_model

NOT_TOLD = "not told"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One published term as it was written; `ours` is None where there is none to compare.

    `difference` is ours less published, relative to the published coefficient; `agreement` one of `Agreement` or
    "not told" where our options do not tell the term.
    """

    term: str
    ours: Estimate | None
    published: float
    difference: float | None
    agreement: str


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A published model beside ours.

    `base` holds what the published terms are relative to where that is not our default: (option, level). `reasons`
    are those of `analytics.influence.published`; `excess` is how much more squared error the published model leaves.
    """

    revision: str
    quantity: str
    unit: str
    rows: tuple[PublishedRow, ...]
    base: tuple[tuple[str, str], ...]
    reasons: tuple[str, ...]
    excess: float
    unmeasured: int
    configurations: int

    def count(self, agreement: str) -> int:
        """How many terms stand so."""
        return sum(row.agreement == agreement for row in self.rows)


def published_terms(revision_id: int, metric_id: int) -> dict[str, tuple[WrittenTerm | None, float]]:
    """The terms and coefficients that were published for one revision and metric, by name; of several imports the newest tells.

    A term that our options do not tell is None.
    """
    rows = PublishedCoefficient.objects.filter(
        revision_id=revision_id, metric_id=metric_id, batch__state=Batch.State.VISIBLE
    ).order_by("batch_id", "pk")
    return {term: (levels, value) for term, levels, value in rows.values_list("term", "levels", "value")}


def hold_written_against(
    published: Collection[tuple[WrittenTerm | None, float]],
    space: OptionSpace,
    configurations: IntArray,
    values: FloatArray,
) -> PublishedComparison:
    """Hold published terms with their coefficients against measurements; those not told are None. Raises `LearningError`."""
    told = [(written, value) for written, value in published if written is not None]
    levels, sums = read_terms([written for written, _ in told], space)
    return hold_against(
        space,
        levels,
        configurations,
        values,
        np.array([value for _, value in told]),
        sums=sums,
        untold=sum(value for written, value in published if written is None),
    )


def published_model(*, system: System, selection: Selection) -> PublishedModel | None:
    """What was published for the selected model beside ours; None where nothing was. Raises `NotFound`."""
    return _model(resolve_model(system, selection))


@lru_cache(maxsize=16)
def _model(key: ModelKey) -> PublishedModel | None:
    model = get_model(key.model_id)
    given = published_terms(model.revision_id, model.total_metric_id)
    written = [levels for levels, _ in given.values() if levels is not None]
    if not written:
        return None
    space = options_of(model.system)
    measured = measured_of(model, space)
    try:
        found = hold_written_against(given.values(), space, measured.configurations, measured.values)
    except LearningError:
        return None
    base = published_base(space, read_terms(written, space)[0])
    return PublishedModel(
        revision=model.revision.name,
        quantity=model.total_metric.quantity,
        unit=model.total_metric.unit,
        rows=_rows(given, found),
        base=tuple(
            (space.names[option], space.options[option].text(int(base[option])))
            for option in np.flatnonzero(base > 0).tolist()
        ),
        reasons=found.reasons,
        excess=found.excess,
        unmeasured=found.unmeasured,
        configurations=len(measured.values),
    )


def _rows(
    given: Mapping[str, tuple[WrittenTerm | None, float]], found: PublishedComparison
) -> tuple[PublishedRow, ...]:
    fitted = found.fitted
    errors = np.sqrt(np.maximum(np.diag(fitted.covariance), 0.0))
    half = margins(errors, np.full(len(errors), float(fitted.degrees_of_freedom)))
    told = zip(found.ours, half, found.differences, found.agreement, strict=True)
    rows = []
    for name, (levels, value) in given.items():
        if levels is None:
            rows.append(PublishedRow(name, None, value, None, NOT_TOLD))
            continue
        own, margin, difference, agreement = next(told)
        ours = Estimate.of(float(own), float(margin))
        rows.append(
            PublishedRow(
                name,
                None if agreement is Agreement.UNDETERMINED else ours,
                value,
                float(difference) if np.isfinite(difference) else None,
                str(agreement),
            )
        )
    return tuple(rows)
