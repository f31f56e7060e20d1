"""Feature models as SPL Conqueror and VaRA write them: a `vm` element with options, constraints and locations.

The format is described in docs/reference/feature-model.md. The whole file is checked, and every fault is reported
with its line, before anything is handed out.
"""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.feature_models.errors import FeatureModelError
from analytics.configurations.feature_models.features import FeatureModel
from analytics.configurations.feature_models.folding import Folding, fold
from analytics.configurations.options import level_text
from dashboard.importers.errors import Faults
from dashboard.importers.feature_model.constraints import (
    KINDS,
    Placed,
    check_constraints,
    check_solvable,
    read_constraint,
)
from dashboard.importers.feature_model.numbers import HELD
from dashboard.importers.feature_model.options import MAX_REMARKS, Draft, read_option
from dashboard.importers.feature_model.or_groups import with_or_groups
from dashboard.importers.feature_model.tree import features_of
from dashboard.importers.feature_model.xml import Element, Sections, read_xml
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import (
    BatchRecord,
    Imported,
    LevelRecord,
    OptionRecord,
    SystemRecords,
)
from dashboard.importers.source import ImportSource

FORMAT = "feature-model"
MAX_OPTIONS = 5_000
MAX_CONSTRAINTS = 20_000
T = TypeVar("T")
_OPTIONS = {"binaryOptions": False, "numericOptions": True}


def read(source: ImportSource) -> Imported:
    """The feature model of a source that holds one XML file, and its options. Raises `InvalidBundle`."""
    faults = Faults()
    names = sorted(name for name in source.names if name.lower().endswith((".xml", ".xml.gz")))
    if len(names) != 1:
        problem = f"holds {len(names)} XML files instead of one"
        faults.add(source.title, problem, "Give the feature model's own file")
    model = read_model(source, names[0], faults) if len(names) == 1 else None
    faults.stop_if_any()
    # Without a fault there is a model; this tells the type checker.
    assert model is not None  # noqa: S101
    digest = source.digest(source.names)
    records = SystemRecords(
        batches=(BatchRecord(FORMAT, digest, names[0][-LONGEST["batch source"] :]),),
        options=options_of(fold(model.model)),
        feature_models=(model,),
    )
    return Imported(records, digest, tuple(faults.remarks))


def read_model(
    source: ImportSource, file: str, faults: Faults, *, most_values: int = HELD
) -> FeatureModelRecord | None:
    """The feature model in `file`; None, with every fault noted, where it is not in order.

    Numeric options may have `most_values` values; above 126 they cannot become an option as they are.
    """
    before = faults.count
    remarks = faults.remarks
    parts = _Parts(file, faults, remarks, most_values)
    with source.stream(file) as stream:
        complete = read_xml(stream, file, Sections(parts.opened, parts.closed), faults)
    if not complete or parts.root is None:
        return None
    if not parts.drafts:
        faults.add(file, "holds no option", "Add binaryOptions with at least one", line=parts.root.line)
        return None
    features = features_of(parts.drafts, file, faults)
    check_constraints(parts.constraints, [feature.name for feature in features], file, faults)
    if faults.count > before:
        return None
    name = parts.root.attributes.get("name", "").strip()[: LONGEST["feature model"]]
    try:
        model = FeatureModel(name or file, features)
    except FeatureModelError as error:  # what the checks above did not name
        faults.add(file, str(error), "Correct the tree of options", line=parts.root.line)
        return None
    placed = with_or_groups(model, parts.constraints, file, remarks)
    model = replace(model, constraints=tuple(one.constraint for one in placed))
    if most_values == HELD:
        check_solvable(model, placed, parts.root.line, file, faults)
        _check_options(model, file, parts.root.line, faults)
    return FeatureModelRecord(
        batch=0,
        name=model.name,
        features=model.features,
        constraints=model.constraints,
        path=parts.root.attributes.get("root", "").strip()[: LONGEST["file"]],
        commit=parts.root.attributes.get("commit", "").strip()[: LONGEST["commit"]],
        locations=tuple(place for draft in parts.drafts for place in draft.locations),
    )


def options_of(folding: Folding) -> tuple[OptionRecord, ...]:
    """The options of a folded model as records."""
    return tuple(
        OptionRecord(option.name, tuple(LevelRecord(level, level_text(level)) for level in option.levels))
        for option in folding.space.options
    )


def _check_options(model: FeatureModel, file: str, line: int, faults: Faults) -> None:
    """Note names of options and levels that are too long to be stored."""
    try:
        records = options_of(fold(model))
    except ConfigurationError:
        return  # noted already
    for record in records:
        for label in (record.name, *(level.label for level in record.levels)):
            if len(label) > LONGEST["level"]:
                faults.add(file, "a name is too long", "Shorten it", line=line, value=label)


@dataclass(slots=True)
class _Parts:
    """What was read so far."""

    file: str
    faults: Faults
    remarks: list[str]
    most_values: int
    root: Element | None = None
    drafts: list[Draft] = field(default_factory=list)
    constraints: list[Placed] = field(default_factory=list)

    def opened(self, root: Element) -> None:
        """The root element."""
        if root.tag == "vm":
            self.root = root
        else:
            problem = f"the outermost element is {root.tag}"
            self.faults.add(self.file, problem, "Give a feature model: it starts with vm", line=root.line)

    def closed(self, section: str, element: Element) -> None:
        """An element of a section: an option or a constraint."""
        if self.root is None:
            return
        if section in _OPTIONS and element.tag == "configurationOption":
            numeric = _OPTIONS[section]
            draft = read_option(
                element, self.file, self.faults, self.remarks, numeric=numeric, most=self.most_values
            )
            if draft is not None:
                self._keep(self.drafts, draft, MAX_OPTIONS, element)
        elif section in KINDS and element.tag == "constraint":
            placed = read_constraint(element, section, self.file, self.faults)
            if placed is not None:
                self._keep(self.constraints, placed, MAX_CONSTRAINTS, element)
        elif len(self.remarks) < MAX_REMARKS:
            passed = f"passed over the unknown element {element.tag[:40]} in {section[:40]}"
            self.remarks.append(f"{self.file}, line {element.line}: {passed}.")

    def _keep(self, kept: list[T], one: T, most: int, element: Element) -> None:
        if len(kept) == most:
            problem = f"there are more than {most} elements {element.tag}"
            self.faults.add(self.file, problem, "Give a smaller model", line=element.line)
        elif len(kept) < most:
            kept.append(one)
