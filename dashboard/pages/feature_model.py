"""The feature model of a system: its options as a tree, what configurations must satisfy, and where features lie."""

from collections.abc import Sequence

from dash import html

from dashboard.access import Access
from dashboard.figures.influences_words import region_text
from dashboard.figures.numbers import count, plural
from dashboard.importers.feature_records import FeatureLocationRecord
from dashboard.pages.addresses import FEATURE_MODEL, OVERVIEW, REGIONS, address
from dashboard.pages.components.blocks import (
    Piece,
    card,
    chip,
    code,
    command,
    empty_state,
    facts,
    help_tip,
    page,
)
from dashboard.pages.components.blocks import link as link_to
from dashboard.pages.components.tables import Column, not_shown, plain_table
from dashboard.pages.lens import Lens
from dashboard.selectors.feature_models.locations import located_features, locations_of
from dashboard.selectors.feature_models.valid import (
    FeatureRow,
    OpenFeatureModel,
    feature_model_of,
    feature_tree,
)

MOST_FEATURES = 400
MOST_CONDITIONS = 200
MOST_LOCATIONS = 400
_EXPLAINED = "explanation/feature-models"
_TREE_HELP = (
    "Features as the model writes them, each below the feature that it needs. On the right: the option and level that "
    "a feature became here."
)
_KINDS = {
    "root": "always",
    "mandatory": "always with its parent",
    "alternative": "one of these",
    "number": "number",
    "optional number": "optional number",
}


def layout(access: Access, _key: str, lens: Lens) -> html.Article:
    """The page of the feature model of the system at this place."""
    found = feature_model_of(access.system)
    if found is None:
        nothing = empty_state(
            "Every combination of levels counts as valid",
            "A feature model says which combinations of options a program allows, and which lines belong to which "
            "feature. Import one as SPL Conqueror or VaRA write it.",
            command(
                f".venv/bin/python manage.py import feature-model FeatureModel.xml --system {access.slug}"
            ),
        )
        return page("No feature model yet", None, nothing)
    number = found.valid.count()
    # Very many are told by words.
    many = plural(number, "configuration").capitalize()
    combinations = f"{count(found.combinations)} combinations of levels"
    return page(
        f"{many} of {access.system.name} {'is' if number == 1 else 'are'} valid, of {combinations}",
        _subtitle(found),
        html.Div(
            [
                _tree_card(feature_tree(found.folding)),
                html.Div(
                    [
                        _conditions_card(found),
                        _locations_card(located_features(access.system), access.slug, lens),
                    ],
                    className="stack",
                ),
            ],
            className="halves",
        ),
        html.P(link_to("Overview", address(access.slug, OVERVIEW, lens=lens), quiet=True)),
    )


def overview_cards(access: Access, lens: Lens) -> list[Piece]:
    """A card for the overview, where the system has a feature model."""
    found = feature_model_of(access.system)
    if found is None:
        return []
    locations = locations_of(access.system)
    rows: list[tuple[Piece, Piece]] = [
        ("Features", count(len(found.folding.model.features))),
        ("Options", count(len(found.folding.space.options))),
        ("Valid configurations", f"{count(found.valid.count())} of {count(found.combinations)}"),
    ]
    if locations:
        rows.append(("Places in the source", count(len(locations))))
    more = link_to("Feature model", address(access.slug, FEATURE_MODEL, lens=lens))
    return [card("Which configurations are valid", facts(rows), more=more)]


def _subtitle(found: OpenFeatureModel) -> str:
    parts = [
        f"feature model “{found.row.name}”",
        plural(len(found.folding.model.features), "feature"),
        f"{plural(len(found.folding.space.options), 'option')} with levels",
        plural(len(found.conditions), "condition"),
    ]
    if found.row.path:
        commit = f" at {found.row.commit[:12]}" if found.row.commit else ""
        parts.append(f"source {found.row.path}{commit}")
    return " · ".join(parts)


def _tree_card(features: Sequence[FeatureRow]) -> html.Section:
    rows = []
    for row in features[:MOST_FEATURES]:
        became = f"{row.option} = {row.level}" if row.level else row.option
        values = ", ".join(row.values)
        if len(row.values) > 6:
            values = f"{row.values[0]} to {row.values[-1]}, {len(row.values)} values"
        words = [_KINDS.get(row.kind, row.kind), *([values] if values else [])]
        parts = [
            html.Span(code(row.name), title=row.output),
            html.Span(": ".join(words), className="feature-kind"),
            html.Span(became, className="feature-option"),
        ]
        rows.append(html.Li(parts, style={"--depth": str(row.depth)}))
    rest = not_shown(len(features) - len(rows), "more feature")
    tip = help_tip(_TREE_HELP, _EXPLAINED)
    return card("Features", html.Ul(rows, className="feature-tree"), rest, more=tip)


def _conditions_card(found: OpenFeatureModel) -> html.Section:
    if not found.conditions:
        return card(
            "What a configuration must satisfy", html.P("Nothing: every combination of levels is valid.")
        )
    shown = found.conditions[:MOST_CONDITIONS]
    rest = not_shown(len(found.conditions) - len(shown))
    rows = [html.Li(code(condition.words)) for condition in shown]
    return card("What a configuration must satisfy", html.Ul(rows, className="feature-conditions"), rest)


def _locations_card(
    locations: Sequence[tuple[FeatureLocationRecord, str]], slug: str, lens: Lens
) -> html.Section:
    if not locations:
        return card("Where features lie", html.P("The model names no places in the source."))
    columns = (
        Column("feature", "feature", kind="code"),
        Column("place", "file and lines", kind="code"),
        Column("revisions", "revisions"),
        Column("region", "region"),
    )
    rows: list[dict[str, Piece]] = []
    for row, key in locations[:MOST_LOCATIONS]:
        lines = (
            f"{row.first_line}" if row.first_line == row.last_line else f"{row.first_line}-{row.last_line}"
        )
        first, end = row.first_revision[:12], row.removed_in[:12]
        revisions = f"from {first}" if first else f"before {end}" if end else "all"
        if first and end:
            revisions = f"{first} up to before {end}"
        region: Piece = "not measured"
        if key:
            region = link_to(region_text(key), address(slug, REGIONS, key, lens.but(region="")))
        aside = [chip(row.category)] if row.category == "inessential" else []
        rows.append(
            {
                "feature": html.Span([row.feature, " ", *aside]),
                "place": f"{row.file}:{lines}",
                "revisions": revisions,
                "region": region,
            }
        )
    rest = not_shown(len(locations) - len(rows))
    return card("Where features lie", plain_table(columns, rows, label="Places of features"), rest)
