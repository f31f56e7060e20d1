"""Ids of the page of influences."""

from dashboard.pages.ids import FigureIds, TreeIds

SENTENCE = "influences-sentence"
SUBTITLE = "influences-subtitle"
MESSAGE = "influences-message"
BODY = "influences-body"

MODELS = "influences-models"
BASE = "influences-base"
BASE_NAME = "influences-base-name"
BASE_LEVELS = "influences-base-levels"
COMPARED = "influences-compared"
COMPARED_NAME = "influences-compared-name"
COMPARED_LEVELS = "influences-compared-levels"
VIOLATIONS = "influences-violations"
CHOSEN = "influences-chosen"
DEGREES = "influences-degrees"
THRESHOLD = "influences-threshold"
THRESHOLDS = "influences-thresholds"
COUNT = "influences-count"
SEARCH = "influences-search"

TERMS = FigureIds.of("terms")
TERMS_GRID = "terms-grid"
REGIONS = FigureIds.of("term-regions")
REGIONS_CARD = "term-regions-card"
REGIONS_GRID = "term-regions-grid"
TERM = "influences-term"
TERM_FACTS = "influences-term-facts"
DIFFERING = FigureIds.of("differing-regions")
COMPARED_REGIONS = "compared-regions"
TREE = TreeIds.of("compared-tree")
DIFFERENCES = "influences-differences"
PUBLISHED = "influences-published"
PUBLISHED_GRID = "published-grid"
