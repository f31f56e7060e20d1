"""Ids of the pages of options: the list of all, and one option."""

from dashboard.pages.ids import FigureIds

KEY = "option-key"
MESSAGE = "option-message"
BODY = "option-body"
SENTENCE = "option-sentence"
SUBTITLE = "option-subtitle"
FACTS = "option-facts"
MODELS = "option-models"
TERMS = FigureIds.of("option-terms")
TOGETHER = "option-together"
FUNCTIONS = "option-functions"
CHAIN = "option-chain"
HISTORY = "option-history"

ALL_MESSAGE = "options-message"
ALL_SENTENCE = "options-sentence"
ALL_SUBTITLE = "options-subtitle"
ALL_ROWS = "options-rows"
