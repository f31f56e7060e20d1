"""The overview of a benchmark suite: what it holds, what changed last, and what became slower."""

from dash import html

from dashboard.access import Access
from dashboard.figures.numbers import count, plural
from dashboard.pages.addresses import HISTORIES, address
from dashboard.pages.components.blocks import Content, card, command, link, page
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.history_list.parts import REGRESSION_COLUMNS, day, histories_table
from dashboard.pages.lens import Lens
from dashboard.selectors.history_list.rows import BenchmarkSuite

_CHANGED = (
    Column("name", "Revision"),
    Column("day", "On"),
    Column("worse", "Worse", kind="number"),
    Column("better", "Better", kind="number"),
)
_ENVIRONMENTS = (
    Column("name", "Machine and environment"),
    Column("histories", "Histories", kind="number"),
    Column("revisions", "Revisions, at most", kind="number"),
)


def layout(access: Access, suite: BenchmarkSuite, lens: Lens) -> html.Article:
    """The overview of the suite."""
    missing = 0 if suite.fitted else suite.histories
    unfitted = card(
        f"{plural(missing, 'history', 'histories')} wait to be fitted",
        html.P("A job fits them; with nobody working on jobs, do it by hand:"),
        command(f".venv/bin/python manage.py fit {access.slug}"),
        wide=True,
    )
    environments: list[dict[str, Content]] = [
        {"name": one.name, "histories": count(one.histories), "revisions": count(one.revisions)}
        for one in suite.environments
    ]
    environment_card = card(
        "Environments",
        html.P(f"{count(suite.unchanged)} of {count(suite.fitted)} histories kept their level throughout."),
        plain_table(_ENVIRONMENTS, environments, label="Environments"),
    )
    return page(
        sentence(access.system.name, suite),
        f"{plural(suite.benchmarks, 'benchmark')} with {plural(suite.histories, 'history', 'histories')} by parameters, "
        f"environment and version, over {plural(suite.revisions, 'revision')}",
        *([unfitted] if missing else []),
        card(
            "Regressions, newest first",
            histories_table(REGRESSION_COLUMNS, suite.newest, access.slug, "Regressions, newest first"),
            more=link("All histories", address(access.slug, HISTORIES, lens=lens, sort="newest", worse="1")),
            wide=True,
        ),
        card(
            "Largest regressions that still stand",
            histories_table(REGRESSION_COLUMNS, suite.largest, access.slug, "Largest regressions"),
            more=link("By size", address(access.slug, HISTORIES, lens=lens, sort="last", worse="1")),
            wide=True,
        ),
        html.Div([_changed_card(suite), environment_card], className="suite-pair"),
    )


def sentence(name: str, suite: BenchmarkSuite) -> str:
    """How many benchmarks there are, and what changed last."""
    if not suite.fitted:
        return f"{name} has {plural(suite.benchmarks, 'benchmark')}; their histories are not fitted yet"
    if not suite.changed:
        return (
            f"None of the {plural(suite.benchmarks, 'benchmark')} of {name} changed, as far as was measured"
        )
    last = suite.changed[0]
    parts = [
        f"{count(number)} for the {word}"
        for number, word in ((last.worse, "worse"), (last.better, "better"))
        if number
    ]
    return (
        f"{plural(last.worse + last.better, 'history', 'histories')} of {name} changed at {last.name}, "
        f"{' and '.join(parts)}; {count(suite.worse)} of {count(suite.fitted)} last changed for the worse"
    )


def _changed_card(suite: BenchmarkSuite) -> html.Section:
    rows: list[dict[str, Content]] = [
        {
            "name": html.Code(one.name),
            "day": day(one.at),
            "worse": html.Span(count(one.worse), className="slower" if one.worse else ""),
            "better": html.Span(count(one.better), className="faster" if one.better else ""),
        }
        for one in suite.changed
    ]
    return card(
        "Last changes by revision",
        html.P("How many histories changed last at each revision, and stayed there."),
        plain_table(_CHANGED, rows, label="Last changes by revision"),
    )
