"""Influence models: which there are, their terms, where a term arises, and what configurations are predicted to take."""

from typing import Annotated, Literal

from annotated_types import Ge, Le
from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from dashboard.api.callers import reading
from dashboard.api.rows import ApiRow, EstimateAnswer, Number, Page, Paging, Slug, Words
from dashboard.selectors.configurations import key_of_written, options_of
from dashboard.selectors.influences import influences, term_regions
from dashboard.selectors.model_rows import Selection, TermFilter
from dashboard.selectors.performance_models import list_models
from dashboard.selectors.regions.measured import regions as measured_regions
from dashboard.selectors.what_if import recommendations, what_if

router = Router(tags=["Influence models"])


class ModelQuery(Schema):
    """Which model is meant: without any of these the one that pages open with."""

    revision: Words = ""
    workload: Words = ""
    environment: Words = ""
    metric: Words = ""
    model: Literal["", "hybrid"] = ""


class SelectionQuery(ModelQuery):
    """And relative to which configuration: `all`, the name of a measured one, or `a=on*b=off`, what differs from the default."""

    base: Words = ""
    compared: Words = ""

    @property
    def selection(self) -> Selection:
        """As selectors take it."""
        return Selection(**self.model_dump(include=set(SelectionQuery.model_fields)))


class TermQuery(SelectionQuery):
    """And which of its terms: at least `threshold` in size, with all words of `text` in the names of its options."""

    threshold: Annotated[float, Ge(0), Le(1e300)] = 0.0
    text: Words = ""
    uncertain: bool = Field(True, description="also those that may be zero")


class ModelAnswer(ApiRow):
    """A model: what it was made from, and of which metric. One that is not current is of older measurements.

    In a multiplicative one effects multiply: its terms have a factor, and influences add up between two configurations alone.
    """

    revision: str
    workload: str
    environment: str
    kind: str
    options: list[str]
    metric: str
    unit: str
    clock: str
    lower_is_better: bool
    is_current: bool
    is_multiplicative: bool


class ConfigurationAnswer(ApiRow):
    """A configuration: how an address writes it, its name, and its options that are not at their default."""

    key: str
    name: str
    differences: list[tuple[str, str]]


class LevelChangeAnswer(ApiRow):
    """One option on its way from a level to another."""

    option: str
    from_level: str
    to_level: str


class TermAnswer(ApiRow):
    """What changing these options together adds beyond what fewer of them add, over so many regions.

    Where effects multiply, `factor` tells by how much.
    """

    key: str
    changes: list[LevelChangeAnswer]
    influence: EstimateAnswer
    regions: int
    factor: Number


class QualityAnswer(ApiRow):
    """How good predictions are: the mean error in percent over the configurations `checked`, their ranks, the regret."""

    error: Number
    rank_correlation: Number
    regret: Number
    checked: int


class InfluencesAnswer(ApiRow):
    """A model relative to its base, and to the target that it is compared with. Values are in the metric's unit."""

    model: ModelAnswer
    base: ConfigurationAnswer
    base_time: EstimateAnswer
    base_measured: Number
    target: ConfigurationAnswer | None
    target_time: EstimateAnswer | None
    target_measured: Number
    difference: EstimateAnswer | None
    undetermined: int
    quality: QualityAnswer


class TermRegionAnswer(ApiRow):
    """What one region adds to a term; `share` is its fraction of it."""

    key: str
    name: str
    package: str
    influence: EstimateAnswer
    share: Number


class TermRegionsAnswer(ApiRow):
    """A term and where it arises; regions and what is `outside` of them together sum to its influence."""

    term: TermAnswer
    regions: list[TermRegionAnswer]
    outside: TermRegionAnswer | None


class RegionAnswer(ApiRow):
    """A region: what it takes at the base, its share of the whole, and its largest term."""

    key: str
    name: str
    package: str
    file: str
    is_program: bool
    time: Number
    share: Number
    target_time: Number
    largest: TermAnswer | None
    options: list[str]
    subspaces: int


class SingleChangeAnswer(ApiRow):
    """One option changed: the configuration that comes of it, and what that adds to the prediction."""

    key: str
    change: LevelChangeAnswer
    difference: EstimateAnswer


