from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('dashboard', '0001_whole'),
    ]

    operations = [
        migrations.CreateModel(
            name='TryCount',
            fields=[
                ('who_digest', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('count', models.PositiveIntegerField(default=0)),
                ('ends_at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
            },
        ),
    ]
