"""Ids of the pages of regions: their list, and one region."""

from dashboard.pages.ids import FigureIds, TreeIds

MESSAGE = "regions-message"
BODY = "regions-body"
SENTENCE = "regions-sentence"
SUBTITLE = "regions-subtitle"
KINDS = "regions-kinds"
OPTION = "regions-option"
REACHED = "regions-reached"
SEARCH = "regions-search"
COUNT = "regions-count"
HOTSPOTS = FigureIds.of("hotspots")
TREE = TreeIds.of("regions-tree")
LIST = "regions-list"
GRID = "regions-grid"

KEY = "region-key"
REGION_MESSAGE = "region-message"
REGION_BODY = "region-body"
REGION_SENTENCE = "region-sentence"
REGION_SUBTITLE = "region-subtitle"
REGION_FACTS = "region-facts"
SOURCE = "region-source"
VERSIONS = "region-versions"
TERMS = FigureIds.of("region-terms")
SUBSPACES = FigureIds.of("region-subspaces")

# What an analysis saw of the region.
CHAIN = "region-chain"
PARTITION = "region-partition"
TRACED_CHAIN = "region-traced-chain"
TRACED_PARTITION = "region-traced-partition"
TRACED_LINES = "region-traced-lines"
