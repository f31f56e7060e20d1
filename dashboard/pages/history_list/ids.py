"""Ids of the list of a benchmark suite's histories."""

TEXT = "suite-text"
ENVIRONMENT = "suite-environment"
SORT = "suite-sort"
WORSE = "suite-worse"
PAGES = "suite-pages"
ROWS = "suite-rows"
COUNT = "suite-count"
