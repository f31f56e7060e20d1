"""Influence rows for tests: a small system in seconds, with the numbers of a known sum."""

from dashboard.selectors.model_rows import (
    ChosenConfiguration,
    Estimate,
    Influences,
    LevelChange,
    ModelIdentity,
    PredictionQuality,
    TermRegion,
    TermRegions,
    TermRow,
)

ANALYSIS = ModelIdentity(
    model_id=1,
    system="small",
    system_name="Small",
    revision="1.0",
    workload="regular",
    environment="test machine",
    quantity="time",
    unit="s",
    clock="wall",
    lower_is_better=True,
    kind="full_factorial",
    options=("A", "B"),
    data_version=1,
    configurations=4,
    repetitions=3,
    regions=3,
)
DEFAULT = ChosenConfiguration("", "default", ())


def estimate(value: float, error: float) -> Estimate:
    """A value whose interval reaches two standard errors to each side."""
    return Estimate(value, 2 * error)


def term(key: str, value: float, error: float = 0.0001, regions: int = 1) -> TermRow:
    """The term of switching on the options in `key`."""
    changes = tuple(LevelChange(option, "off", "on") for option in key.split("*"))
    return TermRow(key, changes, estimate(value, error), regions)


def influences(*terms: TermRow, base: float = 0.047, compared: bool = False) -> Influences:
    """A model of these terms; compared with the configuration that they lead to."""
    total = base + sum(one.influence.value for one in terms)
    return Influences(
        model=ANALYSIS,
        options=(),
        base=DEFAULT,
        base_time=estimate(base, 0.0002),
        base_measured=None,
        target=ChosenConfiguration("A*B", "", (("A", "on"), ("B", "on"))) if compared else None,
        target_time=estimate(total, 0.0003) if compared else None,
        target_measured=None,
        difference=estimate(total - base, 0.0004) if compared else None,
        terms=tuple(sorted(terms, key=lambda one: -abs(one.influence.value))),
        undetermined=0,
        quality=PredictionQuality(),
        error_of_mean=None,
    )


def term_regions(of: TermRow, *values: float, outside: float = 0.0) -> TermRegions:
    """A term that arises in regions r0, r1, ... with these values."""
    total = of.influence.value

    def share(name: str, value: float) -> TermRegion:
        return TermRegion(name, f"Thing.{name}(I)V", "package", estimate(value, 0.0001), value / total)

    return TermRegions(
        ANALYSIS,
        of,
        tuple(share(f"r{n}", value) for n, value in enumerate(values)),
        share("(program)", outside) if outside else None,
    )
