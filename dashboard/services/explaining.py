"""Explaining a step: the measurement that would tell what is not known of it, and the commits that it may have come with."""

from math import fsum

from dashboard.access import Access, NotFound, Refused
from dashboard.selectors.explanations.rows import ExplainedStep, TouchedCommit
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.selectors.measuring.status import measuring_refusal, subject_of
from dashboard.services.subjects import registered_subject, runner_state
from runner.errors import RunnerError
from runner.revisions import touched_functions

# So often each configuration is run at both revisions, in turns.
REPETITIONS = 5
# Of more commits it takes seconds to tell what each touched; measuring one between them tells more.
MOST_COMMITS = 100


def explaining_request(*, access: Access, found: ExplainedStep) -> MeasuringRequest:
    """The measurement of both revisions, in turns and profiled, in the configurations that tell the step's terms.

    Raises `Refused`: it says what is missing.
    """
    if refusal := measuring_refusal(access=access):
        raise Refused(refusal)
    subject = subject_of(access=access)
    return MeasuringRequest(
        configurations=found.needed,
        revision_ids=(found.before.revision_id, found.after.revision_id),
        repetitions=REPETITIONS,
        workload=found.series.workload,
        profile=subject is not None and subject.can_profile,
        of_change=True,
    )


def touched_commits(*, access: Access, found: ExplainedStep) -> tuple[TouchedCommit, ...]:
    """The revisions of the bracket, those first that touched the regions that moved most; the latest first of equal ones.

    The runner's git history tells what each touched, where it is on this machine. One query.
    """
    places = found.between
    touched = None
    if len(places) <= MOST_COMMITS and all(place.commit for place in places):
        try:
            names = [found.before.name, *(place.name for place in places)]
            touched = touched_functions(registered_subject(slug=access.slug), runner_state(), names)
        except (NotFound, Refused, RunnerError):
            # The program's history is not here, or not any more: commits are told without it.
            touched = None
    rows = []
    for at, place in enumerate(places):
        parts = touched[at + 1] if touched is not None else ()
        moved = [one for one in found.moved if any(one.is_at(path, name) for path, name in parts)]
        rows.append(
            TouchedCommit(
                place=place,
                moved=tuple(one.key for one in moved),
                amount=fsum(one.part.at_least for one in moved),
                functions=None if touched is None else len(parts),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.amount, -row.place.position)))
