"""The chain from where an option is read to a region's decision, as an analysis saw it."""

from dataclasses import dataclass

from analytics.whitebox.propagation import Propagation
from analytics.whitebox.region_dependencies import counted_options
from analytics.whitebox.result import TaintedSite, WhiteBoxResult
from dashboard.access import NotFound
from dashboard.selectors.whitebox.rows import WhiteBoxDetail


@dataclass(frozen=True, slots=True)
class OptionChains:
    """The chains from `option` to decisions of `region`, shortest first; none where no traced run saw any.

    `counted`: counts show that the region depends on the option, whatever was traced.
    """

    analysis: WhiteBoxDetail
    option: str
    region: str
    chains: tuple[tuple[TaintedSite, ...], ...]
    counted: bool


def option_chains(analysis: WhiteBoxDetail, option: str, region: str) -> OptionChains:
    """The chains that an analysis saw. No query.

    `region` is a key, "module:function", or its end if only one region ends so. Raises `NotFound`.
    """
    result = analysis.result
    if option not in result.options:
        raise NotFound(f"there is no option {option!r}; the analysis followed {', '.join(result.options)}")
    key = _region(result, region)
    arguments = {(function, name): frozenset(options) for function, name, options in result.arguments}
    chains = Propagation(result.sites, arguments).chains(option, key)
    return OptionChains(analysis, option, key, chains, option in counted_options(result).get(key, ()))


def _region(result: WhiteBoxResult, name: str) -> str:
    # Of some regions only counts tell that they depend on options.
    known = sorted({site.region for site in result.sites} | result.partitions.keys())
    if name in known:
        return name
    ending = [key for key in known if key.endswith((f":{name}", f".{name}"))]
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise NotFound(f"several regions are called {name!r}: write one of {', '.join(ending)}")
    listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    raise NotFound(f"nothing was seen in a region {name!r}; seen were {listed or 'none'}")
