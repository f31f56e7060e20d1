"""Performance models: which there are, their settings, which one a selection means, and which runs count for one."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import starmap
from typing import Any, Literal, Self, TypeAlias

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from pydantic import BaseModel, ConfigDict

from dashboard.access import NotFound
from dashboard.models import Batch, OrderPosition, PerformanceModel, Run, System
from dashboard.selectors.model_rows import HYBRID, ModelIdentity, ModelKey, Selection
from dashboard.selectors.releases import revision_called
from dashboard.selectors.systems import PRIMARY, visible_runs

# {option: label, or several labels of which any will do}.
WrittenTerm: TypeAlias = Mapping[str, str | Sequence[str]]
TermsFrom: TypeAlias = Literal["own", "published"]
# Where the terms of a learned model come from.
PUBLISHED: Literal["published"] = "published"
OWN: Literal["own"] = "own"


REFERRED = ("system", "revision", "workload", "environment", "region_metric", "total_metric")


class _ModelSettings(BaseModel):
    model_config = ConfigDict(frozen=True)

    @classmethod
    def of(cls, model: PerformanceModel) -> Self:
        """The settings that the row of a model stores."""
        return cls.model_validate(model.settings)

    def as_json(self) -> dict[str, Any]:
        """The settings as a row stores them: what was not set stays away."""
        return self.model_dump(mode="json", exclude_unset=True)


class LearnedSettings(_ModelSettings):
    """Whose choice the terms of a learned model are, and the terms; `left_out` are published ones over other options.

    `degree`, `most`, `rows`, `seed` and `from_all_levels` are those of an own choice (`choose_terms`), `without_parts` the terms that it
    makes without each part of the configurations: none where an earlier version chose. Where effects multiply, terms are
    of logarithms of the values.
    """

    terms: TermsFrom
    levels: Sequence[WrittenTerm]
    left_out: list[str] = []
    degree: int | None = None
    most: int | None = None
    rows: int | None = None
    seed: int | None = None
    without_parts: Sequence[Sequence[WrittenTerm]] = ()
    is_multiplicative: bool = False
    from_all_levels: bool = False

    @property
    def remark(self) -> str:
        """What else is to be said of the terms, "" for nothing."""
        left_out = len(self.left_out)
        return f"{left_out} published terms that the options do not tell are left out" if left_out else ""


class HybridSettings(_ModelSettings):
    """The seed of a hybrid model's intervals, whether options that taint regions were known, and how much it is from."""

    seed: int
    tainted: bool
    configurations: int


