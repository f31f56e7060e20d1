"""Searches of profiled regions for changes are stored; they were made in the request before, and kept nowhere."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds both tables, empty: the job that fits histories fills them."""

    dependencies = [
        ("dashboard", "0017_strain_beside_runs"),
    ]

    operations = [
        migrations.CreateModel(
            name="RegionSearch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("regions", models.PositiveIntegerField(default=0)),
                (
                    "configuration",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="dashboard.configuration",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="dashboard.environment",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="region_searches",
                        to="dashboard.system",
                    ),
                ),
                (
                    "workload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="dashboard.workload"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RegionChanges",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("packed_changes", models.BinaryField(default=b"")),
                ("packed_share_changes", models.BinaryField(default=b"")),
                ("packed_moves", models.BinaryField(default=b"")),
                (
                    "metric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="dashboard.metric"
                    ),
                ),
                (
                    "region",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="dashboard.region"
                    ),
                ),
                (
                    "search",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="found",
                        to="dashboard.regionsearch",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="regionsearch",
            constraint=models.UniqueConstraint(
                fields=("configuration", "workload", "environment"), name="region_search_unique"
            ),
        ),
        migrations.AddConstraint(
            model_name="regionchanges",
            constraint=models.UniqueConstraint(
                fields=("search", "region", "metric"), name="region_changes_unique"
            ),
        ),
    ]
