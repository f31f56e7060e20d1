"""A feature model put together from the options and constraints of its file, and its options as records."""

from dataclasses import replace

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.features import FeatureModel
from analytics.configurations.feature_models.folding import fold
from dashboard.importers.common_records import batch_record
from dashboard.importers.errors import Faults, FileFaults, SourceError
from dashboard.importers.feature_model.constraints import (
    KINDS,
    LocatedConstraint,
    check_constraints,
    check_solvable,
    read_constraint,
    with_or_groups,
)
from dashboard.importers.feature_model.options import OptionElement, read_option, remark_unknown
from dashboard.importers.feature_model.tree import features_of
from dashboard.importers.feature_model.values import HELD, Measured
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import Imported, OptionRecord, SystemRecords
from dashboard.importers.source import ImportSource
from dashboard.importers.xml_elements import Element, read_xml

MOST = {"configurationOption": 5_000, "constraint": 20_000}
_OPTIONS = {"binaryOptions": False, "numericOptions": True}


def read(source: ImportSource) -> Imported:
    """The feature model of a source that holds one XML file, and its options. Raises `InvalidBundle`.

    The whole file is checked, and every fault is reported with its line, before anything is handed out.
    """
    faults = Faults()
    names = sorted(name for name in source.names if name.lower().endswith((".xml", ".xml.gz")))
    if len(names) != 1:
        problem = f"holds {len(names)} XML files instead of one"
        faults.add(source.title, problem, "Give the feature model's own file")
        faults.stop()
    model = read_model(source, names[0], faults)
    if model is None:
        faults.stop()
    faults.stop_if_any()
    digest = source.digest(source.names)
    records = SystemRecords(
        batches=(batch_record("feature-model", digest, names[0][-LONGEST["batch source"] :]),),
        options=tuple(map(OptionRecord.of, fold(model.model).space.options)),
        feature_models=(model,),
    )
    return Imported(records, digest, tuple(faults.remarks))


def read_model(
    source: ImportSource,
    file: str,
    faults: Faults,
    *,
    most_values: int = HELD,
    measured: Measured | None = None,
) -> FeatureModelRecord | None:
    """The feature model in `file`; None, with every fault noted, where it is not in order.

    Numeric options may have `most_values` values; above 126 they cannot become an option as they are.
    Of a longer range those count that were `measured`.
    """
    own = FileFaults(file, faults)
    before = own.count
    parts = _read_parts(source, most_values, measured, own)
    if parts is None:
        return None
    root, options, located = parts
    if not options:
        own.add("holds no option", "Add binaryOptions with at least one", line=root.line)
        return None
    features = features_of(options, own)
    check_constraints(located, [feature.name for feature in features], own)
    if own.count > before:
        return None
    name = root.attributes.get("name", "").strip()[: LONGEST["feature model"]]
    try:
        model = FeatureModel(name or file, features)
    except FeatureModelError as error:  # what the checks above did not name
        own.add(str(error), "Correct the tree of options", line=root.line)
        return None
    constraints = with_or_groups(model, located, own)
    model = replace(model, constraints=tuple(constraint for constraint, _ in constraints))
    if most_values == HELD:
        check_solvable(model, constraints, root.line, own)
    return FeatureModelRecord(
        batch=0,
        name=model.name,
        features=model.features,
        constraints=model.constraints,
        path=root.attributes.get("root", "").strip()[: LONGEST["file"]],
        commit=root.attributes.get("commit", "").strip()[: LONGEST["commit"]],
        locations=tuple(place for one in options for place in one.locations),
    )


def _read_parts(
    source: ImportSource, most_values: int, measured: Measured | None, faults: FileFaults
) -> tuple[Element, list[OptionElement], list[LocatedConstraint]] | None:
    """The root of a feature model, its options and its constraints; None, with a fault noted, where it cannot be read."""
    vm: Element | None = None
    options: list[OptionElement] = []
    constraints: list[LocatedConstraint] = []
    try:
        with source.stream(faults.file) as stream:
            for depth, section, element in read_xml(stream, faults.file, most=MOST):
                if depth == 0 and element.tag == "vm":
                    vm = element
                elif depth == 0:
                    problem = f"the outermost element is {element.tag}"
                    faults.add(problem, "Give a feature model: it starts with vm", line=element.line)
                elif vm is None or depth == 1:
                    continue
                elif section in _OPTIONS and element.tag == "configurationOption":
                    options += read_option(
                        element, faults, numeric=_OPTIONS[section], most=most_values, measured=measured
                    )
                elif section in KINDS and element.tag == "constraint":
                    constraints += read_constraint(element, section, faults)
                else:
                    remark_unknown(element, f"in {section[:40]}", faults)
    except SourceError as error:
        faults.all.add_fault(error.fault)
        return None
    return None if vm is None else (vm, options, constraints)
