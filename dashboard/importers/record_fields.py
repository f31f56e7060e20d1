"""What the fields of records declare in their annotations: shape, bounds, and what they refer to.

The reader, the checks and the writer of bundles, the import and the export all go by these declarations. A field that
refers to entries of another list of `SystemRecords` is annotated with `RefersTo`: a text is the name of the entry, a
whole number its position.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from dashboard.importers.limits import OptionName, Position, RevisionName, WorkloadName

Mark = TypeVar("Mark")
_hints: Callable[[Any], dict[str, Any]] = cache(partial(get_type_hints, include_extras=True))


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
    hints = _hints(record_class)
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


@cache
def _unwrapped(annotation: Any) -> tuple[Any, RefersTo | None, bool]:
    """The type of an annotation without marks and None, the list that it refers to, and whether any value in it does."""
    shape, *marks = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    mark = next((one for one in marks if isinstance(one, RefersTo)), None)
    arguments = get_args(shape)
    if get_origin(shape) in {Union, UnionType} and mark is None:
        return next((found for one in arguments if (found := _unwrapped(one))[2]), (shape, None, False))
    inside = _hints(shape).values() if is_dataclass(shape) else arguments[:1]
    return shape, mark, mark is not None or any(_unwrapped(one)[2] for one in inside)


def references_in(annotation: Any, value: Any, name: str = "") -> Iterator[Reference]:
    """All references in a value of this type, which stands in the field `name`.

    A mapping from options to labels is one reference to `levels`.
    """
    shape, mark, refers = _unwrapped(annotation)
    if not refers or value is None or value == "":
        return
    if mark is not None:
        yield name, mark, value
    elif is_dataclass(shape):
        for field, hint in _hints(shape).items():
            yield from references_in(hint, getattr(value, field), field)
    elif get_origin(shape) in {dict, Mapping} and get_args(shape)[0] == OptionReference:
        yield name, "levels", value
    else:
        for one in value:
            yield from references_in(get_args(shape)[0], one, name)
