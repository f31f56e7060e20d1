"""Feature models for tests, and random ones for property tests."""

from itertools import product

from hypothesis import strategies as st

from analytics.configurations.feature_models.features import Constraint, Feature, FeatureModel


def alternatives(parent: str, *names: str) -> tuple[Feature, ...]:
    """Features below `parent` of which exactly one is chosen."""
    return tuple(
        Feature(name, parent, excluded=tuple((other,) for other in names if other != name)) for name in names
    )


COMPRESSOR = FeatureModel(
    "compressor",
    (
        Feature("root"),
        Feature("compression", "root", optional=True),
        *alternatives("compression", "gzip", "lzma"),
        Feature("level", "root"),
        *alternatives("level", "level_9", "level_1", "level_10"),
        Feature("sync", "root"),
        Feature("dictionary", "lzma", optional=True),
        Feature("window", "lzma", values=(1.0, 2.5)),
        Feature("threads", "root", values=(1.0, 2.0, 4.0)),
        *alternatives("root", "log", "quiet"),
        Feature("tuned", "dictionary"),
    ),
    (Constraint("!quiet | level_1"), Constraint("threads * window > 8", "mixed", "all", negated=True)),
)


@st.composite
def feature_models(draw: st.DrawFn) -> FeatureModel:
    """A model of a few features: switches, groups and numbers at random places, with a few constraints."""
    features = [Feature("root"), Feature("switch", "root", optional=True)]
    for index in range(draw(st.integers(1, 3))):
        parent = draw(st.sampled_from([one.name for one in features if one.values is None]))
        name = f"f{index}"
        kind = draw(
            st.sampled_from(["optional", "mandatory", "group", "optional group", "number", "optional number"])
        )
        optional = kind.startswith("optional")
        if kind.endswith("number"):
            values = tuple(sorted(draw(st.sets(st.integers(0, 4), min_size=1, max_size=3))))
            features.append(Feature(name, parent, optional=optional, values=tuple(map(float, values))))
            continue
        features.append(Feature(name, parent, optional=optional))
        if kind.endswith("group"):
            members = [f"{name}_{suffix}" for suffix in range(draw(st.integers(2, 3)))]
            features.extend(alternatives(name, *members))
    return FeatureModel("random", tuple(features), tuple(draw(st.lists(constraints(features), max_size=3))))


@st.composite
def constraints(draw: st.DrawFn, features: list[Feature]) -> Constraint:
    """A clause over some features, or a comparison of a sum of products."""
    names = st.sampled_from([one.name for one in features])
    if draw(st.booleans()):
        literals = draw(st.lists(st.tuples(st.sampled_from(["", "!"]), names), min_size=1, max_size=3))
        return Constraint(" | ".join(sign + name for sign, name in literals))
    products = draw(st.lists(st.tuples(st.integers(-2, 3), names, names), min_size=1, max_size=3))
    left = " + ".join(f"{factor} * {one} * {other}" for factor, one, other in products)
    operator = draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">="]))
    return Constraint(
        f"{left} {operator} {draw(st.integers(-3, 6))}",
        "mixed",
        draw(st.sampled_from(["all", "none"])),
        draw(st.booleans()),
    )


def selections(model: FeatureModel) -> list[dict[str, float | None]]:
    """Every selection of features that the tree and its groups allow, by trying all; None for an absent number."""
    domains: list[tuple[float | None, ...]] = [
        (0.0, 1.0) if feature.values is None else (None, *feature.values) for feature in model.features
    ]
    names = [feature.name for feature in model.features]
    found = (dict(zip(names, chosen, strict=True)) for chosen in product(*domains))
    return [selection for selection in found if _fits_tree(model, selection)]


def _fits_tree(model: FeatureModel, selection: dict[str, float | None]) -> bool:
    """Whether parents are there, what is mandatory is there, and of alternatives exactly one is."""

    def there(feature: Feature) -> bool:
        return selection[feature.name] is not None and (
            feature.values is not None or selection[feature.name] == 1
        )

    if not there(model.features[0]):
        return False
    for feature in model.features[1:]:
        above = there(model.feature(feature.parent or ""))
        rivals = [model.feature(entry[0]) for entry in feature.excluded]
        if there(feature) and not above:
            return False
        if above and not feature.optional and sum(map(there, [feature, *rivals])) != 1:
            return False
    return True
