"""The page of influences: the terms of a model, and what else there is to choose."""

from dashboard.selectors.influences.terms import influences, predict, term_regions

__all__ = ["influences", "predict", "term_regions"]
