"""Points say by how much the machine's speed was taken out of them, runs which reference run stands beside them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds both columns; earlier points are as they were measured."""

    dependencies = [("dashboard", "0009_false_alarm_rate")]

    operations = [
        migrations.AddField("run", "reference_program", models.CharField(blank=True, default="", max_length=40)),
        migrations.AddField("point", "adjustment", models.FloatField(db_default=0.0, default=0.0)),
    ]
