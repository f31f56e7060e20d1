"""What was costly to make is kept: its rows are put back into the emptied database of another test."""

from collections.abc import Sequence

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Model

Rows = Sequence[tuple[type[Model], Sequence[Model]]]


def all_rows() -> Rows:
    """Every row of our tables."""
    models = apps.get_app_config("dashboard").get_models()
    return [(model, list(model._default_manager.all())) for model in models]


@transaction.atomic
def put_back(rows: Rows) -> None:
    """Write the rows as they were, under the same keys and with their times, before there are any others."""
    for model, objects in rows:
        fields = model._meta.concrete_fields
        at_once = max(1, connection.ops.bulk_batch_size(fields, objects))
        for start in range(0, len(objects), at_once):
            # As `bulk_create`, which would set the times of now; Django's stubs do not know it.
            model._base_manager._insert(  # type: ignore[attr-defined]
                objects[start : start + at_once], fields=fields, using=connection.alias, raw=True
            )
