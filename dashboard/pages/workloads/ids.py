"""Ids of the page of workloads."""

from dashboard.pages.ids import FigureIds

SENTENCE = "workloads-sentence"
SUBTITLE = "workloads-subtitle"
MESSAGE = "workloads-message"
BODY = "workloads-body"
CHOICES = "workloads-choices"
MAP = FigureIds.of("workloads-map")
TERM = FigureIds.of("workloads-term")
BORROWED = FigureIds.of("workloads-borrowed")
BORROWED_PART = "workloads-borrowed-part"
LITTLE = "workloads-little"
TERMS = "workloads-terms"
LIST = "workloads-list"
MAP_GRID = "workloads-map-grid"
