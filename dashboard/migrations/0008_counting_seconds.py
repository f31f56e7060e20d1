from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dashboard", "0007_hybrid_models"),
    ]

    operations = [
        migrations.AddField(
            model_name="counting",
            name="cpu_seconds",
            field=models.FloatField(null=True),
        ),
    ]
