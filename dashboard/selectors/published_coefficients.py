"""Coefficients that a source's authors published, beside ours over the same terms and measurements."""

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
from dashboard.selectors.loaded_models import ModelKey, resolve_model
from dashboard.selectors.model_rows import Estimate, Selection
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


@dataclass(frozen=True, slots=True, eq=False)
class PublishedTerms:
    """What was published for one revision and metric: names and values (n_terms), and which terms our options tell.

    `written` are those that they tell.
    """

    names: tuple[str, ...]
    told: tuple[bool, ...]
    values: tuple[float, ...]
    written: tuple[WrittenTerm, ...]

    def compared(
        self, space: OptionSpace, configurations: IntArray, values: FloatArray
    ) -> PublishedComparison:
        """Hold them against measurements. Raises `LearningError`."""
        told = np.array(self.told)
        published = np.array(self.values)
        levels, sums = read_terms(self.written, space)
        return hold_against(
            space,
            levels,
            configurations,
            values,
            published[told],
            sums=sums,
            untold=float(published[~told].sum()),
        )


def published_terms(revision_id: int, metric_id: int) -> PublishedTerms | None:
    """What was published for one revision and metric; None where nothing the options tell. For selectors and services."""
    rows = list(
        PublishedCoefficient.objects.filter(
            revision_id=revision_id, metric_id=metric_id, batch__state=Batch.State.VISIBLE
        )
        .order_by("batch_id", "pk")
        .values_list("term", "levels", "value")
    )
    # Of several imports the newest tells.
    latest = {term: (levels, value) for term, levels, value in rows}
    if not any(levels is not None for levels, _ in latest.values()):
        return None
    return PublishedTerms(
        names=tuple(latest),
        told=tuple(levels is not None for levels, _ in latest.values()),
        values=tuple(value for _, value in latest.values()),
        written=tuple(levels for levels, _ in latest.values() if levels is not None),
    )


def published_model(*, system: System, selection: Selection) -> PublishedModel | None:
    """What was published for the selected model beside ours; None where nothing was. Raises `NotFound`."""
    return _model(resolve_model(system, selection))


@lru_cache(maxsize=16)
def _model(key: ModelKey) -> PublishedModel | None:
    model = get_model(key.model_id)
    given = published_terms(model.revision_id, model.total_metric_id)
    if given is None:
        return None
    space = options_of(model.system)
    measured = measured_of(model, space)
    try:
        found = given.compared(space, measured.configurations, measured.values)
    except LearningError:
        return None
    base = published_base(space, read_terms(given.written, space)[0])
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


def _rows(given: PublishedTerms, found: PublishedComparison) -> tuple[PublishedRow, ...]:
    fitted = found.fitted
    errors = np.sqrt(np.maximum(np.diag(fitted.covariance), 0.0))
    half = margins(errors, np.full(len(errors), float(fitted.degrees_of_freedom)))
    differences = found.differences
    rows = []
    place = 0
    for name, told, value in zip(given.names, given.told, given.values, strict=True):
        if not told:
            rows.append(PublishedRow(name, None, value, None, NOT_TOLD))
            continue
        own, margin = float(found.ours[place]), float(half[place])
        known = found.agreement[place] is not Agreement.UNDETERMINED
        difference = float(differences[place])
        rows.append(
            PublishedRow(
                name,
                Estimate.of(own, float(errors[place]), margin) if known else None,
                value,
                difference if np.isfinite(difference) else None,
                str(found.agreement[place]),
            )
        )
        place += 1
    return tuple(rows)
