"""Which configuration each trace was made with, and which features its regions are of."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analytics.influence.times import PROGRAM_REGION
from analytics.influence.traces import Features
from dashboard.importers.common_records import PROGRAM
from dashboard.importers.errors import Faults, InvalidSetting, SourceError
from dashboard.importers.levels import option_of
from dashboard.importers.limits import LONGEST, shortened
from dashboard.importers.records import OptionRecord, RegionRecord
from dashboard.importers.settings import ImportSettings, pairs, single
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import read_table

TABLE = "configurations.csv"
BASE = "Base"  # VaRA's name for what belongs to no feature
_TRACE, _CONFIG = "trace", "config_id"
_PLACES = ("revision", "workload")
_CONFIG_IN_NAME = re.compile(r"config-(\d+)")
_ASSUMED = "Features of a trace without a configuration are taken as selected, as they ran."
_REGION = re.compile(r"FR\((.*)\)", re.DOTALL)
_NOT_IN_NAMES = re.compile(r'[\s&|!()="]+')  # what formulas over options need for themselves


@dataclass(frozen=True, slots=True)
class FeatureTrace:
    """A trace and what it was made with; `assignments` is None where nothing says so.

    `seconds` is the time in each interaction of features, `extent_seconds` that from its first to its last event.
    """

    file: str
    assignments: Mapping[str, str] | None
    revision: str
    workload: str
    seconds: Mapping[Features, float] = field(default_factory=dict)
    extent_seconds: float = 0.0


def find_traces(
    source: ImportSource, given: ImportSettings, context: Mapping[str, str], faults: Faults
) -> Sequence[FeatureTrace]:
    """The traces of a source with their configurations; `context` names the revision and workload that nothing tells.

    Raises `InvalidSetting` and `SourceError`.
    """
    files = sorted(name for name in source.names if name.endswith((".json", ".json.gz")))
    if not files and len(source.names) == 1:
        files = list(source.names)  # a single file may have any name
    if not files:
        remedy = "Name traces *.json or *.json.gz, or give one file alone"
        raise SourceError(source.title, "holds no trace", remedy)
    written = single(given, "configuration")
    if TABLE in source.names:
        if written is not None:
            problem = f"says what {TABLE} says for each trace"
            raise InvalidSetting("configuration", problem, "Leave one of the two away", written)
        return _from_table(source, files, context, faults)
    if written is None and len(files) > 1:
        problem = f"holds {len(files)} traces, and nothing says with which configuration each was made"
        remedy = f"Add {TABLE} with the columns {_TRACE} and one per option, or give --configuration for all"
        raise SourceError(source.title, problem, remedy)
    assignments = None
    if written is not None:
        form, remedy = "OPTION=VALUE,...", "Write foo=on,bar=off"
        assignments = pairs("configuration", written.split(","), form=form, remedy=remedy)
    return [FeatureTrace(file, assignments, context["revision"], context["workload"]) for file in files]


def _from_table(
    source: ImportSource, files: Sequence[str], context: Mapping[str, str], faults: Faults
) -> Sequence[FeatureTrace]:
    table = read_table(source, TABLE, (), faults)
    if table is None:
        return ()
    key = next((name for name in (_TRACE, _CONFIG) if name in table), None)
    if key is None:
        remedy = f"Add {_TRACE} with the names of the files, or {_CONFIG} with VaRA's numbers"
        faults.add(TABLE, "has no column that tells the traces", remedy, line=1)
        return ()
    # What tells a trace in that column: its name, or the number in it.
    words = {file: file for file in files}
    if key == _CONFIG:
        words = {file: match[1] for file in files if (match := _CONFIG_IN_NAME.search(file))}
    described: dict[str, FeatureTrace] = {}
    for row, word in enumerate(table[key]):
        wanted = [file for file in files if words.get(file) == word.strip()]
        if not wanted:
            table.note(row, key, "there is no such trace", "Add the file or drop the row")
        cells = {name: table[name][row].strip() for name in table.columns}
        assigned = {name: cells[name] for name in cells if name not in {_TRACE, _CONFIG, *_PLACES}}
        revision, workload = (cells.get(name) or context[name] for name in _PLACES)
        for file in wanted:
            if file in described:
                table.note(row, key, f"{file} has a row already", "Keep one of the two")
                continue
            for name in (name for name, value in assigned.items() if not value):
                table.note(row, name, "the value is missing", "Write the level")
            described[file] = FeatureTrace(file, assigned, revision, workload)
    left = [file for file in files if file not in described]
    if left:
        listed = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
        faults.remarks.append(f"{TABLE} has no row for {listed}: passed over.")
    return [described[file] for file in files if file in described]


def read_options(traces: Iterable[FeatureTrace], faults: Faults) -> list[OptionRecord]:
    """The options that the traces' configurations name, with all levels that occur; a switch always has both."""
    values: dict[str, dict[str, None]] = {}
    for trace in traces:
        for name, value in (trace.assignments or {}).items():
            values.setdefault(name, {})[value] = None
    # 0 and 1 say of a feature that it is off or on, also where all traces agree.
    bits = {"0": "off", "1": "on"}
    plain = {
        name: [bits[text] for text in texts] if set(texts) <= set(bits) else texts
        for name, texts in values.items()
    }
    options = (option_of(name, texts, TABLE, faults) for name, texts in plain.items())
    return [option for option in options if option is not None]


