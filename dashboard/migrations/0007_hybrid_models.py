from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dashboard", "0006_long_region_names"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="analysis",
            name="analysis_learned_once",
        ),
        migrations.AlterField(
            model_name="analysis",
            name="kind",
            field=models.CharField(
                choices=[
                    ("partitioned", "Partitioned"),
                    ("exhaustive", "Exhaustive"),
                    ("learned", "Learned"),
                    ("hybrid", "Hybrid"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="analysis",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind__in", ["learned", "hybrid"])),
                fields=("revision", "workload", "environment", "total_metric", "kind"),
                name="analysis_learned_once",
            ),
        ),
    ]
