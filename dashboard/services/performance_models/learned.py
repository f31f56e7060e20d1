"""Learning the models of all revisions of a system from end-to-end measurements, and the histories of their terms.

All revisions of one curve (workload, environment and metric) share their terms, so that a term has a history.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar

import numpy as np
from django.db import transaction

from analytics.configurations.options import IntArray, OptionSpace
from analytics.evaluation import middle
from analytics.influence.accuracy import PredictionQuality
from analytics.influence.errors import LearningError
from analytics.influence.learned import LEARNER_VERSION
from analytics.influence.scale_choice import choose_terms_and_scale
from analytics.influence.stored import pack
from analytics.influence.term_choice import DEGREE, MOST_TERMS, ROWS, SEED
from analytics.influence.times import FloatArray
from analytics.progress import Progress, no_progress
from dashboard.access import Access, Permission, Refused
from dashboard.models import Batch, Metric, PerformanceModel, PublishedCoefficient, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.job_columns import JobRequest
from dashboard.selectors.learned_models import learn_over, learned_of, measured_of, written_terms
from dashboard.selectors.performance_models import OWN, PUBLISHED, LearnedSettings, WrittenTerm
from dashboard.services import data_versions
from dashboard.services.identities import CurveContext
from dashboard.services.jobs.context import Fence, JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.performance_models.curves import CurveKey, curves_of, read_curve
from dashboard.services.performance_models.storing import model_of, save_next_version, store_fit
from dashboard.services.performance_models.term_histories import term_points, write_term_points

# Formats of measurements over many configurations without regions: whoever imports one wants their models.
LEARNED_FORMATS = frozenset({"spl-conqueror", "csv"})
# So many models are written in one transaction: others wait for it where the database has one writer.
_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class LearnedCurve:
    """What was learned of one curve; `quality` is made of medians over revisions, and checks counted together."""

    workload: str
    environment: str
    metric: str
    terms: int
    terms_from: str
    revisions: int
    configurations: int
    quality: PredictionQuality
    points: int
    remark: str


def learn(
    *,
    access: Access,
    metric: str = "",
    terms: str = OWN,
    tell: Progress = no_progress,
    fence: Fence = transaction.atomic,
) -> tuple[LearnedCurve, ...]:
    """Learn the models of every revision of a system, and write the histories of their terms.

    `tell` hears the share done and what comes next. Models are stored some at a time, in transactions that `fence` opens;
    after an interruption learning once more stores the same.

    Of all metrics or of `metric`; over our `own` choice of terms, or over the `published` ones as far as our options
    tell them. Curves whose regions were analysed are left alone. Needs the role editor. Raises
    `Forbidden`, and `Refused` for terms or a metric that the system does not have.
    """
    access.check(Permission.EDIT)
    if terms not in (OWN, PUBLISHED):
        raise Refused(f"terms {terms!r}: choose {OWN} or {PUBLISHED}")
    system = access.system
    space = options_of(system)
    done: list[LearnedCurve] = []
    keys = curves_of(system, metric)
    for key in keys:
        tell(len(done) / len(keys), f"learning {key.metric} of {key.workload}")
        try:
            done.append(
                _learn(system, space, key, terms, fence=fence, tell=_part_of(tell, len(done), len(keys)))
            )
        except LearningError as error:
            raise Refused(f"{key.metric} of {key.workload}: {error}") from None
    return tuple(done)


def _part_of(tell: Progress, done: int, parts: int) -> Progress:
    """What tells `tell` how far one of several equal parts is, `done` of them being behind it."""
    return lambda share, message: tell((done + share) / parts, message)


def _learn(
    system: System, space: OptionSpace, key: CurveKey, terms: str, *, fence: Fence, tell: Progress
) -> LearnedCurve:
    """Learn the models of one curve; write them and their fits, then the points. Raises `Refused`."""
    configurations, values, batches = read_curve(system, key, space)
    own = _own_terms(space, configurations, values, tell) if terms == OWN else None
    chosen = own or _published_terms(system, key)
    better = Metric.objects.values_list("better", flat=True).get(pk=key.metric_id) == "lower"
    found = [learn_over(space, chosen, configurations, one, lower_is_better=better) for one in values.T]
    each = list(zip(batches.items(), values.T, found, strict=True))
    points = {
        at: term_points(space, one.model.terms, one.configurations, batch) for (at, batch), _, one in each
    }
    for start in range(0, len(each), _AT_ONCE):
        some = each[start : start + _AT_ONCE]
        # Packed before: so others can write meanwhile, too.
        payloads = [pack(one) for _, _, one in some]
        with fence():
            _lock(system)
            for ((revision, batch), column, _), payload in zip(some, payloads, strict=True):
                context = MeasurementContext(revision, key.workload_id, key.environment_id)
                model = model_of(system, context, PerformanceModel.Kind.LEARNED, key.metric_id)
                varied = np.ptp(configurations[np.isfinite(column)], axis=0) > 0
                model.batch_id, model.options = batch, list(compress(space.names, varied))
                model.settings = chosen.as_json()
                save_next_version(model)
                store_fit(model, payload, LEARNER_VERSION)
    with fence():
        _lock(system)
        written = write_term_points(system, key, points)
        data_versions.bump(system=system)
    return LearnedCurve(
        workload=key.workload,
        environment=key.environment,
        metric=key.metric,
        terms=len(chosen.levels),
        terms_from=chosen.terms,
        revisions=len(batches),
        configurations=len(configurations),
        quality=_median_quality([one.quality for one in found]),
        points=written,
        remark=chosen.remark,
    )


def _median_quality(qualities: Sequence[PredictionQuality]) -> PredictionQuality:
    """Each median over the revisions where it is known."""
    return PredictionQuality(
        middle(one.error for one in qualities),
        middle(one.rank_correlation for one in qualities),
        middle(one.regret for one in qualities),
        sum(one.checked for one in qualities),
    )


def _lock(system: System) -> None:
    """Wait for whoever else learns of this system or moves its points."""
    System.objects.select_for_update().get(pk=system.pk)


def _published_terms(system: System, key: CurveKey) -> LearnedSettings:
    """The published terms of all models of one curve, as far as our options tell them. Raises `Refused`."""
    visible = PublishedCoefficient.objects.filter(
        system=system, metric_id=key.metric_id, batch__state=Batch.State.VISIBLE
    )
    known: dict[str, WrittenTerm | None] = {}
    for term, stored in visible.order_by("pk").values_list("term", "levels"):
        known.setdefault(term, stored)
    told = [one for one in known.values() if one is not None]
    if not told:
        raise Refused(f"no terms were published for {key.metric} of {system.slug!r}")
    # Those that our options do not tell.
    left_out = [term for term, one in known.items() if one is None]
    return LearnedSettings(terms=PUBLISHED, left_out=left_out, levels=told)


def _own_terms(
    space: OptionSpace, configurations: IntArray, values: FloatArray, tell: Progress
) -> LearnedSettings:
    """The terms that we choose for all models of one curve, those that we would choose without each part, and their scale."""
    chosen = choose_terms_and_scale(space, configurations, values, tell=tell)
    settings = LearnedSettings(
        terms=OWN,
        levels=written_terms(chosen.levels, space),
        degree=DEGREE,
        most=MOST_TERMS,
        rows=ROWS,
        seed=SEED,
        without_parts=[written_terms(one, space) for one in chosen.without_parts],
    )
    # What was not set stays away: settings of sums are as they always were.
    ways = {"is_multiplicative": chosen.is_multiplicative, "from_all_levels": chosen.from_all_levels}
    return settings.model_copy(update={name: True for name, is_so in ways.items() if is_so})


class LearningRequest(JobRequest):
    """The models of all revisions of the job's system."""

    kind: ClassVar = "learn"


