"""Points are found by their series: an index of their revision took two thirds of the time of writing them into SQLite."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Drops the index; no value changes."""

    dependencies = [("dashboard", "0011_facts_of_fits")]

    operations = [
        migrations.AlterField(
            "point",
            "revision",
            models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="points",
                to="dashboard.revision",
            ),
        )
    ]
