"""The one list of published tables that can be made again."""

from collections.abc import Mapping
from types import MappingProxyType

from studies.papers import (
    comprex_approaches,
    comprex_regions,
    histories_cusum,
    histories_kernels,
    histories_sampling,
    kaltenecker,
)
from studies.papers.tables import PublishedTable

TABLES: Mapping[str, PublishedTable] = MappingProxyType(
    {
        table.name: table
        for table in (
            PublishedTable(
                "comprex-cost", "Comprex, Table II: what approaches cost", comprex_approaches.cost
            ),
            PublishedTable("comprex-errors", "Comprex, Table III: errors", comprex_approaches.errors),
            PublishedTable(
                "comprex-appendix-errors",
                "Comprex, appendix: errors of all samplings and learners",
                comprex_approaches.appendix_errors,
            ),
            PublishedTable(
                "comprex-appendix-terms",
                "Comprex, appendix: numbers of terms",
                comprex_approaches.appendix_terms,
            ),
            PublishedTable(
                "comprex-regions",
                "Comprex, Table IV: configurations that cover the regions",
                comprex_regions.make,
            ),
            PublishedTable(
                "histories-kernels", "Histories, Table III: errors of five kernels", histories_kernels.errors
            ),
            PublishedTable(
                "histories-sampling",
                "Histories, Table IV: active against random sampling",
                histories_sampling.make,
            ),
            PublishedTable(
                "histories-cusum",
                "Histories, Figures 1 and 2: change points by CUSUM's window",
                histories_cusum.make,
            ),
            PublishedTable(
                "histories-changes",
                "Histories, Figure 5: change points that estimates keep",
                histories_kernels.changes,
            ),
            PublishedTable(
                "kaltenecker", "Options x releases: coefficients of nine systems", kaltenecker.make
            ),
        )
    }
)
