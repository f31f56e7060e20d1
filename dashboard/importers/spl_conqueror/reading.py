"""The measurements of a folder with their deviations: rows of features as configurations of options with levels."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.feature_models.features import Feature, FeatureModel
from analytics.configurations.feature_models.folding import Folding, fold
from analytics.configurations.feature_models.rows import fold_rows
from analytics.configurations.options import IntArray
from dashboard.importers.errors import Faults
from dashboard.importers.feature_model import read_model
from dashboard.importers.feature_model.options import overlong_names
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.limits import LONGEST
from dashboard.importers.numbers import NOT_MEASURED
from dashboard.importers.record_tables import FloatArray
from dashboard.importers.records import OptionRecord
from dashboard.importers.spl_conqueror.columns import (
    column_roles,
    inferred_model,
    revision_column,
    workload_columns,
    workloads_of,
)
from dashboard.importers.spl_conqueror.files import SplFolder, lists_options
from dashboard.importers.spl_conqueror.listed_rows import read_listing, read_xml_results
from dashboard.importers.spl_conqueror.metadata import SplMetadata, releases_in_order
from dashboard.importers.tables import Table

_ONLY_REVISION = "as measured"
# Of a numeric feature; only those that were measured become levels.
_MOST_VALUES = 100_000
_Key = tuple[str, str, bytes]


class MeasuredRows:
    """Rows of measurements: `configurations` (n_rows, n_options) as levels, `values` and `deviations` by metric.

    Deviations are relative, as published; NaN is unknown. `options` have the level of the reference configuration
    first; `revision`, `workload` and `repetition` are by row, `revisions` in their order. Raises `InvalidBundle`.
    """

    def __init__(self, folder: SplFolder, settings: SplMetadata) -> None:
        self._folder, self._settings, self._faults = folder, settings, folder.faults
        table, given, features, metrics, numbered = _open_table(folder, settings)
        # Only a feature model tells what an option without a value means.
        columns = {
            name: table.numbers(name, blank=given is not None and "" in table[name]) for name in features
        }
        self.values = {name: table.numbers(name, words=NOT_MEASURED) for name in metrics}
        self._faults.stop_if_any()
        model = inferred_model(columns, table.file, self._faults) if given is None else given.model
        self.folding = _folding(model, columns, folder.feature_model or table.file, self._faults)
        # Its numeric features have the values that options have as levels.
        self.feature_model = None if given is None else replace(given, features=self.folding.model.features)
        configurations = self._configurations(table, columns)
        if configurations is None:
            self._faults.stop()
        self.configurations = configurations
        self._revision = revision_column(table)
        if self._revision:
            table.texts(self._revision, longest=LONGEST["revision"], blank=False)
        keys = self._keys(table, configurations)
        used = {*features, *metrics, self._revision, *settings.workloads}
        left_out = ", ".join([name for name in table.columns if name not in used][:5])
        hint = f"; if {left_out} tell workloads, say --workload-column COLUMN for each" if left_out else ""
        # One configuration under several numbers of a table of configurations was measured as often.
        seen: Counter[_Key] = Counter()
        self.repetition = [seen.update((key,)) or seen[key] - 1 for key in keys]
        for row, earlier in table.repeats(keys) if not numbered else ():
            problem = f"measures the configuration of line {table.lines[earlier]} again"
            table.note(row, "", problem, f"Keep one of the two rows{hint}", value=keys[row][0])
        self._faults.stop_if_any()
        for name, cells in self.values.items():
            if empty := int(np.isnan(cells).sum()):
                self._faults.remarks.append(f"{table.file}: {empty} cells of {name} are empty: not measured.")
        if repeated := sum(map(bool, self.repetition)):
            self._faults.remarks.append(f"{table.file}: {repeated} rows repeat a configuration: repetitions.")
        self.revision, self.workload, _ = zip(*keys, strict=True)
        self.revisions = releases_in_order(list(dict.fromkeys(self.revision)), self._faults)
        self.deviations = self._read_deviations(keys)
        self.options = self._read_options()

    def _configurations(self, table: Table, columns: Mapping[str, FloatArray]) -> IntArray | None:
        """The configuration of each row, shape (n_rows, n_options), as indices of levels; None where one is a fault."""
        before = self._faults.count
        try:
            configurations, mismatches = fold_rows(self.folding, columns)
        except ConfigurationError as error:
            self._faults.add(table.file, str(error), "Add the column, as the feature model calls it", line=1)
            return None
        for row, feature, problem in mismatches:
            cell = table[feature][row] if feature in table else ""
            table.note(row, feature, problem, "Correct the row or the feature model", value=cell)
        for name in overlong_names(self.folding.space):
            self._faults.add(table.file, "a name is too long", "Shorten it", line=1, value=name)
        return configurations if self._faults.count == before else None

    def _keys(self, table: Table, configurations: IntArray) -> list[_Key]:
        """What tells the rows of measurements and deviations apart: the revision, the workload, the configuration."""
        revisions = [self._settings.revision or _ONLY_REVISION] * len(table)
        if self._revision:
            revisions = list(table[self._revision])
        workloads = workloads_of(table, [name for name in table.columns if name in self._settings.workloads])
        rows = (row.tobytes() for row in configurations.astype(np.int16))
        return list(zip(revisions, workloads, rows, strict=True))

    def _read_deviations(self, measured: Sequence[_Key]) -> dict[str, FloatArray]:
        """The relative deviations of each metric that has some, by row of what was measured; NaN where there is none."""
        faults, folding = self._faults, self.folding
        required = [self._revision] if self._revision else []
        table = self._folder.table(self._folder.others["deviations.csv"], required)
        if table is None:
            return {}
        columns = {
            name: table.numbers(name)
            for name in table.columns
            if name in folding.presences or name in folding.groups
        }
        before = faults.count
        given = {
            name: table.numbers(name, minimum=0.0, words=NOT_MEASURED)
            for name in self.values
            if name in table
        }
        configurations = self._configurations(table, columns) if faults.count == before else None
        if configurations is None:
            return {}
        keys = self._keys(table, configurations)
        rows: dict[_Key, int] = {}
        for row, key in enumerate(keys):
            rows.setdefault(key, row)
        known = set(measured)
        for row, earlier in table.repeats(keys):
            same = (np.array_equal(one[[row]], one[[earlier]], equal_nan=True) for one in given.values())
            if keys[row] in known and not all(same):
                problem = f"gives other deviations than line {table.lines[earlier]} of the same configuration"
                table.note(row, "", problem, "Keep one of the two rows", value="")
        place = [rows.get(key, -1) for key in measured]
        if strange := sum(key not in known for key in keys):
            faults.remarks.append(f"{table.file}: {strange} rows belong to no measurement and are left out.")
        if missing := place.count(-1):
            faults.remarks.append(f"{table.file}: {missing} measurements have no deviation.")
        if not given:
            faults.remarks.append(f"{table.file}: none of its columns is a metric of the measurements.")
        return {name: np.append(values, np.nan)[place] for name, values in given.items()}

    def _read_options(self) -> tuple[OptionRecord, ...]:
        """The options, each with the level first that it has in the reference.

        That is the measured configuration that is the default or, where that was not measured, suits best: first it
        agrees with the most stated levels, then it has the most first levels, then it comes first.
        """
        remarks, folding, configurations = self._faults.remarks, self.folding, self.configurations
        table = self._folder.table(self._folder.others["defaultConfigurations.csv"])
        stated: dict[int, int] = {}
        if table is not None and len(table):
            names = [name for name in table.columns if name in folding.presences]
            stated = _stated_levels(folding, {name: float(table.numbers(name)[0]) for name in names})
            if len(table) > 1:
                remarks.append(f"{table.file}: the first of its {len(table)} configurations is the default.")
        agrees = np.zeros(len(configurations), dtype=np.int64)
        for position, level in stated.items():
            agrees += configurations[:, position] == level
        firsts = (configurations == 0).sum(axis=1)
        reference = configurations[np.lexsort((-firsts, -agrees))[0]].tolist()
        differ = [folding.space.names[place] for place, level in stated.items() if reference[place] != level]
        if differ:
            remarks.append(
                f"the default was not measured; the closest one that was has another {', '.join(differ)}."
            )
        elif not stated:
            remarks.append(
                "no default is stated: the measured configuration with the most first levels stands for it."
            )
        options = zip(folding.space.options, reference, strict=True)
        return tuple(OptionRecord.of(option, reference=first) for option, first in options)


def _open_table(
    folder: SplFolder, settings: SplMetadata
) -> tuple[Table, FeatureModelRecord | None, list[str], list[str], bool]:
    """The measurements, the feature model that came with them, the columns of features and those of metrics.

    And whether rows name their configurations by numbers of a table of configurations.
    """
    file, faults = folder.measurements, folder.faults
    listed_metrics: Sequence[str] = ()
    told: Collection[str] = ()
    if file.lower().endswith((".xml", ".xml.gz")):
        table, listed_metrics = read_xml_results(folder)
    elif lists_options(folder.source, file):
        table, listed_metrics = read_listing(folder)
    else:
        written, told = folder.measured()
        if written is None:
            faults.stop()
        table = written
    given = model = None
    if folder.feature_model:

        def measured(name: str) -> Sequence[float]:
            return table.numbers(name).tolist() if name in table else []

        given = read_model(
            folder.source, folder.feature_model, faults, most_values=_MOST_VALUES, measured=measured
        )
        if given is None:
            faults.stop()
        model = given.model
        if listed_metrics:
            # Rows that list their features: one that no row lists has no column. What is always there need not be listed.
            binary = [one.name for one in model.features if one.values is None and one.name not in table]
            given_columns = {name: ["01"[name == model.root]] * len(table) for name in binary}
            table = replace(table, columns={**table.columns, **given_columns})
    known = set(told) or (None if model is None else {feature.name for feature in model.features})
    if not settings.workloads and (found := workload_columns(table, known)):
        settings.workloads = found
        names = ", ".join(found) if len(found) < 4 else f"{len(found)} columns, {found[0]} to {found[-1]},"
        faults.remarks.append(f"{names} {'tells' if len(found) == 1 else 'tell'} the workload of each row.")
    features, metrics = column_roles(table, listed_metrics, known, settings, faults, numbered=bool(told))
    if not len(table):
        faults.add(file, "holds no measurement", "Add a row for each configuration")
    return table, given, features, metrics, bool(told)


def _folding(model: FeatureModel, columns: Mapping[str, FloatArray], file: str, faults: Faults) -> Folding:
    """`model`, read from `file`, as options; numeric features have the values that were measured.

    Raises `InvalidBundle` where options cannot have such names or numbers of levels.
    """

    def as_measured(feature: Feature) -> Feature:
        """A range of a million values is measured at a few of them."""
        if feature.values is None or feature.name not in columns:
            return feature
        values = tuple(value for value in feature.values if (columns[feature.name] == value).any())
        return replace(feature, values=values or feature.values[:1])

    try:
        return fold(replace(model, features=tuple(map(as_measured, model.features))))
    except ConfigurationError as error:
        faults.add(file, str(error), "Rename it, or split its levels")
        faults.stop()


def _stated_levels(folding: Folding, row: Mapping[str, float]) -> dict[int, int]:
    """The levels that a part of a row of features tells: {position of the option: index of the level}."""
    fitting = {option.name: set(range(len(option.levels))) for option in folding.space.options}
    for name, value in row.items():
        presence = folding.presences.get(name)
        if presence is None or presence.option is None:
            continue
        if name in folding.numeric:
            fitting[name] &= {index for index, one in enumerate(folding.option(name).levels) if one == value}
        elif value:
            fitting[presence.option] &= set(presence.levels)
        else:
            fitting[presence.option] -= set(presence.levels)
    return {folding.space.position(name): min(levels) for name, levels in fitting.items() if len(levels) == 1}
