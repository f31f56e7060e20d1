"""Ids of the page of an analysis."""

SENTENCE = "analysis-sentence"
SUBTITLE = "analysis-subtitle"
ACTIVE = "analysis-active"
TICK = "analysis-tick"
BODY = "analysis-body"
# The way to another one: of another revision, or a new one.
AGAIN = "analysis-again"
NEXT = "analysis-next"
MEASURE = "analysis-measure"
MEASURE_MORE = "analysis-measure-more"
MEASURED = "analysis-measured"
# Moves when the analysis has seen more, and when a job begins or ends.
VERSION = "analysis-version"
# Starting one with what is usual.
START = "analysis-start"
STARTED = "analysis-started"