def settings_digest(settings: Mapping[str, Any]) -> str:
    """What tells these settings of a stored result from any others."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


class NoInfluenceModel(NotFound):
    """The system has no model of any kind yet."""


def list_models(system: System) -> tuple[ModelIdentity, ...]:
    """The visible models of a system, the newest first. One query, and one more where one of them changed."""
    return models_of(system, model_keys(system))


def model_keys(system: System) -> tuple[ModelKey, ...]:
    """What the visible models of a system are kept under, the newest first. One query."""
    models = PerformanceModel.objects.filter(system=system, batch__state=Batch.State.VISIBLE).order_by("-pk")
    told = models.values_list("pk", "batch__created_at", "data_version", "region_metric")
    return tuple(starmap(ModelKey, told))


def models_of(system: System, keys: tuple[ModelKey, ...]) -> tuple[ModelIdentity, ...]:
    """The models of a system under these keys; no query where they are kept in this process."""
    # What metrics are called, and which direction is better, moves the system's version alone.
    return _identities(keys, system.slug, system.name, system.data_version)


@lru_cache(maxsize=64)
def _identities(
    keys: tuple[ModelKey, ...], _slug: str, _name: str, _data_version: int
) -> tuple[ModelIdentity, ...]:
    return tuple(map(model_row, visible_models().filter(pk__in=[key.model_id for key in keys])))


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


def newest_model(system: System) -> PerformanceModel:
    """The newest visible analysis of a system. For selectors. Raises `NotFound`."""
    model = visible_models().filter(system=system).first()
    if model is None:
        raise NotFound(f"{system.slug!r} has no analysis: import one or measure the system's regions")
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


def model_row(model: PerformanceModel) -> ModelIdentity:
    """An analysis as a row. For selectors."""
    return ModelIdentity(
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
        # Lists of models ask for this: the terms are not looked at.
        terms_from=str(model.settings.get("terms", "")),
        uncovered_is_zero=model.uncovered_is_zero,
        is_multiplicative=bool(model.settings.get("is_multiplicative", False)),
    )


def get_model(model_id: int) -> PerformanceModel:
    """The model with this id and what it refers to. One query."""
    return PerformanceModel.objects.select_related(*REFERRED).get(pk=model_id)


def visible_models() -> QuerySet[PerformanceModel]:
    """The models that may be seen, the newest first, with what they refer to. For selectors."""
    models = PerformanceModel.objects.filter(batch__state=Batch.State.VISIBLE)
    return models.select_related(*REFERRED).order_by("-pk")


def chosen_row(rows: tuple[ModelIdentity, ...], system: System, selection: Selection) -> ModelIdentity:
    """The model that fits the selection: of the latest revision, from most configurations, over most options.

    Measured combinations tell little where the default configuration is not among them: such a revision comes last.
    Raises `NotFound`; `NoInfluenceModel` where there are none.
    """
    if not rows:
        raise NoInfluenceModel(f"{system.slug!r} has no influence model yet")
    rows = of_model(rows, selection)
    if not rows:
        raise NotFound(f"{system.slug!r} has no hybrid model yet: learn it on the page Approaches")
    # Of a revision by its tag, where it has another name.
    fitting = in_context(rows, selection) or in_context(
        rows, replace(selection, revision=revision_called(system, selection.revision))
    )
    if not fitting:
        said = ", ".join(f"{name} {value}" for name, value in selection.context.items())
        raise NotFound(f"{system.slug!r} has no model for {said}: remove it from the selection")
    positions = revision_positions(system)
    poor = set()
    combinations = [row for row in fitting if row.kind == PerformanceModel.Kind.FULL_FACTORIAL]
    if combinations and len({row.revision for row in fitting}) > 1:
        runs = visible_runs(system).filter(configuration__assignments={}, status=Run.Status.OK)
        with_default = set(runs.values_list("revision__name", flat=True).distinct())
        poor = {row.model_id for row in combinations if row.revision not in with_default}

    def rank(row: ModelIdentity) -> tuple[bool, int, bool]:
        # Where a white-box analysis found the partitions, they are better than all combinations of options.
        is_partitioned = row.kind == PerformanceModel.Kind.PARTITIONED
        return row.model_id not in poor, positions.get(row.revision, -1), is_partitioned

    best = max(map(rank, fitting))
    leading = [row for row in fitting if rank(row) == best]
    sizes = measured_configurations(leading) if len(leading) > 1 else {}
    # The first of equals: models come newest first.
    return max(
        leading,
        key=lambda row: (
            # A few runs on another machine do not stand in for all that was measured on one.
            sizes.get(row.model_id, 0),
            len(row.options),
            -PRIMARY.index(row.metric) if row.metric in PRIMARY else -len(PRIMARY),
            tuple(-ord(sign) for sign in row.metric),
        ),
    )


def measured_configurations(rows: Sequence[ModelIdentity]) -> dict[int, int]:
    """How many configurations have valid runs where each model is: of its revision, workload and environment. One query."""
    runs = Run.objects.filter(
        revision_id=OuterRef("revision_id"),
        workload_id=OuterRef("workload_id"),
        environment_id=OuterRef("environment_id"),
        status=Run.Status.OK,
        invalid_reason="",
        batch__state=Batch.State.VISIBLE,
    )
    counted = runs.order_by().values("revision_id").annotate(n=Count("configuration_id", distinct=True))
    models = PerformanceModel.objects.filter(pk__in=[row.model_id for row in rows])
    return dict(models.values_list("pk", Coalesce(Subquery(counted.values("n")), 0)))


def revision_positions(system: System) -> dict[str, int]:
    """Where each revision stands in its order, by name. One query."""
    positions = OrderPosition.objects.filter(order__system=system)
    return dict(positions.values_list("revision__name").annotate(Max("position")))


def of_model(rows: tuple[ModelIdentity, ...], selection: Selection) -> tuple[ModelIdentity, ...]:
    """The hybrid ones where these are selected; else all others, or the hybrid ones if there are no others."""
    hybrid = tuple(row for row in rows if row.is_hybrid)
    others = tuple(row for row in rows if not row.is_hybrid)
    return hybrid if selection.model == HYBRID else others or hybrid


def in_context(rows: tuple[ModelIdentity, ...], selection: Selection) -> tuple[ModelIdentity, ...]:
    """Those of the revision, workload, environment and metric that are selected, as far as they are."""
    wanted = selection.context.items()
    return tuple(row for row in rows if all(getattr(row, name) == value for name, value in wanted))


def model_choices(*, system: System, selection: Selection) -> dict[str, tuple[str, tuple[str, ...]]]:
    """What is chosen of the model now, and what else can be while the rest of the selection stays; by name.

    Revisions stand in their order, oldest first. Models are "", `hybrid`, or both. A constant number of queries.
    Raises `NotFound`.
    """
    rows = list_models(system)
    if not rows:
        raise NotFound(f"{system.slug!r} has no influence model yet")
    now = chosen_row(rows, system, selection)
    positions = revision_positions(system)
    same = [row for row in of_model(rows, selection) if row.environment == now.environment]
    beside = [row for row in same if row.workload == now.workload]
    revisions = {row.revision for row in beside if row.metric == now.metric}
    models = {HYBRID if row.is_hybrid else "" for row in in_context(rows, selection)}
    metrics = dict.fromkeys(row.metric for row in reversed(beside) if row.revision == now.revision)
    return {
        "model": (HYBRID if now.is_hybrid else "", tuple(sorted(models))),
        "revision": (
            now.revision,
            tuple(sorted(revisions, key=lambda name: (positions.get(name, -1), name))),
        ),
        "workload": (now.workload, tuple(sorted({row.workload for row in same}))),
        "metric": (now.metric, tuple(metrics)),
    }
