"""A system has its own false-alarm rate; stored fits say which of their changes are candidates, and are made anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the columns, those of fits before the packed bytes: columns behind these read slowly."""

    dependencies = [("dashboard", "0008_counted_metrics")]

    operations = [
        migrations.AddField("system", "false_alarm_rate", models.FloatField(default=0.01)),
        migrations.AddConstraint(
            "system",
            models.CheckConstraint(
                condition=models.Q(false_alarm_rate__gt=0.0, false_alarm_rate__lt=1.0),
                name="system_false_alarm_rate_is_a_share",
            ),
        ),
        migrations.RunSQL("DELETE FROM dashboard_historyfit", migrations.RunSQL.noop),
        migrations.RemoveField("historyfit", "packed"),
        migrations.RemoveField("historyfit", "packed_changes"),
        migrations.AddField("historyfit", "largest_is_candidate", models.BooleanField(default=False)),
        migrations.AddField("historyfit", "last_is_candidate", models.BooleanField(default=False)),
        migrations.AddField("historyfit", "packed_changes", models.BinaryField(default=b"")),
        migrations.AddField("historyfit", "packed", models.BinaryField(default=b"")),
    ]
