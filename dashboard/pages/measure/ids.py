"""Ids of the page of measuring."""

from dashboard.pages.ids import FigureIds, FormIds

SENTENCE = "measure-sentence"
ACTIVE = "measure-active"
TICK = "measure-tick"
# Moves when results arrive, and when a job begins or ends.
VERSION = "measure-version"
# The buttons that cancel: {"measure-cancel": id of the job}.
CANCEL = "measure-cancel"
# The plan.
GRID = FigureIds.of("plan")
CELLS = "plan-cells"
SCOPE = "plan-scope"
# "narrow" where the window has no room for names beside the plan.
ROOM = "plan-room"
# Runs of the chosen cell.
RUNS = "measure-runs"
RUN_CHOICE = "measure-run-choice"
REASON = "measure-reason"
INVALIDATE = "measure-invalidate"
RESTORE = "measure-restore"
MARKED = "measure-marked"
# What failed, and what came in.
FAILURES = "measure-failures"
BATCHES = "measure-batches"
# The form.
_CHOICES = (
    "configurations",
    "analysis",
    "options",
    "written",
    "revisions",
    "every",
    "first",
    "last",
    "chosen",
)
_REPEATING = ("repeating", "most", "half_width", "repetitions")
FORM = FormIds("measure", (*_CHOICES, *_REPEATING, "workload", "environment"), ("profile", "counts"))
ENDS = "measure-ends"
AS_NEEDED = "measure-as-needed"
PRESET = "measure-preset"
PREVIEW = "measure-preview"
START = "measure-start"
STARTED = "measure-started"
# Starting an analysis.
ANALYZE = "analyze-start"
ANALYZED = "analyze-started"
ANALYZE_FORM = FormIds(
    "analyze", ("workload", "revision", "budget", "minutes"), ("published", "counts_only", "reads", "static")
)
# Deleting the system.
LOOK = "measure-delete-look"
GOES = "measure-delete-goes"
DELETED = "measure-deleted"
TYPED = "measure-delete-typed"
DELETE = "measure-delete"
