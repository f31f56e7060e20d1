"""Profiled runs keep their call paths."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the table, empty: runs of before have none."""

    dependencies = [("dashboard", "0022_invitations")]

    operations = [
        migrations.CreateModel(
            name="RunCallPaths",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("paths", models.BinaryField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="call_paths",
                        to="dashboard.run",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("run",), name="run_call_paths_unique")],
            },
        ),
    ]
