"""The tables that hang on a system, read off the foreign keys: a new table is among them by itself."""

from graphlib import TopologicalSorter
from typing import Any

from django.apps import apps
from django.db import models

from dashboard.models import System


def references_to(model: type[models.Model]) -> "tuple[models.ForeignKey[Any, Any], ...]":
    """The foreign keys of all tables that refer to `model`."""
    relations = model._meta.get_fields(include_hidden=True)  # noqa: SLF001 -- Django documents it
    return tuple(one.field for one in relations if isinstance(one, models.ManyToOneRel))


def ways_to_system() -> dict[type[models.Model], str]:
    """The tables with rows of one system, those that refer to others first, each with its way there as a lookup."""
    ways = {model: way for model in apps.get_models() if (way := _way(model))}
    referring = {model: {field.model for field in references_to(model)} - {model} for model in ways}
    return {model: ways[model] for model in TopologicalSorter(referring).static_order()}


def _way(model: type[models.Model]) -> str:
    """The lookup from a table to its system, "" of tables that do not hang on one."""
    fields = [one for one in model._meta.fields if isinstance(one, models.ForeignKey)]  # noqa: SLF001 -- as above
    for field in fields:
        if field.related_model is System:
            return field.name
    # What may be empty is no way: rows would be missed.
    ways = (
        f"{field.name}__{way}" for field in fields if not field.null and (way := _way(field.related_model))
    )
    return next(ways, "")
