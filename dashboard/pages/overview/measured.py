"""What an overview says of the measurements: how complete, where, what runs, what to do next."""

from datetime import UTC, datetime
from typing import Any

from dash import html

from dashboard.access import Access
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import count, plural, power_of_ten, share
from dashboard.pages.addresses import HISTORIES, INFLUENCES, MEASURE, WHAT_IF, address
from dashboard.pages.components.blocks import Piece, action, card, facts
from dashboard.pages.components.text import ago, time_left
from dashboard.pages.lens import Lens
from dashboard.selectors.environments import environment_difference
from dashboard.selectors.histories.rows import History
from dashboard.selectors.jobs import list_jobs
from dashboard.selectors.overview import ModelSummary, Overview
from dashboard.selectors.systems import MeasuredCounts


def subtitle(description: str, counts: Overview, summary: ModelSummary | None) -> str:
    """What the sentence stands on."""
    parts = [description.partition("\n")[0].rstrip(".")] if description else []
    if summary is not None:
        told = summary.model
        clock = {"wall": "wall-clock ", "cpu": "CPU "}.get(told.clock, "")
        parts += [
            f"revision {revision_text(told.revision)}",
            f"workload “{told.workload}”",
            f"{clock}{told.quantity}",
        ]
    parts.append(f"measured {ago(counts.measured.at, datetime.now(UTC))}")
    return " · ".join(parts)


def measured_card(counts: Overview, summary: ModelSummary | None) -> html.Section:
    """What was measured and how complete that is."""
    measured, levels = counts.measured, count(counts.levels)
    # Its power of ten where nobody reads the digits.
    if counts.levels >= 10**7:
        levels = power_of_ten(counts.levels)
    rows: list[tuple[Piece, Piece]] = [
        (
            "Options",
            count(counts.options)
            + (", not varied" if counts.options and measured.configurations == 1 else ""),
        ),
        ("Configurations", f"{count(measured.configurations)} of {levels}"),
        ("Revisions", count(measured.revisions)),
        # A single one by its name, since an analysis may have run another one.
        ("Workload", summary.model.workload)
        if measured.workloads == 1 and summary is not None
        else ("Workloads", count(measured.workloads)),
        ("Runs", count(measured.runs)),
    ]
    if measured.failed:
        rows.append(
            (html.Span("Failed", className="warn"), html.Span(count(measured.failed), className="warn"))
        )
    if counts.invalid:
        rows.append(("Marked invalid", count(counts.invalid)))
    if summary is not None and summary.model.is_learned:
        rows.append(
            ("Learned from", f"{count(summary.model.configurations)} × {count(summary.model.repetitions)}")
        )
    elif summary is not None:
        found = summary.report.accuracy
        rows += [
            ("Profiled", f"{count(summary.model.configurations)} × {count(summary.model.repetitions)}"),
            (f"Regions with a time at {revision_text(summary.model.revision)}", count(summary.model.regions)),
            (
                "Subspaces of this model measured",
                f"{count(found.covered_subspaces)} of {count(found.distinct_subspaces)}",
            ),
        ]
    return card("What was measured", facts(rows))


def environment_card(counts: Overview) -> html.Section:
    """The machines; never mixed within one series."""
    content: list[Piece] = []
    first_of_name: dict[str, Any] = {}
    for environment, runs in counts.environments:
        first = first_of_name.setdefault(environment.name, environment.details)
        differing = environment_difference(environment.details, first)
        known: list[tuple[Piece, Piece]] = []
        for key, value in (environment.details or {}).items():
            name = str(key).replace("_", " ")
            known.append((name[:1].upper() + name[1:], _in_words(value)))
        more = html.Details([html.Summary("All that is known of it"), facts(known)], className="more")
        apart = (
            html.P(f"Differs from the one above in: {differing}", className="quiet") if differing else None
        )
        content += [html.P(environment.name), apart, facts([("Runs", count(runs))]), more if known else None]
    return card("Environment" if len(counts.environments) == 1 else "Environments", *content)


def _in_words(value: object) -> str:
    """What is known of a machine as text."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {inner}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        # Pairs are settings: NAME=value.
        return ", ".join("=".join(map(str, item)) if isinstance(item, list) else str(item) for item in value)
    return str(value)


def running_cards(access: Access) -> list[Piece]:
    """A card with what runs or waits for this system, where something does."""
    rows: list[tuple[Piece, Piece]] = [
        (job.title, " · ".join(filter(None, (share(job.progress), time_left(job.remaining_seconds)))))
        for job in list_jobs(principal=access.principal, system=access.system, limit=20)
        if job.active
    ]
    return [card("Running now", facts(rows))] if rows else []


def next_strip(
    slug: str,
    summary: ModelSummary | None,
    history: History | None,
    lens: Lens,
    *,
    measured: MeasuredCounts,
) -> html.Section:
    """One thing to do next, with the button that leads to it; runs that failed are a reason why something is missing."""
    terms = () if summary is None else summary.influences.terms
    found = None if summary is None else summary.report.accuracy
    lacking = 0 if found is None else found.distinct_subspaces - found.covered_subspaces
    largest = next((term for term in terms if not term.influence.may_be_zero), None)
    # A model is made at the end of a measurement: one that was cancelled has none, though functions were seen.
    words = "measure with the profiler, to the end of the plan, to see where the time goes."
    text, section = "Plan it", MEASURE
    if measured.configurations == 1:
        words = "measure several configurations or revisions, to see what changes with them."
    if measured.failed and not measured.configurations:
        words, text = "see why the runs failed.", "Open what failed"
    elif summary is None and history is not None:
        words, text, section = "see when it changed, and by how much.", "Open the history", HISTORIES
    elif lacking:
        ways = (
            "measure what is missing, or mend what failed" if measured.failed else "measure what is missing"
        )
        words = f"{ways}: terms that need {plural(lacking, 'subspace')} are unknown."
    elif summary is not None and largest is not None and summary.model.is_learned and measured.revisions < 2:
        words, text, section = "see which configuration is predicted to be best.", "Open What-if", WHAT_IF
    elif summary is not None and largest is not None and summary.model.is_learned:
        words = "see since when the largest influence is what it is."
        text, section, lens = "Open its history", HISTORIES, lens.but(term=largest.key)
    elif summary is not None and (largest is None or not largest.regions):
        words, text, section = "compare configurations.", "Open the influences", INFLUENCES
    elif largest is not None:
        where = "which region" if largest.regions == 1 else f"which {plural(largest.regions, 'region')}"
        words = f"see in {where} the largest influence arises."
        text, section, lens = "Open it", INFLUENCES, lens.but(term=largest.key)
    way = action(text, href=address(slug, section, lens=lens))
    return html.Section([html.P([html.Strong("Next: "), words]), way], className="card next")
