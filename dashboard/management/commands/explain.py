"""`manage.py explain SYSTEM`: what a step of a history is made of."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core.management.base import CommandError

from analytics.step_parts import StepPart, StepParts
from dashboard.access import Access
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import scale_for
from dashboard.figures.step_words import (
    BODIES,
    OUTSIDE,
    REST_OF_REGIONS,
    amount_text,
    others_text,
    rest_of_terms,
    title,
)
from dashboard.management.system_command import BAD_INPUT, SystemCommand, argument
from dashboard.selectors.configurations import find_configuration
from dashboard.selectors.explanations.explained import explain_change, explain_step
from dashboard.selectors.explanations.rows import ExplainedStep, StepRegion, TouchedCommit
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import SeriesRow, last_change
from dashboard.selectors.histories.series import default_series, list_series
from dashboard.services.explaining import touched_commits

# So many commits are listed; all are in the JSON.
_MOST_COMMITS = 10


class Command(SystemCommand):
    """Print the parts of a step."""

    help = "Tells what a step of a history is made of: terms, functions, and what is noise."

    arguments = (
        argument("--series", default="", help="number of a history, as `next --list` names them"),
        argument(
            "--configuration", default="", help="default, a=on,b=off or a name (default: the history's)"
        ),
        argument(
            "--revisions",
            nargs=2,
            metavar=("BEFORE", "AFTER"),
            help="any two measured revisions (default: those around the last change)",
        ),
        argument("--json", action="store_true", help="everything as one JSON object"),
    )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Print them, the largest first."""
        found = chosen_step(access, options)
        commits = touched_commits(access=access, found=found)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(found, commits), indent=1))
            return
        for line in written(found, commits):
            self.stdout.write(line)


def chosen_step(access: Access, options: dict[str, Any]) -> ExplainedStep:
    """The step that the options name. Raises `NotFound`, and `CommandError` for what there is not."""
    known = list_series(system=access.system)
    if options["series"] and options["series"] not in {str(one.series_id) for one in known}:
        message = f"{access.slug} has no history {options['series']}: `next {access.slug} --list` names them"
        raise CommandError(message, returncode=BAD_INPUT)
    rows: tuple[SeriesRow, ...] = known
    if written_ := options["configuration"]:
        identity = find_configuration(access=access, written=written_)
        rows = tuple(one for one in known if one.subject == identity)
    series = default_series(rows, series_id=options["series"])
    if options["configuration"] and len({one.clock for one in rows}) > 1:
        series = max(rows, key=lambda one: (one.clock == "cpu", one.points))
    if options["revisions"]:
        before, after = options["revisions"]
        return explain_step(system=access.system, series=series, before=before, after=after)
    history = get_history(system=access.system, series_id=series.series_id)
    if not history.changes:
        message = f"{series.label} has no change: name two revisions with --revisions BEFORE AFTER"
        raise CommandError(message, returncode=BAD_INPUT)
    return explain_change(system=access.system, history=history, change=last_change(history.changes))


def as_json(found: ExplainedStep, commits: Sequence[TouchedCommit]) -> dict[str, Any]:
    """The step, all its parts, the commits and what is missing, in the unit of the metric."""
    terms, regions = found.terms, found.of_regions
    return {
        "series": found.series.label,
        "unit": found.series.unit,
        "before": found.before.name,
        "after": found.after.name,
        "step": _part(found.step),
        "terms": None
        if terms is None
        else [{"term": found.labels[one.key], **_part(one)} for one in (*terms.parts, *terms.folded)],
        "rest_of_terms": None if terms is None else _part(terms.rest),
        "untold": list(found.untold),
        "regions": None
        if regions is None
        else [
            {"region": one.key, "file": one.file, "body": one.body, "term": one.term, **_part(one.part)}
            for one in found.regions
        ],
        "rest_of_regions": None if regions is None else _part(regions.rest),
        "commits": [
            {
                "revision": one.place.name,
                "message": one.place.message,
                "author": one.place.author,
                "touches": list(one.moved),
                "functions": one.functions,
            }
            for one in commits
        ],
        "missing": list(found.missing),
        "measure": list(found.needed) if found.missing else [],
    }


def _part(part: StepPart) -> dict[str, float | None]:
    return {"amount": part.amount, "low": part.low, "high": part.high}


def written(found: ExplainedStep, commits: Sequence[TouchedCommit]) -> Iterator[str]:
    """The same as lines."""
    yield title(found)
    if found.terms is not None:
        yield "By term:"
        yield from _lines(found.terms, found, found.labels, rest_of_terms(found))
    if found.of_regions is not None:
        yield "By function:"
        words = {one.key: _region_words(one) for one in found.regions}
        yield from _lines(found.of_regions, found, words, REST_OF_REGIONS)
    touching = [one for one in commits if one.moved]
    if touching:
        yield "Commits that touched these functions:"
        for one in touching[:_MOST_COMMITS]:
            subject = one.place.message.partition("\n")[0]
            yield f"  {revision_text(one.place.name)}  {subject}  ({', '.join(one.moved)})"
    for missing in found.missing:
        yield f"Not known: {missing}."


def _lines(parts: StepParts, found: ExplainedStep, words: Mapping[str, str], rest: str) -> Iterator[str]:
    scale = scale_for([one.amount for one in (found.step, *parts.parts, parts.others)], found.series.unit)
    rows = [(part, words[part.key]) for part in parts.parts]
    rows += [(parts.others, others_text(parts))] if parts.folded else []
    for part, said in (*rows, (parts.rest, rest)):
        yield f"{amount_text(part, scale):>20}  {said}"


def _region_words(one: StepRegion) -> str:
    if one.is_program:
        return OUTSIDE
    said = "; ".join(filter(None, [one.term, BODIES[one.body]]))
    return f"{one.key}  ({said})" if said else one.key
