"""Performance models: which there are, which one a selection means, and which runs count for one."""

from collections.abc import Collection, Mapping

from django.db.models import Count, Max, QuerySet

from dashboard.access import NotFound
from dashboard.models import Batch, OrderPosition, PerformanceModel, Run, System
from dashboard.selectors.model_rows import HYBRID, ModelRow, Selection
from dashboard.selectors.model_settings import terms_from


class NoInfluenceModel(NotFound):
    """The system has no model of any kind yet."""


# Of several metrics the one that a page opens with: the first of these, else the first by name.
_PRIMARY = ("performance", "time", "throughput")
_REFERRED = ("system", "revision", "workload", "environment", "region_metric", "total_metric")


def list_models(system: System) -> tuple[ModelRow, ...]:
    """The visible models of a system, the newest first."""
    return tuple(model_row(model) for model in _visible().filter(system=system))


def measured_kind(model: PerformanceModel) -> Run.Kind:
    """Which runs an analysis is made of. For selectors and services; two queries at most.

    The profiled ones; of a learned analysis the end-to-end ones; of an exhaustive analysis likewise, where only they
    compare configurations.
    """
    if model.kind == PerformanceModel.Kind.PARTITIONED:
        return Run.Kind.PROFILED
    if model.kind in PerformanceModel.LEARNED_KINDS:
        return Run.Kind.PLAIN
    profiled, plain = (
        valid_runs(model, kind).aggregate(n=Count("configuration", distinct=True))["n"]
        for kind in (Run.Kind.PROFILED, Run.Kind.PLAIN)
    )
    return Run.Kind.PLAIN if profiled < 2 <= plain else Run.Kind.PROFILED


def others_held(model: PerformanceModel, assignments: Mapping[str, str]) -> dict[str, str]:
    """What a configuration assigns to options that an exhaustive analysis is not over. For selectors."""
    if model.kind != PerformanceModel.Kind.FULL_FACTORIAL:
        return {}
    return {name: label for name, label in assignments.items() if name not in model.options}


def find_model(system: System, model_id: int | None) -> PerformanceModel:
    """A visible analysis of a system, by default the newest. For selectors. Raises `NotFound`."""
    found = _visible().filter(system=system)
    model = (found if model_id is None else found.filter(pk=model_id)).first()
    if model is None:
        wanted = "no analysis" if model_id is None else f"no analysis {model_id}"
        raise NotFound(f"{system.slug!r} has {wanted}: import one or measure the system's regions")
    return model


def valid_runs(model: PerformanceModel, kind: Run.Kind) -> QuerySet[Run]:
    """The runs that count for an analysis. For selectors."""
    runs = Run.objects.filter(
        revision_id=model.revision_id,
        workload_id=model.workload_id,
        environment_id=model.environment_id,
        kind=kind,
        status=Run.Status.OK,
        invalid_reason="",
        batch__state=Batch.State.VISIBLE,
    )
    # An imported analysis and its runs belong together: a corrected import must not mix with an earlier one.
    return runs.filter(batch_id=model.batch_id) if model.kind == PerformanceModel.Kind.PARTITIONED else runs


def model_row(model: PerformanceModel) -> ModelRow:
    """An analysis as a row. For selectors."""
    return ModelRow(
        model_id=model.pk,
        system=model.system.slug,
        system_name=model.system.name,
        revision=model.revision.name,
        workload=model.workload.name,
        environment=model.environment.name,
        kind=model.kind,
        options=tuple(model.options),
        quantity=model.region_metric.quantity,
        unit=model.region_metric.unit,
        clock=model.region_metric.clock,
        lower_is_better=model.region_metric.better == "lower",
        data_version=model.data_version,
        terms_from=terms_from(model),
    )


def get_model(model_id: int) -> PerformanceModel:
    """The model with this id and what it refers to. One query."""
    return PerformanceModel.objects.select_related(*_REFERRED).get(pk=model_id)


def _visible() -> QuerySet[PerformanceModel]:
    models = PerformanceModel.objects.filter(batch__state=Batch.State.VISIBLE)
    return models.select_related(*_REFERRED).order_by("-pk")


def chosen_row(rows: tuple[ModelRow, ...], system: System, selection: Selection) -> ModelRow:
    """The model that fits the selection: of the latest revision, and over the most options.

    Measured combinations tell little where the default configuration is not among them: such a revision comes last.
    Raises `NotFound`; `NoInfluenceModel` where there are none.
    """
    if not rows:
        raise NoInfluenceModel(f"{system.slug!r} has no influence model yet")
    rows = of_model(rows, selection)
    if not rows:
        raise NotFound(f"{system.slug!r} has no hybrid model yet: learn it on the page Approaches")
    fitting = in_context(rows, selection)
    if not fitting:
        said = ", ".join(f"{name} {value}" for name, value in selection.context.items())
        raise NotFound(f"{system.slug!r} has no model for {said}: remove it from the selection")
    positions = revision_positions(system)
    poor = _without_default(fitting, system)
    # The first of equals: models come newest first.
    return max(
        fitting,
        key=lambda row: (
            row.model_id not in poor,
            positions.get(row.revision, -1),
            # Where a white-box analysis found the partitions, they are better than all combinations of options.
            row.kind == PerformanceModel.Kind.PARTITIONED,
            len(row.options),
            *_first(row.metric),
        ),
    )


def revision_positions(system: System) -> dict[str, int]:
    """Where each revision stands in its order, by name. One query."""
    positions = OrderPosition.objects.filter(order__system=system)
    return dict(positions.values_list("revision__name").annotate(Max("position")))


def of_model(rows: tuple[ModelRow, ...], selection: Selection) -> tuple[ModelRow, ...]:
    """The hybrid ones where these are selected; else all others, or the hybrid ones if there are no others."""
    hybrid = tuple(row for row in rows if row.is_hybrid)
    others = tuple(row for row in rows if not row.is_hybrid)
    return hybrid if selection.model == HYBRID else others or hybrid


def in_context(rows: tuple[ModelRow, ...], selection: Selection) -> tuple[ModelRow, ...]:
    """Those of the revision, workload, environment and metric that are selected, as far as they are."""
    wanted = selection.context.items()
    return tuple(row for row in rows if all(getattr(row, name) == value for name, value in wanted))


def _without_default(rows: Collection[ModelRow], system: System) -> frozenset[int]:
    """Which of several models, by id, are of measured combinations without the default configuration. One query."""
    measured = {row for row in rows if row.kind == PerformanceModel.Kind.FULL_FACTORIAL}
    if len({row.revision for row in rows}) < 2 or not measured:
        return frozenset()
    runs = Run.objects.filter(
        configuration__system=system,
        configuration__assignments={},
        status=Run.Status.OK,
        batch__state=Batch.State.VISIBLE,
    )
    known = set(runs.values_list("revision__name", flat=True).distinct())
    return frozenset(row.model_id for row in measured if row.revision not in known)


def _first(metric: str) -> tuple[int, tuple[int, ...]]:
    """A key that is largest for the metric to open with."""
    rank = _PRIMARY.index(metric) if metric in _PRIMARY else len(_PRIMARY)
    return -rank, tuple(-ord(sign) for sign in metric)