class PredictionAnswer(ApiRow):
    """What a configuration should take. It is valid where it breaks no condition; `better` are single changes."""

    model: ModelAnswer
    quality: QualityAnswer
    configuration: ConfigurationAnswer
    predicted: EstimateAnswer
    measured: Number
    violated: list[str]
    better: list[SingleChangeAnswer]


class RecommendationAnswer(ApiRow):
    """A configuration with the best or worst prediction; it is not proven where the search ran out of time."""

    configuration: ConfigurationAnswer
    predicted: EstimateAnswer
    measured: Number
    is_proven: bool


class BestAnswer(ApiRow):
    """The valid configurations with the best and the worst prediction."""

    best: RecommendationAnswer | None
    worst: RecommendationAnswer | None


@router.get("/systems/{system}/models", response=Page[ModelAnswer], summary="Models of a system")
def models(request: HttpRequest, system: Slug, paging: Query[Paging]) -> Page[ModelAnswer]:
    """The newest first."""
    return paging.of(list_models(reading(request, system).system), ModelAnswer)


@router.get("/systems/{system}/model", response=InfluencesAnswer, summary="One model")
def model(request: HttpRequest, system: Slug, wanted: Query[SelectionQuery]) -> InfluencesAnswer:
    """What its base takes, what the compared configuration takes, and how good its predictions are."""
    found = influences(system=reading(request, system).system, selection=wanted.selection)
    return InfluencesAnswer.model_validate(found)


@router.get("/systems/{system}/terms", response=Page[TermAnswer], summary="The terms of a model")
def terms(
    request: HttpRequest, system: Slug, wanted: Query[TermQuery], paging: Query[Paging]
) -> Page[TermAnswer]:
    """The largest first, each with its 95 % interval; compared with a configuration, what leads there."""
    found = influences(system=reading(request, system).system, selection=wanted.selection)
    chosen = TermFilter(wanted.threshold, text=wanted.text, uncertain=wanted.uncertain)
    return paging.of(chosen.shown(found.terms), TermAnswer)


@router.get("/systems/{system}/terms/regions", response=TermRegionsAnswer, summary="Where a term arises")
def regions_of_term(
    request: HttpRequest, system: Slug, term: Words, wanted: Query[SelectionQuery]
) -> TermRegionsAnswer:
    """The regions that a term, given by its key, is the sum of; the largest first."""
    access = reading(request, system)
    found = term_regions(system=access.system, selection=wanted.selection, term=term)
    return TermRegionsAnswer.model_validate(found)


@router.get("/systems/{system}/regions", response=Page[RegionAnswer], summary="Regions of a system")
def regions(
    request: HttpRequest, system: Slug, wanted: Query[SelectionQuery], paging: Query[Paging]
) -> Page[RegionAnswer]:
    """Those that take most at the base first."""
    found = measured_regions(system=reading(request, system).system, selection=wanted.selection)
    return paging.of(found.regions, RegionAnswer)


@router.get(
    "/systems/{system}/prediction", response=PredictionAnswer, summary="What a configuration should take"
)
def prediction(
    request: HttpRequest, system: Slug, wanted: Query[ModelQuery], configuration: Words = "default"
) -> PredictionAnswer:
    """Measured or not: `default`, `a=on,b=off`, or the name of a measured configuration."""
    access = reading(request, system)
    key = key_of_written(options_of(access.system), configuration)
    found = what_if(access=access, selection=Selection(**wanted.model_dump(), compared=key))
    return PredictionAnswer.model_validate(
        {
            "model": found.found.model,
            "quality": found.found.quality,
            "configuration": found.found.target,
            "predicted": found.found.target_time,
            "measured": found.found.target_measured,
            "violated": [] if found.violated is None else found.violated.conditions,
            "better": found.better,
        }
    )


@router.get("/systems/{system}/best", response=BestAnswer, summary="The best and the worst configuration")
def best(
    request: HttpRequest,
    system: Slug,
    wanted: Query[ModelQuery],
    configuration: Words = "default",
    fix: Words = "",
) -> BestAnswer:
    """Among the valid ones; options of `fix`, as `a,b`, keep the level that they have in `configuration`."""
    access = reading(request, system)
    key = key_of_written(options_of(access.system), configuration)
    fixed = [name.strip() for name in fix.split(",") if name.strip()]
    selection = Selection(**wanted.model_dump(), compared=key)
    found, opposite = recommendations(access=access, selection=selection, fixed=fixed)
    return BestAnswer.model_validate({"best": found, "worst": opposite})
