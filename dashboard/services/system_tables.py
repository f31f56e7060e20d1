"""The tables that hang on a system or a batch, read off the foreign keys: a new table is among them by itself."""

from collections.abc import Iterable
from graphlib import TopologicalSorter
from typing import Any

from django.apps import apps
from django.db import models


def references_to(model: type[models.Model]) -> "tuple[models.ForeignKey[Any, Any], ...]":
    """The foreign keys of all tables that refer to `model`."""
    relations = model._meta.get_fields(include_hidden=True)  # noqa: SLF001 -- Django documents it
    return tuple(one.field for one in relations if isinstance(one, models.ManyToOneRel))


def referring_first(tables: Iterable[type[models.Model]]) -> Iterable[type[models.Model]]:
    """These tables, those that refer to others among them before these."""
    among = set(tables)
    referring = {
        model: ({field.model for field in references_to(model)} - {model}) & among for model in among
    }
    return TopologicalSorter(referring).static_order()


def ways_to(whole: type[models.Model]) -> dict[type[models.Model], str]:
    """The tables whose rows belong to a row of `whole`, those that refer to others first, each with its way there as a lookup."""
    ways = {model: way for model in apps.get_models() if (way := _way(model, whole))}
    return {model: ways[model] for model in referring_first(ways)}


def _way(model: type[models.Model], whole: type[models.Model]) -> str:
    """The lookup from a table to `whole`, "" of tables that do not hang on it."""
    fields = [one for one in model._meta.fields if isinstance(one, models.ForeignKey)]  # noqa: SLF001 -- as above
    for field in fields:
        if field.related_model is whole:
            return field.name
    # What may be empty is no way: rows would be missed.
    ways = (
        f"{field.name}__{way}"
        for field in fields
        if not field.null and (way := _way(field.related_model, whole))
    )
    return next(ways, "")
