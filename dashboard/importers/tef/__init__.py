"""Trace Event Format: feature regions of a program, as VaRA and others trace them.

What becomes of a trace is described in docs/reference/trace-events.md.
"""

from dataclasses import replace
from typing import Any

from analytics import units
from analytics.influence.traces import Features, interaction_times
from dashboard.importers.errors import Faults, InvalidSetting
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import Imported
from dashboard.importers.settings import ImportSetting, ImportSettings, identity, single
from dashboard.importers.source import ImportSource
from dashboard.importers.tef.assembly import TraceTimes, assemble
from dashboard.importers.tef.configurations import TABLE, TraceFile, find_traces, read_options
from dashboard.importers.tef.events import TraceFacts, read_events
from dashboard.importers.tef.names import read_names
from dashboard.importers.tef.spans import SpanStore, span_store

SECONDS = {unit: units.SECONDS[unit] for unit in ("s", "ms", "us", "µs", "μs", "ns")}
SETTINGS = (
    ImportSetting("time-unit", "UNIT", "s, ms, us or ns, where the file does not say the unit of its times"),
    ImportSetting("configuration", "OPTION=VALUE,...", "the configuration that the program ran with"),
    ImportSetting("revision", "NAME", "the revision that ran"),
    ImportSetting("workload", "NAME", "what the program was asked to do"),
    ImportSetting("environment", "NAME", "the machine it ran on"),
)
_ASSUMED = "Features of a trace without a configuration are taken as selected, as they ran."


def read(source: ImportSource, given: ImportSettings) -> Imported:
    """The records of one trace or several. Raises `InvalidBundle`, `InvalidSetting` and `SourceError`."""
    faults = Faults()
    remarks: list[str] = []
    unit = single(given, "time-unit")
    if unit is not None and unit not in SECONDS:
        raise InvalidSetting("time-unit", "is no unit of time", "Write s, ms, us or ns", unit)
    for name, longest in (("revision", "revision"), ("workload", "workload"), ("environment", "environment")):
        if len(single(given, name) or "") > LONGEST[longest]:
            raise InvalidSetting(name, "is too long", f"Use up to {LONGEST[longest]} characters")
    traces = find_traces(source, given, faults, remarks)
    faults.stop_if_any()
    times = []
    facts = {}
    whole: dict[str, str] = {}
    for trace in traces:
        with span_store(source.go_on) as store:
            facts[trace.file] = read_events(source, trace.file, store, faults)
            remarks += _remarks(trace.file, facts[trace.file])
            factor = _factor(trace.file, facts[trace.file], unit, faults)
            found = _meanings(trace, store, faults, remarks, whole)
            times.append(_times(trace, store, found, factor, faults))
    times = _with_features(times, source.title, faults, remarks)
    options = read_options([one.trace for one in times], TABLE, faults)
    faults.stop_if_any()
    digest = identity(source, None, given)
    remarks += [
        f"The feature {long!r} is called {short}: its name is too long." for short, long in whole.items()
    ]
    records = assemble(
        title=source.title,
        digest=digest,
        options=options,
        traces=times,
        environment=single(given, "environment") or "as traced",
        manifest={"traces": {file: _as_json(one) for file, one in facts.items()}},
        whole=whole,
        faults=faults,
    )
    faults.stop_if_any()
    return Imported(records, digest, tuple(remarks))


def _meanings(
    trace: TraceFile, store: SpanStore, faults: Faults, remarks: list[str], whole: dict[str, str]
) -> dict[str, Features]:
    """The features of each region of a trace; `whole` takes those whose names are shortened."""
    names = store.names(features_only=store.has_features())
    if not names and not faults.count:
        remedy = "Check that the file holds duration events (B and E, or X)"
        faults.add(trace.file, "no region begins and ends in it", remedy)
    return read_names(names, trace.file, faults, remarks, whole)


def _times(
    trace: TraceFile, store: SpanStore, meaning: dict[str, Features], factor: float, faults: Faults
) -> TraceTimes:
    seconds: dict[Features, float] = {}
    if not faults.count:
        found = interaction_times(store.edges(meaning, features_only=store.has_features()))
        seconds = {features: time * factor for features, time in found.items()}
    return TraceTimes(trace, seconds, store.extent() * factor)


def _factor(file: str, facts: TraceFacts, unit: str | None, faults: Faults) -> float:
    """Seconds per unit of the trace's times; never guessed."""
    if not facts.is_whole:
        return 1.0
    if len(facts.units) > 1:
        faults.add(file, "says two units", "Keep one timestampUnit", value=", ".join(sorted(facts.units)))
        return 1.0
    said = next(iter(facts.units), None)
    if said is None and unit is None:
        problem = "does not say the unit of its times (timestampUnit; displayTimeUnit only tells viewers)"
        faults.add(file, problem, "Give --time-unit us, or s, ms, ns")
    elif said is not None and said not in SECONDS:
        remedy = "Write s, ms, us or ns"
        faults.add(file, "is no unit of time", remedy, column="timestampUnit", value=said)
    elif said is not None and unit is not None and SECONDS[said] != SECONDS[unit]:
        problem = f"says another unit than --time-unit {unit}"
        faults.add(
            file, problem, "Leave --time-unit away, or correct the file", column="timestampUnit", value=said
        )
    return SECONDS.get(said or unit or "", 1.0)


def _remarks(file: str, facts: TraceFacts) -> list[str]:
    found = [f"{file}, {words}: left out." for words in facts.unmatched]
    if (unlisted := facts.n_unmatched - len(facts.unmatched)) > 0:
        found.append(f"{file}: {unlisted} more events without their counterpart are left out.")
    if facts.lost:
        found.append(
            f"{file}: the tracer lost {facts.lost} events. Times may be too small or in the wrong region."
        )
    if facts.others:
        kinds = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(facts.others.items())[:8])
        found.append(f"{file}: passed over events that are no stays in regions ({kinds}).")
    return found


def _with_features(
    times: list[TraceTimes], title: str, faults: Faults, remarks: list[str]
) -> list[TraceTimes]:
    """The traces, each with a level for every feature; a feature that no configuration tells is a fault."""
    found = sorted({feature for one in times for features in one.seconds for feature in features})
    told = {name for one in times for name in one.trace.assignments or ()}
    if all(one.trace.assignments is None for one in times):
        if found:
            remarks.append(_ASSUMED)
        return [
            replace(one, trace=replace(one.trace, assignments=dict.fromkeys(found, "on"))) for one in times
        ]
    for feature in found:
        if feature not in told:
            remedy = f"Add a column {feature} to {TABLE}, or {feature}=on to --configuration"
            faults.add(
                title, "no configuration tells whether the feature was selected", remedy, value=feature
            )
    return times


def _as_json(facts: TraceFacts) -> dict[str, Any]:
    return {
        "events": facts.events,
        "lost_events": facts.lost,
        "unmatched_events": facts.n_unmatched,
        "unmatched": facts.unmatched,
        "other_events": dict(facts.others),
        "timestamp_unit": sorted(facts.units),
    }
