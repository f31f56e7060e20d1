"""Runs keep what a reference run took right before and right after them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds four columns of seconds; nothing is known of earlier runs."""

    dependencies = [("dashboard", "0006_all_changes")]

    operations = [
        migrations.AddField("run", f"reference_{clock}_{when}", models.FloatField(blank=True, null=True))
        for when in ("before", "after")
        for clock in ("cpu", "wall")
    ]
