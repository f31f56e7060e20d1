"""What configurations are predicted to take, in lines and as JSON: shared by `best` and `predict`."""

from typing import Any

from dashboard.access import Access
from dashboard.figures.accuracy_words import doubt_text, unchecked_text, unpredicted_text
from dashboard.figures.histories_words import revision_text
from dashboard.figures.influences_words import impossible_text
from dashboard.figures.numbers import estimate_text, number, percent
from dashboard.management.system_command import argument
from dashboard.selectors.configurations import key_of_written, options_of
from dashboard.selectors.model_rows import (
    HYBRID,
    ChosenConfiguration,
    Estimate,
    Influences,
    ModelIdentity,
    PredictionQuality,
    Selection,
)
from dashboard.selectors.two_metrics import TwoMetrics
from dashboard.selectors.what_if import SingleChange

ARGUMENTS = (
    argument("--revision", default="", help="of this revision (the newest)"),
    argument("--workload", default="", help="of this workload"),
    argument("--environment", default="", help="of this environment"),
    argument("--metric", default="", help="of this metric, as time or memory"),
    argument("--hybrid", action="store_true", help="by the hybrid model"),
    argument("--json", action="store_true", help="print JSON"),
)


def selection_of(access: Access, options: dict[str, Any], configuration: str) -> Selection:
    """The model that the arguments of a command select, with a configuration as it was typed. Raises `NotFound`."""
    return Selection(
        revision=options["revision"],
        workload=options["workload"],
        environment=options["environment"],
        metric=options["metric"],
        model=HYBRID if options["hybrid"] else "",
        compared=key_of_written(options_of(access.system), configuration),
    )


def model_facts(model: ModelIdentity, quality: PredictionQuality) -> dict[str, Any]:
    """The model that speaks, and how good it is, for JSON."""
    names = (
        "system",
        "revision",
        "workload",
        "environment",
        "metric",
        "unit",
        "kind",
        "lower_is_better",
        "is_multiplicative",
    )
    return {
        **{name: getattr(model, name) for name in names},
        "error": quality.error,
        "rank_correlation": quality.rank_correlation,
        "regret": quality.regret,
    }


def title_of(model: ModelIdentity) -> str:
    """The model that speaks, in a line."""
    unit = model.unit or "unknown unit"
    where = f"{revision_text(model.revision)}, {model.workload}, {model.environment}"
    return f"{model.system_name} {where}: {model.metric} in {unit}"


def prediction_facts(
    configuration: ChosenConfiguration, predicted: Estimate, measured: float | None
) -> dict[str, Any]:
    """A configuration by what is away from the default, and what it takes, for JSON."""
    known = predicted.value == predicted.value
    return {
        "configuration": dict(configuration.differences),
        "predicted": predicted.value if known else None,
        "margin": predicted.margin if known else None,
        "low": predicted.low if known else None,
        "high": predicted.high if known else None,
        "measured": measured,
    }


def change_facts(one: SingleChange) -> dict[str, Any]:
    """A single change and what it adds, for JSON."""
    return {
        "option": one.change.option,
        "from": one.change.from_level,
        "to": one.change.to_level,
        "difference": one.difference.value,
        "margin": one.difference.margin,
    }


def prediction_line(predicted: Estimate, measured: float | None, model: ModelIdentity) -> str:
    """What is predicted, and beside it what was measured."""
    said = "not determined by what was measured"
    if predicted.value == predicted.value:
        said = estimate_text(predicted, model.unit)
    if wrong := impossible_text(model, predicted.value):
        said += f" ({wrong})"
    return said if measured is None else f"{said}, measured {number(measured, None, model.unit)}"


def front_facts(front: TwoMetrics) -> dict[str, Any]:
    """The Pareto front of two metrics, for JSON."""
    return {
        "metrics": [{"metric": one.metric, "unit": one.unit} for one in front.models],
        "front": [
            {
                "configuration": dict(row.configuration.differences),
                "predicted": [one.value for one in row.predicted],
                "margin": [one.margin for one in row.predicted],
                "low": [one.low for one in row.predicted],
                "high": [one.high for one in row.predicted],
            }
            for row in front.rows
        ],
    }


def front_lines(front: TwoMetrics) -> list[str]:
    """The Pareto front of two metrics, a configuration a line."""
    first, second = front.models
    lines = [
        f"{title_of(first)}, against {second.metric}: {len(front.rows)} configurations, none better in both"
    ]
    for row in front.rows:
        said = (
            estimate_text(one, model.unit) for one, model in zip(row.predicted, front.models, strict=True)
        )
        lines.append(f"  {written(row.configuration)}  {', '.join(said)}")
    return lines


def written(configuration: ChosenConfiguration) -> str:
    """A configuration as commands take it: `a=on,b=off`, or `default`."""
    return ",".join(f"{name}={level}" for name, level in configuration.differences) or "default"


def quality_line(found: Influences) -> str:
    """How good the model's recommendations were on configurations that were held back, and whether it says anything."""
    quality = found.quality
    if quality.rank_correlation is None or quality.regret is None:
        said = f"how good its recommendations are is not known: {unchecked_text(found)}"
    else:
        said = (
            f"on {quality.checked} measured configurations: rank correlation {quality.rank_correlation:.2f}, "
            f"the recommended one {percent(quality.regret)} worse than the best"
        )
    return "\n".join(filter(None, (said, doubt_text(found))))


def recommendation_lines(found: Influences) -> list[str]:
    """How good recommendations of the model are, and what they are made of."""
    return [quality_line(found), *filter(None, [unpredicted_text(found).strip()])]
