"""Findings: what is told of the changes of many series, after all that need not alarm anybody was set aside with its reason.

The filters stand in the order of D. Yan et al., "FBDetect: Catching Tiny Performance Regressions at Hyperscale through
In-Production Monitoring" (SOSP 2024, section 5): went away, same regression, cost shift. How each decides is our own.
"""

from analytics.findings.cost_domains import cost_domains
from analytics.findings.list_of_findings import find_moves, list_findings
from analytics.findings.rows import (
    CostDomain,
    CostShift,
    Finding,
    MachineStep,
    Moves,
    PossibleMove,
    SeriesChange,
    Verdict,
)

__all__ = [
    "CostDomain",
    "CostShift",
    "Finding",
    "MachineStep",
    "Moves",
    "PossibleMove",
    "SeriesChange",
    "Verdict",
    "cost_domains",
    "find_moves",
    "list_findings",
]
