"""The overview of a benchmark suite: what it holds, what changed last, and what became slower."""

from dash import html

from dashboard.access import Access
from dashboard.figures.numbers import count, plural
from dashboard.pages.addresses import HISTORIES, address
from dashboard.pages.components.blocks import card, command, link, page
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.false_alarms import alarms_card
from dashboard.pages.history_list.findings import findings_content
from dashboard.pages.history_list.words import filtered_texts, way
from dashboard.pages.lens import Lens
from dashboard.selectors.history_list.rows import BenchmarkSuite

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
    environments = [
        {
            "name": one.name,
            "histories": exact(count(one.histories), one.histories),
            "revisions": exact(count(one.revisions), one.revisions),
        }
        for one in suite.environments
    ]
    environment_card = card(
        "Environments",
        html.P(
            f"{count(suite.unchanged)} of {count(suite.fitted)} histories kept their level, as far as is certain."
        ),
        plain_table(_ENVIRONMENTS, environments, label="Environments"),
    )
    return page(
        sentence(access.system.name, suite),
        f"{plural(suite.benchmarks, 'benchmark')} with {plural(suite.histories, 'history', 'histories')} by parameters, "
        f"environment and version, over {plural(suite.revisions, 'revision')}",
        *([unfitted] if missing else []),
        card(
            "Findings, newest first",
            *findings_content(suite.findings, access, settable=False),
            *(html.P(text, className="quiet") for text in filtered_texts(suite.findings) if text),
            more=link("All histories", address(access.slug, HISTORIES, lens=lens)),
            wide=True,
        ),
        html.Div([environment_card, alarms_card(access)], className="suite-pair"),
    )


def sentence(name: str, suite: BenchmarkSuite) -> str:
    """How many benchmarks there are, and what changed last."""
    if not suite.fitted:
        return f"{name} has {plural(suite.benchmarks, 'benchmark')}; their histories are not fitted yet"
    if not suite.findings.told and suite.findings.hidden:
        return f"Nothing is left to do on {plural(suite.findings.hidden, 'finding')} of {name}"
    if not suite.findings.told:
        return (
            f"None of the {plural(suite.benchmarks, 'benchmark')} of {name} changed, as far as was measured"
        )
    last = suite.findings.told[0]
    drift = last.shown[0].last
    is_slow = drift is not None and drift.is_slow
    became, when = ("slowly became", "until") if is_slow else ("became", "at")
    return (
        f"{plural(last.histories, 'history', 'histories')} of {name} {became} {way(last)} {when} {last.after}; "
        f"{count(suite.worse)} of {count(suite.fitted)} last changed for the worse"
    )
