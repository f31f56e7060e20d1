"""How far an analysis is and how long it still takes, as its job tells it."""

import numpy as np

from analytics.whitebox.exploration import Coverage
from analytics.whitebox.remaining_time import Kind, RemainingTime
from analytics.whitebox.result import WhiteBoxResult
from dashboard.figures.numbers import plural
from dashboard.services.jobs.context import JobContext

# The limit in minutes is passed by so much at most: a run that would take longer is not begun, or stopped there.
BEYOND_LIMIT = 1.05
# A configuration is traced before its turn, to know what that takes, where it takes no more than this share of the limit.
_AHEAD = 0.1


class AnalysisProgress:
    """Hears what runs took, and tells the job; `left` is how long the runs take that are still to come.

    Where nothing is traced, without `tracing`. What `known` holds was made before an interruption.
    """

    def __init__(self, context: JobContext, known: WhiteBoxResult, *, tracing: bool) -> None:
        self._context = context
        self._is_traced = bool(known.runs)
        self.left = RemainingTime(len(known.options), tracing=tracing, traced=len(known.runs))
        for seconds in filter(None, (run.seconds for run in known.counted)):
            self.left.ended("count", seconds, work=0)
        for seconds in filter(None, (run.seconds for run in known.runs)):
            self.left.ended("taint", seconds, work=0)

    def ended(self, kind: Kind, seconds: float, *, work: int) -> None:
        """Take note of a run that took so long, with all that was done with it; see `RemainingTime.ended`."""
        self._is_traced = self._is_traced or kind == "taint"
        self.left.ended(kind, seconds, work=work)

    def may_try_tracing(self, result: WhiteBoxResult, limit: float | None) -> bool:
        """Whether the configuration that was counted last, the first one, is traced now: else nobody knows how long that takes."""
        if self._is_traced or result.runs or len(result.counted) != 1:
            return False
        return limit is None or (self.left.of_one("taint") or 0.0) <= _AHEAD * limit

    def would_pass(self, kind: Kind, spent: float, limit: float | None) -> bool:
        """Whether one more run would be over too long after `limit`, both in seconds."""
        return limit is not None and spent + (self.left.of_one(kind) or 0.0) >= limit * BEYOND_LIMIT

    def report(self, now: Coverage, result: WhiteBoxResult, spent: float, limit: float | None) -> None:
        """Tell how far it is after so many seconds; what is known may be of a few runs ago."""
        traced, counted = len(result.runs), len(result.counted)
        if limit is None or not (traced or counted):
            seconds = self.left.seconds()
        else:
            seconds = self.left.seconds(limit - spent, room=limit * BEYOND_LIMIT - spent)
        share = 0.0 if seconds is None else spent / max(spent + seconds, 1e-9)
        said = f"{counted} configurations counted, " if counted else ""
        if traced or not counted:
            said += f"{traced} traced; {now.seen} of {now.subspaces} subspaces seen, "
        self._context.progress(
            float(np.clip(share, 0.0, 0.99)),
            f"{said}{plural(now.regions, 'region')} {'depends' if now.regions == 1 else 'depend'} on options",
            seconds_left=seconds,
        )