def queue_learning(*, access: Access) -> int:
    """Learn in a job. Needs the role editor. Raises `Forbidden`."""
    return enqueue(access, LearningRequest(), title=f"Learn models of {access.system.name}")


def learn_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that learns; its result counts curves and points. Run again it learns anew, the same."""
    done = learn(access=context.access, tell=context.progress, fence=context.fenced)
    return {"curves": len(done), "points": sum(one.points for one in done)}


def refresh_learned_models(*, system: System, contexts: Collection[MeasurementContext]) -> int:
    """Learn anew, over the same terms, after runs in these contexts were marked invalid or restored.

    Returns how many models moved; a model that lost all of its runs goes away. Call it in their transaction.
    """
    models = PerformanceModel.objects.filter(system=system, kind=PerformanceModel.Kind.LEARNED)
    moved = [model for context in contexts for model in models.filter(**context.as_filter())]
    space = options_of(system)
    for model in moved:
        where = CurveContext(model.workload_id, model.environment_id, model.total_metric_id)
        revision, points = model.revision_id, {}
        measured = measured_of(model, space)
        if len(measured.values):
            save_next_version(model)
            found = learned_of(model, space, measured)
            store_fit(model, pack(found), LEARNER_VERSION)
            points = term_points(space, found.model.terms, found.configurations, model.batch_id)
        else:
            model.delete()
        write_term_points(system, where, {revision: points}, anew=False)
    return len(moved)
