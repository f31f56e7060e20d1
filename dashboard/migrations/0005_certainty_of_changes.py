"""Stored fits say how certain their changes are; those of former methods are made anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the certainty of the largest and of the last change, before the packed bytes: columns behind these read slowly."""

    dependencies = [("dashboard", "0004_feature_model_digest")]

    operations = [
        migrations.RunSQL("DELETE FROM dashboard_historyfit", migrations.RunSQL.noop),
        migrations.RemoveField("historyfit", "packed"),
        migrations.AddField("historyfit", "largest_certainty", models.FloatField(null=True)),
        migrations.AddField("historyfit", "last_certainty", models.FloatField(null=True)),
        migrations.AddField("historyfit", "packed", models.BinaryField(default=b"")),
    ]
