"""Stored fits hold all changes of a history; those of former methods are made anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the changes, before the packed levels: columns behind these read slowly."""

    dependencies = [("dashboard", "0005_certainty_of_changes")]

    operations = [
        migrations.RunSQL("DELETE FROM dashboard_historyfit", migrations.RunSQL.noop),
        migrations.RemoveField("historyfit", "packed"),
        migrations.AddField("historyfit", "packed_changes", models.BinaryField(default=b"")),
        migrations.AddField("historyfit", "packed", models.BinaryField(default=b"")),
    ]
