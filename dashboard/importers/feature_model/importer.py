"""A feature model put together from the options and constraints of its file, and its options as records."""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from analytics.configurations.errors import ConfigurationError, FeatureModelError
from analytics.configurations.feature_models.features import FeatureModel
from analytics.configurations.feature_models.folding import fold
from dashboard.importers.common_records import batch_record
from dashboard.importers.errors import Faults, FileFaults
from dashboard.importers.feature_model.constraints import (
    KINDS,
    LocatedConstraint,
    check_constraints,
    check_solvable,
    read_constraint,
    with_or_groups,
)
from dashboard.importers.feature_model.options import OptionDraft, read_option, remark_unknown
from dashboard.importers.feature_model.tree import features_of
from dashboard.importers.feature_model.values import HELD
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import Imported, LevelRecord, OptionRecord, SystemRecords
from dashboard.importers.source import ImportSource
from dashboard.importers.xml_elements import Element, read_xml

MAX_OPTIONS = 5_000
MAX_CONSTRAINTS = 20_000
T = TypeVar("T")
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
    model = read_model(source, names[0], faults) if len(names) == 1 else None
    faults.stop_if_any()
    # Without a fault there is a model; this tells the type checker.
    assert model is not None  # noqa: S101
    digest = source.digest(source.names)
    records = SystemRecords(
        batches=(batch_record("feature-model", digest, names[0][-LONGEST["batch source"] :]),),
        options=_options_of(model.model),
        feature_models=(model,),
    )
    return Imported(records, digest, tuple(faults.remarks))


def read_model(
    source: ImportSource, file: str, faults: Faults, *, most_values: int = HELD
) -> FeatureModelRecord | None:
    """The feature model in `file`; None, with every fault noted, where it is not in order.

    Numeric options may have `most_values` values; above 126 they cannot become an option as they are.
    """
    own = FileFaults(file, faults)
    before = own.count
    parts = _ModelParts(own, most_values)
    with source.stream(file) as stream:
        complete = read_xml(stream, own, opened=parts.open, closed=parts.keep)
    root = parts.root
    if not complete or root is None:
        return None
    if not parts.drafts:
        own.add("holds no option", "Add binaryOptions with at least one", line=root.line)
        return None
    features = features_of(parts.drafts, own)
    check_constraints(parts.constraints, [feature.name for feature in features], own)
    if own.count > before:
        return None
    name = root.attributes.get("name", "").strip()[: LONGEST["feature model"]]
    try:
        model = FeatureModel(name or file, features)
    except FeatureModelError as error:  # what the checks above did not name
        own.add(str(error), "Correct the tree of options", line=root.line)
        return None
    constraints = with_or_groups(model, parts.constraints, own)
    model = replace(model, constraints=tuple(constraint for constraint, _ in constraints))
    if most_values == HELD:
        check_solvable(model, constraints, root.line, own)
        _check_names(model, root.line, own)
    return FeatureModelRecord(
        batch=0,
        name=model.name,
        features=model.features,
        constraints=model.constraints,
        path=root.attributes.get("root", "").strip()[: LONGEST["file"]],
        commit=root.attributes.get("commit", "").strip()[: LONGEST["commit"]],
        locations=tuple(place for draft in parts.drafts for place in draft.locations),
    )


def _options_of(model: FeatureModel) -> tuple[OptionRecord, ...]:
    """The options of a model, folded, as records."""
    return tuple(
        OptionRecord(
            option.name,
            tuple(LevelRecord(level, option.text(index)) for index, level in enumerate(option.levels)),
        )
        for option in fold(model).space.options
    )


def _check_names(model: FeatureModel, line: int, faults: FileFaults) -> None:
    """Note names of options and levels that are too long to be stored."""
    try:
        records = _options_of(model)
    except ConfigurationError:
        return  # noted already
    for record in records:
        for label in (record.name, *(level.label for level in record.levels)):
            if len(label) > LONGEST["level"]:
                faults.add("a name is too long", "Shorten it", line=line, value=label)


@dataclass(slots=True)
class _ModelParts:
    """The options and constraints that were read so far."""

    faults: FileFaults
    most_values: int
    root: Element | None = None
    drafts: list[OptionDraft] = field(default_factory=list)
    constraints: list[LocatedConstraint] = field(default_factory=list)

    def open(self, root: Element) -> None:
        """Take the root element."""
        if root.tag == "vm":
            self.root = root
        else:
            problem = f"the outermost element is {root.tag}"
            self.faults.add(problem, "Give a feature model: it starts with vm", line=root.line)

    def keep(self, section: str, element: Element) -> None:
        """Take an element of a section: an option or a constraint."""
        if self.root is None:
            return
        if section in _OPTIONS and element.tag == "configurationOption":
            numeric = _OPTIONS[section]
            draft = read_option(element, self.faults, numeric=numeric, most=self.most_values)
            self._append(self.drafts, draft, MAX_OPTIONS, element)
        elif section in KINDS and element.tag == "constraint":
            constraint = read_constraint(element, section, self.faults)
            self._append(self.constraints, constraint, MAX_CONSTRAINTS, element)
        else:
            remark_unknown(element, f"in {section[:40]}", self.faults)

    def _append(self, kept: list[T], one: T | None, most: int, element: Element) -> None:
        if one is not None and len(kept) < most:
            kept.append(one)
        elif one is not None:
            problem = f"there are more than {most} elements {element.tag}"
            self.faults.add(problem, "Give a smaller model", line=element.line)
