"""Ids of the page of histories."""

from dashboard.pages.ids import FigureIds

SERIES = "history-series"
SENTENCE = "history-sentence"
SUBTITLE = "history-subtitle"
FIGURE = FigureIds.of("history")
CHANGES = "history-changes"
REVISION = "history-revision"
NEXT = "history-next"
TERMS = "history-terms"
VERSION = "history-version"
TICK = "history-tick"
# Measuring what was suggested.
CHOICE = "history-choice"
REPETITIONS = "history-repetitions"
START = "history-start"
STARTED = "history-started"
OTHERS = "history-others"
# Tracking, and the trail of its choices.
BUDGET = "history-budget"
TRACK = "history-track"
TRACKED = "history-tracked"
TRAIL = "history-trail"
