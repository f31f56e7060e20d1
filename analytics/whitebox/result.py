"""The result of a white-box analysis: what traced and counted runs of one revision showed, and what follows from it.

One value with one JSON form, which is stored and carried by bundles. Options and levels are named, so that it can be
read without the program. Earlier releases wrote some fields under other names; these are still read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import Field, NonNegativeInt

from analytics.configurations.options import OptionSpace
from analytics.configurations.partitions import Partition
from analytics.whitebox.evidence import (
    CALL,
    AnalysisRun,
    CheckedPairs,
    CountedEffect,
    CountKind,
    DependencyEvidence,
    Labels,
    Names,
    renamed,
)
from analytics.whitebox.step_flows import LinkedSites, StepFlows, joined_links

# What the probe calls a module that is not rewritten, with the module's name and the reason after it.
NOT_REWRITTEN = "module: "


class WhiteBoxResult(LinkedSites):
    """Everything that the runs of an analysis showed so far.

    - `runs` were traced, `counted` ran with counters alone, or, where only reads of options were noted, with nothing; both in order.
    - `decisions` are (region, "file:line:column", options in the tested value, levels under which it was reached),
      `entries` (region, levels under which this function without decisions was entered).
    - `sites` are all places that options were seen at, `flows` the links to each of them; `read` the options that were seen in a value,
      and not only in a container, where that was noted.
    - `unfollowed`: how often a tainted value went into code that is not followed, by that code. `cut`: steps were left
      out because there were too many.
    - `options` are the subject's; `partitions` the formulas of each region's partition, of several where a region was
      split by pairs of options; `excluded` are regions that only parse options, with the reason;
      `sources` where the program reads an option besides what its entry is given, as its subject.toml says.
    - `nondeterministic`: counters (region, line, column, kind) that differed between two runs of one configuration.
    - `missed_dependencies`: the options that counts added to regions, with the evidence; `statements` those added to
      single statements: (region, "line:column", options); `residual_variation`: what no known option explains.
    - `effects` are what counts prove of regions and options, over as many `pairs` of runs that differ in an option alone, by
      option; `work` is how much a run counts in each region, on average; `recall` the estimated share of all pairs of a region
      and an option that `effects` holds; `refuted` are the options that were seen in a decision and never changed which way
      it goes, or how often one of its ways is taken: (region, "line:column" or "line:column:kind" of the way, options); `unmoved`
      are (region, option, pairs): seen in a decision of the region, whose counts never differed in so many pairs of runs that
      differ in the option alone and in which it did something.
    - `checked`: its pairs of a function and an option held against all configurations, where an evaluation has counted these.
    - `ended`: "complete", "budget" or "minutes", empty while it runs; `unexecuted_packages`: packages of the subject
      in which no function ran, known once it has ended. `unsampled`: why it is not known which share of the time is not counted.
    """

    runs: tuple[AnalysisRun, ...]
    decisions: tuple[tuple[str, str, Names, Labels], ...]
    entries: tuple[tuple[str, Labels], ...] = ()
    read: Names = ()
    unfollowed: dict[str, int]
    cut: bool
    partitions: dict[str, tuple[Names, ...]]
    options: Names
    counted: tuple[AnalysisRun, ...] = ()
    nondeterministic: tuple[
        tuple[Annotated[str, Field(min_length=1)], NonNegativeInt, NonNegativeInt, CountKind], ...
    ] = Field(default=(), validation_alias=renamed("nondeterministic", "unsteady"))
    excluded: dict[str, str] = Field(default_factory=dict)
    sources: dict[str, str] = Field(default_factory=dict)
    missed_dependencies: tuple[DependencyEvidence, ...] = Field(
        default=(), validation_alias=renamed("missed_dependencies", "missed")
    )
    statements: tuple[tuple[str, str, Names], ...] = ()
    residual_variation: tuple[DependencyEvidence, ...] = Field(
        default=(), validation_alias=renamed("residual_variation", "unexplained")
    )
    effects: tuple[CountedEffect, ...] = ()
    pairs: dict[str, int] = Field(default_factory=dict)
    work: dict[str, int] = Field(default_factory=dict)
    recall: float | None = None
    refuted: tuple[tuple[str, str, Names], ...] = ()
    unmoved: tuple[tuple[str, str, NonNegativeInt], ...] = ()
    checked: CheckedPairs | None = None
    ended: str = ""
    unexecuted_packages: Names = ()
    unsampled: str = ""

    @classmethod
    def of_options(cls, options: Iterable[str]) -> "WhiteBoxResult":
        """The result before the first run."""
        return cls(
            runs=(), decisions=(), sites=(), unfollowed={}, cut=False, partitions={},
            options=tuple(options),
        )  # fmt: skip

    @property
    def knows_steps(self) -> bool:
        """Whether its runs noted which step came from which; those of earlier releases did not."""
        return bool(self.flows)

    @property
    def seen_calls(self) -> frozenset[tuple[str, str]]:
        """Which region was seen to call which, where an option was seen in the latter."""
        return frozenset(
            (caller, site.region)
            for at, site in enumerate(self.sites)
            for caller in {line.rpartition(" ")[0] for line in self.flows.by_call(at)}
            if caller and caller != site.region
        )

    def as_json(self) -> dict[str, Any]:
        """Its JSON form; fields that were never given are absent from it."""
        return self.model_dump(mode="json", exclude_unset=True)

    def with_run(self, other: "WhiteBoxResult") -> "WhiteBoxResult":
        """Return this result joined with that of one more traced run; what is derived from all runs stays as it is."""
        sites = {site.key: site for site in self.sites}
        for site in other.sites:
            sites[site.key] = sites[site.key].joined(site) if site.key in sites else site
        links = self.links()
        for key, own in other.links().items():
            links[key] = joined_links(links[key], own) if key in links else own
        unfollowed = Counter(self.unfollowed) + Counter(other.unfollowed)
        decisions = {(*one[:3], *sorted(one[3].items())): one for one in (*self.decisions, *other.decisions)}
        entries = {(one[0], *sorted(one[1].items())): one for one in (*self.entries, *other.entries)}
        return self.model_copy(
            update={
                "runs": (*self.runs, *other.runs),
                "decisions": tuple(decisions[key] for key in sorted(decisions)),
                "entries": tuple(entries[key] for key in sorted(entries)),
                "sites": tuple(sites[key] for key in sorted(sites)),
                "flows": StepFlows.of(links[key] for key in sorted(sites)),
                "read": tuple(sorted({*self.read, *other.read})),
                "unfollowed": dict(sorted(unfollowed.items())),
                "cut": self.cut or other.cut,
            }
        )

    @property
    def traced(self) -> tuple[AnalysisRun, ...]:
        """The traced runs that ran to their end."""
        return tuple(run for run in self.runs if run.succeeded)

    @property
    def explored(self) -> tuple[AnalysisRun, ...]:
        """The runs to their end that partitions stand on: traced ones; where nothing was traced, those that counted."""
        return self.traced or tuple(run for run in self.counted if run.succeeded)

    @property
    def seconds(self) -> float:
        """What all runs took together, traced and counted."""
        return sum(run.seconds or 0.0 for run in (*self.runs, *self.counted))

    @property
    def failed(self) -> tuple[AnalysisRun, ...]:
        """The runs that failed, traced or counted, in order; the first one of each configuration."""
        found: dict[Any, AnalysisRun] = {}
        for run in (*self.runs, *self.counted):
            if not run.succeeded:
                found.setdefault(run.key, run)
        return tuple(found.values())

    @property
    def output_pairs(self) -> tuple[tuple[AnalysisRun, AnalysisRun], ...]:
        """The traced and the counted run of each configuration whose outputs can be compared."""
        counted = {run.key: run for run in self.counted if run.output_digest}
        return tuple((run, counted[run.key]) for run in self.runs if run.output_digest and run.key in counted)

    @property
    def changed(self) -> tuple[Labels, ...]:
        """The configurations whose output differs between the traced and the counted run."""
        return tuple(
            traced.levels
            for traced, counted in self.output_pairs
            if traced.output_digest != counted.output_digest
        )

    @property
    def proven(self) -> frozenset[str]:
        """The options that counts prove to change which code runs, however taints missed the way."""
        return frozenset(one.option for one in self.effects)

    @property
    def unread(self) -> Names:
        """The options that were seen in no step or decision of any traced run, and that counts prove to change nothing; none where nothing was traced."""
        if not self.traced:
            return ()
        seen = {*self.proven, *self.read}
        for site in self.sites:
            if site.kind != CALL and (site.decides or not self.read):
                seen.update(site.data, site.control)
        return tuple(name for name in self.options if name not in seen)

    @property
    def never_read(self) -> Names:
        """The options that no run read whose reads were noted."""
        read = {name for run in self.counted for name in run.reads or ()}
        return tuple(name for name in self.options if name not in read)

    @property
    def undecided(self) -> Names:
        """The options that were seen in no decision of any traced run and that no counts prove to change any, those that nothing reads too."""
        if not self.traced:
            return ()
        seen = self.proven | {
            name for site in self.sites if site.decides for name in (*site.data, *site.control)
        }
        return tuple(name for name in self.options if name not in seen)

    @property
    def split(self) -> Names:
        """The regions that test options, have too many subspaces, and are split by pairs of options."""
        testing = {region for region, _, data, levels in self.decisions if set(data) - levels.keys()}
        return tuple(
            region for region, parts in self.partitions.items() if len(parts) > 1 and region in testing
        )

    @property
    def modules_not_rewritten(self) -> Names:
        """The modules of the subject's packages that ran without being followed: "NAME (REASON)"."""
        return tuple(
            code.removeprefix(NOT_REWRITTEN) for code in self.unfollowed if code.startswith(NOT_REWRITTEN)
        )

    @property
    def unfollowed_calls(self) -> tuple[tuple[str, int], ...]:
        """What else was not followed and how often, most often first."""
        calls = (one for one in self.unfollowed.items() if not one[0].startswith(NOT_REWRITTEN))
        return tuple(sorted(calls, key=lambda one: (-one[1], one[0])))

    @property
    def nondeterministic_regions(self) -> Names:
        """The regions with counters that differed between two runs of one configuration."""
        return tuple(sorted({region for region, *_ in self.nondeterministic}))

    def partitions_over(self, space: OptionSpace) -> dict[str, tuple[Partition, ...]]:
        """The partitions of each region. Raises `ConfigurationError` where formulas do not fit the space."""
        return {
            region: tuple(Partition.from_formulas(space, formulas) for formulas in parts)
            for region, parts in self.partitions.items()
        }

    def named_levels(self) -> Iterator[Labels]:
        """All configurations that it names, whole ones and parts."""
        yield from (run.levels for run in (*self.runs, *self.counted))
        yield from (
            levels for one in (*self.missed_dependencies, *self.residual_variation) for levels in one.levels
        )
        yield from (levels for *_, levels in self.decisions)
        yield from (levels for _, levels in self.entries)

    def named_options(self) -> set[str]:
        """All options that it names without a level."""
        groups: list[Names] = [self.options]
        groups += [data for _, _, data, _ in self.decisions]
        groups += [names for site in self.sites for names in (site.data, site.control)]
        groups += self.flows.options
        groups += [
            names
            for one in (*self.missed_dependencies, *self.residual_variation)
            for names in (one.options, one.known)
        ]
        groups += (
            [(one.option,) for one in self.effects]
            + [(option,) for _, option, _ in self.unmoved]
            + ([self.checked.options] if self.checked else [])
        )
        groups += [names for *_, names in (*self.statements, *self.refuted)] + [self.read]
        return {name for names in groups for name in names}
