"""Ids of the page of measuring."""

from dashboard.pages.ids import FigureIds

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
CONFIGURATIONS = "measure-configurations"
TRACED_AT = "measure-traced-at"
OPTIONS = "measure-options"
WRITTEN = "measure-written"
REVISIONS = "measure-revisions"
EVERY = "measure-every"
FIRST = "measure-first"
LAST = "measure-last"
ENDS = "measure-ends"
CHOSEN = "measure-chosen"
REPETITIONS = "measure-repetitions"
WORKLOAD = "measure-workload"
PROFILE = "measure-profile"
COUNTS = "measure-counts"
PRESET = "measure-preset"
PREVIEW = "measure-preview"
START = "measure-start"
STARTED = "measure-started"
# Starting an analysis.
ANALYZE = "analyze-start"
ANALYZED = "analyze-started"
ANALYZE_WORKLOAD = "analyze-workload"
ANALYZE_REVISION = "analyze-revision"
ANALYZE_BUDGET = "analyze-budget"
ANALYZE_MINUTES = "analyze-minutes"
ANALYZE_PUBLISHED = "analyze-published"
# Deleting the system.
LOOK = "measure-delete-look"
GOES = "measure-delete-goes"
DELETED = "measure-deleted"
TYPED = "measure-delete-typed"
DELETE = "measure-delete"
