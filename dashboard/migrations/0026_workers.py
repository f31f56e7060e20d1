"""Workers say that they live."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Makes their table."""

    dependencies = [("dashboard", "0025_teams")]

    operations = [
        migrations.CreateModel(
            name="Worker",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120)),
                ("queue", models.CharField(max_length=8)),
                ("host", models.CharField(max_length=255)),
                ("started_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=["name", "queue"], name="worker_once_a_queue")]
            },
        ),
    ]
