"""Ids of the page that compares two revisions."""

from dashboard.pages.ids import TreeIds

SENTENCE = "two-sentence"
SUBTITLE = "two-subtitle"
MESSAGE = "two-message"
BODY = "two-body"
BEFORE = "two-before"
AFTER = "two-after"
BEFORE_SAID = "two-before-said"
AFTER_SAID = "two-after-said"
STEPS = "two-steps"
TOLD = "two-told"
TEXT = "two-text"
KIND = "two-kind"
ROWS = "two-rows"
COUNT = "two-count"
PAGES = "two-pages"
EXPORT = "two-export"
EXPORTED = "two-exported"
SOURCES = "two-sources"
TREE = TreeIds.of("revisions-tree")
