"""Ids of the page of histories."""

from dashboard.pages.ids import FigureIds

SERIES = "history-series"
# The one that the page began with.
FIRST = "history-first"
SENTENCE = "history-sentence"
SUBTITLE = "history-subtitle"
FIGURE = FigureIds.of("history")
CHANGES = "history-changes"
REVISION = "history-revision"
# Time and counts of one configuration.
BESIDE = "history-beside"
# Measuring the revisions around a change again.
AGAIN = "history-again"
AGAIN_SAID = "history-again-said"
TERMS = "history-terms"
# Setting changes by hand.
PLACE = "history-place"
PLACE_SAID = "history-place-said"
PLACE_SET = "history-place-set"
PLACE_REMOVE = "history-place-remove"
# What people noted at revisions.
NOTED = "history-noted"
NOTED_SAID = "history-noted-said"
NOTED_VERSION = "history-noted-version"
NOTE_KIND = "history-note-kind"
NOTE_FIRST = "history-note-first"
NOTE_LAST = "history-note-last"
NOTE_TEXT = "history-note-text"
NOTE_LINK = "history-note-link"
NOTE_OWN = "history-note-own"
NOTE_ADD = "history-note-add"
NOTE_REMOVE = "history-note-remove"
# What is known: moves with every result and with the state of jobs.
VERSION = "history-version"
TICK = "history-tick"
ACTIVE = "history-active"
# What to measure next, and measuring it.
COUNT = "history-count"
OFFER = "history-offer"
CHOICE = "history-choice"
ALL = "history-all"
OFFERED = "history-offered"
NEXT = "history-next"
SENDING = "history-sending"
OTHERS = "history-others"
START = "history-start"
STARTED = "history-started"
EXPORT = "history-export"
# Its kernel.
KERNELS = "history-kernels"
COMPARE = "history-compare"
ALSO = "history-also"
COMPARED = "history-compared"
DRAWN = "history-drawn"
USE = "history-use"
USED = "history-used"
# Tracking, and the trail of its choices.
BUDGET = "history-budget"
TRACK = "history-track"
TRACKED = "history-tracked"
TRAIL = "history-trail"
# What a step is made of.
EXPLAINED = "history-explained"
EXPLAINING = "history-explaining"
EXPLAINING_SAID = "history-explaining-said"
# The same in other workloads.
WORKLOADS = "history-workloads"
