"""Revisions tell who wrote them, and systems how their revisions are addressed in the web."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds both, empty: not known."""

    dependencies = [("dashboard", "0020_api_tokens")]

    operations = [
        migrations.AddField("revision", "author", models.CharField(blank=True, default="", max_length=120)),
        migrations.AddField("system", "host_link", models.CharField(blank=True, default="", max_length=400)),
    ]
