"""Ids of the page of approaches."""

from dashboard.pages.ids import FigureIds

SENTENCE = "approaches-sentence"
SUBTITLE = "approaches-subtitle"
FIGURE = FigureIds.of("approaches")
TABLE = "approaches-table"
GRID = "approaches-grid"
COST = "approaches-cost"
NOTES = "approaches-notes"
# One of them is hidden.
FOUND = "approaches-found"
EMPTY = "approaches-empty"
CHOICE = "approaches-choice"
ACTIVE = "approaches-active"
TICK = "approaches-tick"
# Moves when an evaluation has been stored.
VERSION = "approaches-version"
# What is evaluated next.
PLACE = "approaches-place"
SEEDS = "approaches-seeds"
SIZES = "approaches-sizes"
SAMPLINGS = "approaches-samplings"
START = "approaches-start"
STARTED = "approaches-started"
# The hybrid model.
COUNTED = "approaches-counted"
LEARN = "approaches-learn"
LEARNED = "approaches-learned"
HYBRID = "approaches-hybrid"
