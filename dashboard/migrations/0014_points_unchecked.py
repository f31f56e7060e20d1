"""PostgreSQL checks no reference of a point row by row, and finds points by no index that another one holds.

Databases made from the squashed first release have both all the same: Django adds foreign keys and their indexes at the end of
a migration, behind the later step of the same migration that takes them away again. They took half the time of a large
import.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def drop_what_is_left(_apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the foreign keys of points, and the index of their series alone, where they are there."""
    connection = schema_editor.connection
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "dashboard_point")
    for name, one in found.items():
        if one["foreign_key"]:
            schema_editor.execute(f"ALTER TABLE dashboard_point DROP CONSTRAINT {quote(name)}")
        elif one["index"] and not one["unique"] and one["columns"] == ["series_id"]:
            schema_editor.execute(f"DROP INDEX {quote(name)}")


class Migration(migrations.Migration):
    """Drops constraints and an index; no value changes."""

    dependencies = [("dashboard", "0013_slow_drift")]

    operations = [migrations.RunPython(drop_what_is_left, migrations.RunPython.noop)]
