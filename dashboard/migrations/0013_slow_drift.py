"""Stored fits say whether the last level drifts slowly; those of the former method do not, and are made anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the column."""

    dependencies = [("dashboard", "0012_points_without_revision_index")]

    operations = [migrations.AddField("historyfit", "packed_drift", models.BinaryField(default=b""))]
