"""Why a tracking job measured what it measured, choice by choice."""

from dataclasses import dataclass

from dashboard.access import Principal, require
from dashboard.models import Batch, Revision

_KIND = "track"


@dataclass(frozen=True, slots=True)
class TrailRow:
    """One choice of a tracking job; `number` counts from 1 in its job.

    `gain` is how far the mean error of the history should fall, as a share of its level, None for the first choices.
    `equal` counts further revisions with the same code. `outcome` is measured, failed or not built.
    """

    number: int
    revision: str
    message: str
    reason: str
    gain: float | None
    equal: int
    seconds: float
    outcome: str


@dataclass(frozen=True, slots=True)
class Tracking:
    """A tracking job: its choices, the latest first, and in words why it stopped; "" while it has not."""

    rows: tuple[TrailRow, ...]
    stopped: str


def newest_tracking(*, principal: Principal, slug: str) -> Tracking | None:
    """The newest tracking job of a system; None where nothing was tracked. Three queries. Raises `NotFound`."""
    system = require(principal, slug)
    batch = (
        Batch.objects.filter(system=system, format=_KIND, state=Batch.State.VISIBLE).order_by("-pk").first()
    )
    if batch is None:
        return None
    steps = batch.manifest.get("trail", [])
    names = [step["revision"] for step in steps]
    messages = dict(Revision.objects.filter(system=system, name__in=names).values_list("name", "message"))
    rows = [
        TrailRow(
            number=number,
            revision=step["revision"],
            message=messages.get(step["revision"], ""),
            reason=step["reason"],
            gain=step["gain"],
            equal=step["equal"],
            seconds=step["seconds"],
            outcome=step["outcome"],
        )
        for number, step in enumerate(steps, start=1)
    ]
    return Tracking(tuple(reversed(rows)), batch.manifest.get("stopped", ""))
