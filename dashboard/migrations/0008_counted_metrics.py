"""Metrics may be counted, without noise."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds a word to the clocks of metrics."""

    dependencies = [("dashboard", "0007_reference_beside_runs")]

    operations = [
        migrations.AlterField(
            "metric",
            "clock",
            models.CharField(
                choices=[("wall", "Wall"), ("cpu", "Cpu"), ("count", "Count"), ("none", "None")],
                default="none",
                max_length=8,
            ),
        ),
    ]
