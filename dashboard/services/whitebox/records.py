"""What traced runs said, joined over runs, as JSON that one row holds."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analytics.configurations.options import IntArray
from analytics.whitebox.decisions import Decision
from dashboard.selectors.packed_counts import Site as CountedSite
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from runner.executions import Execution
from runner.results import DecisionSiteResult, Trace

# What tells one site from others, in this order.
SITE = ("region", "file", "line", "column", "kind", "text", "writes", "reads")
_CALL = "call"
_ENTRY = "entry"


@dataclass
class AnalysisResult:
    """Everything that traced runs have said so far.

    `runs` are {levels, status, message, place, seconds, said}, where `said` is a digest of what the run printed and
    returned, `sites` the options seen in the value and in what led there, by site, `arguments` those by function and
    parameter, `unfollowed` how often a taint went where it is not followed.
    `entries`: under which levels functions without decisions were entered. `counted` are the runs that only counted,
    as `runs`; at the sites of `unsteady` two runs of one configuration counted differently.
    """

    runs: list[dict[str, Any]] = field(default_factory=list)
    decisions: dict[tuple[Any, ...], None] = field(default_factory=dict)
    entries: set[tuple[str, tuple[tuple[str, str], ...]]] = field(default_factory=set)
    sites: dict[tuple[Any, ...], tuple[set[str], set[str]]] = field(default_factory=dict)
    arguments: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    unfollowed: dict[str, int] = field(default_factory=dict)
    cut: bool = False
    counted: list[dict[str, Any]] = field(default_factory=list)
    unsteady: set[CountedSite] = field(default_factory=set)
    _decided_by: tuple[int, frozenset[Decision]] = (0, frozenset())

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> "AnalysisResult":
        """What `as_json` wrote; empty for {}."""
        record = cls()
        if found:
            record.runs = list(found["runs"])
            for region, place, data, control in found["decisions"]:
                record.decisions[region, place, tuple(data), tuple(sorted(control.items()))] = None
            record.entries = {
                (region, tuple(sorted(control.items()))) for region, control in found.get("entries", ())
            }
            for site in found["sites"]:
                key = tuple(tuple(site[name]) if name == "reads" else site[name] for name in SITE)
                record.sites[key] = set(site["data"]), set(site["control"])
            record.arguments = {(one, name): set(options) for one, name, options in found["arguments"]}
            record.unfollowed = dict(found["unfollowed"])
            record.cut = found["cut"]
            record.counted = list(found.get("counted", ()))
            record.unsteady = {
                (region, line, column, kind) for region, line, column, kind in found.get("unsteady", ())
            }
        return record

    def add(self, execution: Execution, labels: Mapping[str, str]) -> None:
        """Join one run; one that did not end well says nothing but that, and where."""
        self.runs.append(_ended(execution, labels))
        trace = execution.trace
        if trace is None:
            return
        for at, site in enumerate(trace.sites):
            if site.kind == _CALL:
                self._seen(trace.sites[at], trace.options)
        for at, taint in trace.steps:
            self._seen(trace.sites[at], _names(trace, taint))
        for at, data, control in trace.decisions:
            self._decided(trace, trace.sites[at], (data, control), labels)
        for function, parameter, taint in trace.arguments:
            self.arguments.setdefault((function, parameter), set()).update(_names(trace, taint))
        for name, count in trace.unfollowed.items():
            self.unfollowed[name] = self.unfollowed.get(name, 0) + count
        self.cut = self.cut or trace.cut

    def add_counted(self, execution: Execution, labels: Mapping[str, str]) -> None:
        """Join a run that only counted."""
        self.counted.append(_ended(execution, labels))

    def decided(self, configurations: SubjectConfigurations) -> frozenset[Decision]:
        """The decisions as the analysis takes them, worked out again only after a traced run."""
        traced, known = self._decided_by
        if traced != len(self.runs):
            known = self._decisions(configurations)
            self._decided_by = len(self.runs), known
        return known

    def _decisions(self, configurations: SubjectConfigurations) -> frozenset[Decision]:
        space = configurations.space
        found = set()
        for region, place, data, control in self.decisions:
            levels = configurations.row(dict(control))
            found.add(
                Decision.reached(
                    region,
                    place,
                    [space.position(name) for name in data],
                    [space.position(name) for name, _ in control],
                    levels,
                )
            )
        for region, control in self.entries:
            levels = configurations.row(dict(control))
            under = [space.position(name) for name, _ in control]
            found.add(Decision.reached(region, "", (), under, levels, entry=True))
        return frozenset(found)

    def rows(self, configurations: SubjectConfigurations) -> list[IntArray]:
        """The configurations that were traced, as rows."""
        return [configurations.row(run["levels"]) for run in self.runs]

    def counted_rows(self, configurations: SubjectConfigurations, *, failed: bool = False) -> list[IntArray]:
        """The configurations that were counted to their end, as rows; `failed`: those that were not, too."""
        return [configurations.row(run["levels"]) for run in self.counted if failed or run["status"] == "ok"]

    def unread(self, options: Sequence[str]) -> tuple[str, ...]:
        """The options whose value was seen in no step, argument or decision of any run."""
        seen: set[str] = set().union(*self.arguments.values())
        for key, (data, control) in self.sites.items():
            if key[SITE.index("kind")] != _CALL:
                seen |= data | control
        return tuple(option for option in options if option not in seen)

    def undecided(self, options: Sequence[str]) -> tuple[str, ...]:
        """The options that were seen in no decision of any run."""
        seen = {name for _, _, data, control in self.decisions for name in (*data, *dict(control))}
        return tuple(option for option in options if option not in seen)

    def as_json(self) -> dict[str, Any]:
        """Everything as plain JSON values, in a fixed order."""
        return {
            "runs": self.runs,
            "decisions": [
                [region, place, list(data), dict(control)]
                for region, place, data, control in sorted(self.decisions)
            ],
            "entries": [[region, dict(control)] for region, control in sorted(self.entries)],
            "sites": [
                dict(zip(SITE, key, strict=True)) | {"data": sorted(data), "control": sorted(control)}
                for key, (data, control) in sorted(self.sites.items())
            ],
            "arguments": [[*key, sorted(options)] for key, options in sorted(self.arguments.items())],
            "unfollowed": dict(sorted(self.unfollowed.items())),
            "cut": self.cut,
            "counted": self.counted,
            "unsteady": [list(site) for site in sorted(self.unsteady)],
        }

    def _seen(self, site: DecisionSiteResult, data: Sequence[str], control: Sequence[str] = ()) -> None:
        key = tuple(getattr(site, name) for name in SITE)
        known = self.sites.setdefault(key, (set(), set()))
        known[0].update(data)
        known[1].update(control)

    def _decided(
        self, trace: Trace, site: DecisionSiteResult, taints: tuple[int, int], labels: Mapping[str, str]
    ) -> None:
        data, control = (_names(trace, taint) for taint in taints)
        self._seen(site, data, control)
        levels = tuple(sorted((name, labels[name]) for name in control))
        if site.kind == _ENTRY:
            self.entries.add((site.region, levels))
            return
        place = f"{site.file}:{site.line}:{site.column}"
        self.decisions[site.region, place, tuple(sorted(data)), levels] = None


def _ended(execution: Execution, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "levels": dict(labels),
        "status": execution.status,
        "message": execution.message[:400],
        "place": execution.place,
        "seconds": execution.process_seconds,
        "said": _said(execution) if execution.status == "ok" else "",
        # What was returned is a part of that only where it has a digest.
        "returned": bool(execution.returned),
    }


def _said(execution: Execution) -> str:
    """A digest of what a run returned, and of how much it printed and the end of that."""
    said = f"{execution.returned}\0{execution.output_bytes}\0{execution.output}"
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()


def _names(trace: Trace, taint: int) -> tuple[str, ...]:
    return tuple(name for at, name in enumerate(trace.options) if taint >> at & 1)