def features_of(name: str) -> Features:
    """The features that a region's name lists: `foo`, `FR(foo,bar)` and `foo,bar`; none for `Base`.

    Characters that no option's name may have become `_`. A name with parentheses of its own, as a function's
    signature, is one feature.
    """
    listed = _REGION.fullmatch(name.strip())
    inside = listed[1] if listed else name
    parts = inside.split(",") if listed or "(" not in inside else [inside]
    features = {_NOT_IN_NAMES.sub("_", part.strip()).strip("_") for part in parts}
    return frozenset(features - {BASE, ""})


def features_by_name(
    names: Iterable[str], file: str, faults: Faults, whole: dict[str, str]
) -> dict[str, Features]:
    """The features of each name of a region; a feature written in two ways is a fault, a changed one a remark.

    A feature whose name is too long for an option gets a shortened one, and `whole` its name by that.
    """
    meaning: dict[str, Features] = {}
    written: dict[str, str] = {}
    for name in names:
        features = features_of(name)
        for feature in features:
            if len(feature) > LONGEST["region name"] or not feature.isprintable():
                remedy = f"Use up to {LONGEST['region name']} characters that can be printed"
                faults.add(file, "is no name for a feature", remedy, value=feature)
            elif len(feature) > LONGEST["option"]:
                whole[shortened(feature, LONGEST["option"])] = feature
        meaning[name] = frozenset(shortened(feature, LONGEST["option"]) for feature in features)
        if len(meaning[name]) != 1 or name.startswith("FR("):
            continue
        (feature,) = meaning[name]
        before = written.setdefault(feature, name)
        if before != name:
            problem = f"two regions, {before!r} and {name!r}, would both be the feature {feature}"
            faults.add(file, problem, "Rename one", value=name)
        elif feature != name:
            remark = f"the region {name!r} is called {feature} here, as options are named."
            faults.remarks.append(f"{file}: {remark}")
    return meaning


def with_features(traces: list[FeatureTrace], title: str, faults: Faults) -> list[FeatureTrace]:
    """The traces, each with a level for every feature; a feature that no configuration tells is a fault."""
    features = sorted({feature for one in traces for region in one.seconds for feature in region})
    if all(one.assignments is None for one in traces):
        if features:
            faults.remarks.append(_ASSUMED)
        return [replace(one, assignments=dict.fromkeys(features, "on")) for one in traces]
    assigned = {name for one in traces for name in one.assignments or ()}
    for feature in features:
        if feature not in assigned:
            problem = "no configuration tells whether the feature was selected"
            remedy = f"Add a column {feature} to {TABLE}, or {feature}=on to --configuration"
            faults.add(title, problem, remedy, value=feature)
    return traces


def region_of(features: Features, whole: Mapping[str, str], title: str, faults: Faults) -> RegionRecord:
    """The region of a set of features, which shows their names in full."""
    if not features:
        return PROGRAM
    key = "*".join(sorted(features))
    if key == PROGRAM_REGION:
        faults.add(title, "the name stands for the rest of the program", "Rename the feature", value=key)
    name = "*".join(whole.get(feature, feature) for feature in sorted(features))
    return RegionRecord(
        key=shortened(key, LONGEST["region key"]), name=shortened(name, LONGEST["region name"])
    )
