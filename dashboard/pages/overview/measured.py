"""What an overview says of the measurements: how complete, where, what runs, what to do next."""

from datetime import UTC, datetime

from dash import html

from dashboard.access import Access
from dashboard.figures.numbers import count, share
from dashboard.pages.addresses import HISTORIES, INFLUENCES, MEASURE, address
from dashboard.pages.components import Piece, action, card, facts
from dashboard.pages.components.text import ago, plural, time_left
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.rows import History
from dashboard.selectors.jobs import list_jobs
from dashboard.selectors.overview.rows import ModelSummary, Overview


def subtitle(system: Overview, summary: ModelSummary | None) -> str:
    """What the sentence stands on."""
    parts = [system.description.partition("\n")[0].rstrip(".")] if system.description else []
    if summary is not None:
        told = summary.model
        clock = {"wall": "wall-clock", "cpu": "CPU"}.get(told.clock, "")
        parts += [
            f"revision {told.revision}",
            f"workload “{told.workload}”",
            f"{clock} {told.quantity}".strip(),
        ]
    parts.append(f"measured {ago(system.measured.at, datetime.now(UTC))}")
    return " · ".join(parts)


def measured_card(system: Overview, summary: ModelSummary | None) -> html.Section:
    """What was measured and how complete that is."""
    measured = system.measured
    rows: list[tuple[Piece, Piece]] = [
        ("Options", count(system.options)),
        ("Configurations", f"{count(measured.configurations)} of {_many(system.levels)}"),
        ("Revisions", count(measured.revisions)),
        ("Workloads", count(measured.workloads)),
        ("Runs", count(measured.runs)),
    ]
    if measured.failed:
        rows.append(
            (html.Span("Failed", className="warn"), html.Span(count(measured.failed), className="warn"))
        )
    if system.invalid:
        rows.append(("Marked invalid", count(system.invalid)))
    if summary is not None and summary.model.is_learned:
        rows.append(
            ("Learned from", f"{count(summary.model.configurations)} × {count(summary.model.repetitions)}")
        )
    elif summary is not None:
        covered = summary.report.accuracy.distinct_subspaces - summary.report.accuracy.uncovered_subspaces
        rows += [
            ("Profiled", f"{count(summary.model.configurations)} × {count(summary.model.repetitions)}"),
            ("Regions", count(summary.model.regions)),
            ("Subspaces covered", f"{count(covered)} of {count(summary.report.accuracy.distinct_subspaces)}"),
        ]
    return card("What was measured", facts(rows))


def environment_card(system: Overview) -> html.Section:
    """The machines; never mixed within one series."""
    content: list[Piece] = []
    for environment in system.environments:
        known: list[tuple[Piece, Piece]] = [
            (name[:1].upper() + name[1:], value) for name, value in environment.details
        ]
        more = html.Details([html.Summary("All that is known of it"), facts(known)], className="more")
        content += [
            html.P(environment.name),
            facts([("Runs", count(environment.runs))]),
            *([more] if known else []),
        ]
    return card("Environment" if len(system.environments) == 1 else "Environments", *content)


def running_cards(access: Access) -> list[Piece]:
    """A card with what runs or waits for this system, where something does."""
    active = [
        job for job in list_jobs(principal=access.principal, system=access.system, limit=20) if job.active
    ]
    if not active:
        return []
    rows: list[tuple[Piece, Piece]] = [
        (job.title, " · ".join(part for part in (share(job.progress), time_left(job.seconds_left)) if part))
        for job in active
    ]
    return [card("Running now", facts(rows))]


def next_strip(
    system: Overview, summary: ModelSummary | None, history: History | None, lens: Lens
) -> html.Section:
    """One thing to do next, with one button or one command."""
    words, way = _next(system, summary, history, lens)
    return html.Section([html.P([html.Strong("Next: "), words]), way], className="card next")


def _next(
    system: Overview, summary: ModelSummary | None, history: History | None, lens: Lens
) -> tuple[str, Piece]:
    measure = action("Plan it", href=address(system.slug, MEASURE, lens=lens))
    if summary is None and history is None:
        return "measure with the profiler, to see where the time goes.", measure
    if summary is None:
        return "see when it changed, and by how much.", action(
            "Open the history", href=address(system.slug, HISTORIES, lens=lens)
        )
    if summary.report.accuracy.uncovered_subspaces:
        lacking = plural(summary.report.accuracy.uncovered_subspaces, "subspace")
        return f"measure what is missing: terms that need {lacking} are unknown.", measure
    largest = next((term for term in summary.influences.terms if not term.influence.may_be_zero), None)
    if largest is not None and summary.model.is_learned:
        history_of = address(system.slug, HISTORIES, lens=lens.but(term=largest.key))
        return "see since when the largest influence is what it is.", action(
            "Open its history", href=history_of
        )
    if largest is None or not largest.regions:
        return "compare configurations.", action(
            "Open the influences", href=address(system.slug, INFLUENCES, lens=lens)
        )
    where = "which region" if largest.regions == 1 else f"which {plural(largest.regions, 'region')}"
    words = f"see in {where} the largest influence arises."
    return words, action("Open it", href=address(system.slug, INFLUENCES, lens=lens.but(term=largest.key)))


def _many(number: int) -> str:
    """A count, or its power of ten where nobody reads the digits."""
    if number < 10**7:
        return count(number)
    return "10" + str(len(str(number)) - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
