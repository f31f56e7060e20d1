"""What the fields of records declare in their annotations: shape, bounds, and what they refer to.

The reader, the checks and the writer of bundles, the import and the export all go by these declarations. A field that
refers to entries of another list of `SystemRecords` is annotated with `RefersTo`: a text is the name of the entry, a
whole number its position.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from dashboard.importers.limits import OptionName, Position, RevisionName, WorkloadName

Mark = TypeVar("Mark")


class RefersTo(str):
    """Marks a field that refers to an entry of this list of `SystemRecords`; a blank name refers to none."""

    __slots__ = ()


# Marks a column of a table that bundles of earlier versions do not have: it may be absent.
LATER = "later"
# Marks a column of numbers in which a blank cell, NaN in an array, is an unknown value.
MAY_BE_UNKNOWN = "may be unknown"

RevisionReference = Annotated[RevisionName, RefersTo("revisions")]
WorkloadReference = Annotated[WorkloadName, RefersTo("workloads")]
OptionReference = Annotated[OptionName, RefersTo("options")]
BatchReference = Annotated[Position, RefersTo("batches")]
ConfigurationReference = Annotated[Position, RefersTo("configurations")]
EnvironmentReference = Annotated[Position, RefersTo("environments")]
MetricReference = Annotated[Position, RefersTo("metrics")]
RegionReference = Annotated[Position, RefersTo("regions")]

# The field by which the entries of a list are named; in all others they are known by their position.
NAMED_BY = {"revisions": "name", "workloads": "name", "options": "name", "sources": "digest"}


@dataclass(frozen=True, slots=True)
class RecordField:
    """A field of a record class: its name, its type without annotations, and these annotations."""

    name: str
    shape: Any
    marks: tuple[Any, ...]

    @property
    def collection(self) -> str:
        """The list of `SystemRecords` that the field refers to; "" for none."""
        return str(self.mark(RefersTo) or "")

    def mark(self, kind: type[Mark]) -> Mark | None:
        """The annotation of this type, if there is one."""
        return next((mark for mark in self.marks if isinstance(mark, kind)), None)


@cache
def fields_of(record_class: type) -> tuple[RecordField, ...]:
    """The fields of a record class, in order."""
    hints = get_type_hints(record_class, include_extras=True)
    declared = []
    for field in fields(record_class):
        annotation = hints[field.name]
        shape, *marks = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
        if get_origin(shape) in {Union, UnionType}:
            # A value that may be None: what is declared of it otherwise counts.
            marks += [
                mark for one in get_args(shape) if get_origin(one) is Annotated for mark in get_args(one)[1:]
            ]
        declared.append(RecordField(field.name, shape, tuple(marks)))
    return tuple(declared)


# The name of a field, the list that it refers to, and its value.
Reference = tuple[str, str, Any]
Visit = Callable[[str, Any], Iterator[Reference]]


@cache
def references_in(annotation: Any) -> Visit | None:
    """What finds all references in a value of this type, called with its name and the value; None if there are none.

    A mapping from options to labels is one reference to `levels`.
    """
    if get_origin(annotation) is Annotated:
        shape, *marks = get_args(annotation)
        mark = next((one for one in marks if isinstance(one, RefersTo)), None)
        return references_in(shape) if mark is None else _single(mark)
    if is_dataclass(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        visits = [(name, visit) for name, hint in hints.items() if (visit := references_in(hint))]

        def visit_fields(_: str, record: Any) -> Iterator[Reference]:
            for name, visit in visits:
                yield from visit(name, getattr(record, name))

        return visit_fields if visits else None
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in {Union, UnionType}:
        parts = [visit for one in arguments if (visit := references_in(one))]
        return parts[0] if parts else None
    if origin in {dict, Mapping} and arguments[0] == OptionReference:
        return _single("levels")
    inner = references_in(arguments[0]) if origin in {tuple, dict, Mapping} else None

    def visit_each(name: str, values: Any) -> Iterator[Reference]:
        for value in values:
            yield from inner(name, value) if inner else ()

    return visit_each if inner else None


def _single(collection: str) -> Visit:
    def visit(name: str, value: Any) -> Iterator[Reference]:
        if value is not None and value != "":
            yield name, collection, value

    return visit
