"""How records lie in tables: the one mapping between the fields of records and the columns of models.

A field and its column have one name; a field that refers to another list is a foreign key. So a stored column that is
added to a model and to its record is imported and exported without a word here.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, get_args, get_origin

from django.db.models import BinaryField, ForeignObjectRel, Model, QuerySet
from pydantic import TypeAdapter

from dashboard.importers.record_fields import NAMED_BY, RecordField, fields_of
from dashboard.importers.records import SystemRecords

# The position of each row among the records of a list, by the list and the row's id.
Positions = dict[str, dict[int, int]]


def column_of(field: RecordField) -> str:
    """The column that a field lies in."""
    return f"{field.name}_id" if field.collection else field.name


@cache
def stored_fields(record_class: type, model: type[Model]) -> tuple[RecordField, ...]:
    """The fields of a record class that have a column of the model.

    The others lie in tables of their own, or packed: who packs them reads and writes them.
    """
    columns = {
        one.attname
        for one in model._meta.concrete_fields  # noqa: SLF001 -- Django documents it
        if not isinstance(one, BinaryField)
    }
    return tuple(field for field in fields_of(record_class) if column_of(field) in columns)


# Of thousands of records each would look through the annotations of its fields.
@cache
def _columns_of(record_class: type, model: type[Model]) -> tuple[tuple[str, str, str], ...]:
    """The names of a record's stored fields, their columns, and the lists that they refer to."""
    return tuple((one.name, column_of(one), one.collection) for one in stored_fields(record_class, model))


@cache
def held_fields(
    record_class: type, model: type[Model]
) -> tuple[tuple[RecordField, ForeignObjectRel, type], ...]:
    """The fields of a record class that hold the records of rows which refer to a row of the model.

    Each with the relation, which has its name, and the class of those records.
    """
    relations = {one.get_accessor_name(): one for one in model._meta.related_objects}  # noqa: SLF001 -- documented
    return tuple(
        (field, relations[field.name], get_args(field.shape)[0])
        for field in fields_of(record_class)
        if field.name in relations and get_origin(field.shape) is tuple
    )


class RowIds:
    """The ids of the rows that records stand for, by their lists; 0 where a list has an entry without a row."""

    def __init__(self, records: SystemRecords) -> None:
        self._records = records
        self._ids: dict[str, Sequence[int]] = {}
        self._by_name: dict[str, dict[str, int]] = {}

    def put(self, collection: str, ids: Sequence[int]) -> None:
        """Keep the ids of the rows of a list of `SystemRecords`, in its order."""
        self._ids[collection] = ids
        if key := NAMED_BY.get(collection):
            entries = getattr(self._records, collection)
            names = entries if isinstance(entries, Mapping) else [getattr(one, key) for one in entries]
            self._by_name[collection] = dict(zip(names, ids, strict=True))

    def of(self, collection: str) -> Sequence[int]:
        """The ids of the rows of a list, in its order."""
        return self._ids[collection]

    def row(self, record: Any, model: type[Model]) -> dict[str, Any]:
        """The columns of `model` that `record` fills, by name."""
        record_class: type = type(record)
        columns = {}
        for name, column, collection in _columns_of(record_class, model):
            value = getattr(record, name)
            if not collection:
                value = dict(value) if isinstance(value, Mapping) else value
            elif value is None or value == "":
                value = None
            elif collection in NAMED_BY:
                value = self._by_name[collection][value]
            else:
                value = self._ids[collection][value]
            columns[column] = value
        return columns


def load_values(
    record_class: type,
    rows: QuerySet[Any],
    positions: Positions,
    *,
    by: str = "pk",
    left_out: Collection[int] = (),
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The fields of each row's record that have a column, behind the row's id or the id `by` another column.

    With them go the records of the rows that refer to it. Rows with an id in `left_out` are passed over. One query,
    and one for each field that holds such records.
    """
    model: type[Model] = rows.model
    held: dict[str, dict[int, list[Any]]] = {}
    for field, relation, part_class in held_fields(record_class, model):
        way = relation.field.name
        parts = QuerySet[Any](relation.related_model).filter(**{f"{way}__in": rows.order_by()})
        ordered = parts.order_by(*parts.model._meta.ordering or ["pk"])  # noqa: SLF001 -- documented
        held[field.name] = defaultdict(list)
        for whole, one in load_values(part_class, ordered, positions, by=f"{way}_id"):
            held[field.name][whole].append(part_class(**one))
    fields = stored_fields(record_class, model)
    loaders = [_loader(field, positions) for field in fields]
    # Where a field refers to something by its name, that name.
    paths = [
        f"{field.name}__{NAMED_BY[field.collection]}" if field.collection in NAMED_BY else column_of(field)
        for field in fields
    ]
    for pk, *values in rows.values_list(by, *paths):
        if pk not in left_out:
            cells = zip(fields, loaders, values, strict=True)
            found = {field.name: load(value) for field, load, value in cells}
            yield pk, found | {name: tuple(parts[pk]) for name, parts in held.items()}


def _loader(field: RecordField, positions: Positions) -> Callable[[Any], Any]:
    """What makes the value of a field from that of its column."""
    if field.collection in NAMED_BY:
        return lambda name: name or ""
    if field.collection:
        known = positions[field.collection]
        return lambda pk: None if pk is None else known[pk]
    if _holds(field.shape, tuple):
        # JSON has lists for them.
        return TypeAdapter(field.shape).validate_python
    return lambda value: value


def _holds(shape: Any, kind: type) -> bool:
    """Whether a value of this type is or holds one of `kind`."""
    return get_origin(shape) is kind or any(_holds(one, kind) for one in get_args(shape))
