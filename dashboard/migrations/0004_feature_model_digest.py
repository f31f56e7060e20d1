"""A feature model is stored without a digest of it, which nothing read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Drops `StoredFeatureModel.digest`; on the way back it is blank."""

    dependencies = [("dashboard", "0003_field_words")]

    operations = [
        migrations.AlterField("storedfeaturemodel", "digest", models.CharField(max_length=64, default="")),
        migrations.RemoveField("storedfeaturemodel", "digest"),
    ]
