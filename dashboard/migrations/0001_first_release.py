import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from dashboard.migrations._together import CreateModels


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [CreateModels(
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.CharField(max_length=150)),
                ('action', models.CharField(max_length=60)),
                ('system_slug', models.CharField(blank=True, default='', max_length=80)),
                ('details', models.JSONField(default=dict)),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='Environment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('details', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='SourceText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('text', models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name='System',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('name', models.CharField(max_length=120)),
                ('description', models.TextField(blank=True, default='')),
                ('visible', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('data_version', models.PositiveBigIntegerField(default=0)),
            ],
            options={
                'ordering': ('name',),
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('queue', models.CharField(choices=[('default', 'Default'), ('measure', 'Measure')], default='default', max_length=8)),
                ('title', models.CharField(max_length=200)),
                ('parameters', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=9)),
                ('progress', models.FloatField(default=0.0)),
                ('message', models.CharField(blank=True, default='', max_length=400)),
                ('checkpoint', models.JSONField(default=dict)),
                ('result', models.JSONField(default=dict)),
                ('error', models.TextField(blank=True, default='')),
                ('owner', models.CharField(blank=True, default='', max_length=120)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='children', to='dashboard.job')),
                ('system', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='dashboard.system')),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='JobLogLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('text', models.CharField(max_length=1000)),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='log_lines', to='dashboard.job')),
            ],
            options={
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='LoginToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_digest', models.CharField(max_length=64, unique=True)),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Metric',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('quantity', models.CharField(max_length=40)),
                ('unit', models.CharField(max_length=40)),
                ('clock', models.CharField(choices=[('wall', 'Wall'), ('cpu', 'Cpu'), ('none', 'None')], default='none', max_length=8)),
                ('better', models.CharField(choices=[('lower', 'Lower'), ('higher', 'Higher')], default='lower', max_length=8)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('quantity', 'unit', 'clock', 'better'), name='metric_unique')],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=200)),
                ('view', models.CharField(max_length=40)),
                ('payload', models.JSONField()),
                ('data_version', models.PositiveBigIntegerField()),
                ('software_version', models.CharField(max_length=40)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reports', to=settings.AUTH_USER_MODEL)),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='dashboard.system')),
            ],
            options={
                'ordering': ('-created_at',),
            },
        ),
        migrations.CreateModel(
            name='ShareLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('opened_count', models.PositiveIntegerField(default=0)),
                ('last_opened_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('report', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links', to='dashboard.report')),
            ],
            options={
                'ordering': ('-created_at',),
            },
        ),
        migrations.CreateModel(
            name='Revision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('commit', models.CharField(blank=True, default='', max_length=64)),
                ('message', models.TextField(blank=True, default='')),
                ('released_at', models.DateTimeField(blank=True, null=True)),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='dashboard.system')),
            ],
        ),
        migrations.CreateModel(
            name='Region',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=400)),
                ('package', models.CharField(blank=True, default='', max_length=200)),
                ('name', models.CharField(max_length=300)),
                ('is_program', models.BooleanField(default=False)),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='regions', to='dashboard.system')),
            ],
        ),
        migrations.CreateModel(
            name='Order',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='orders', to='dashboard.system')),
            ],
        ),
        migrations.CreateModel(
            name='Option',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('position', models.PositiveIntegerField()),
                ('description', models.TextField(blank=True, default='')),
                ('first_revision', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='dashboard.revision')),
                ('last_revision', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='dashboard.revision')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='options', to='dashboard.system')),
            ],
            options={
                'ordering': ('position',),
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('viewer', 'Viewer'), ('editor', 'Editor'), ('admin', 'Admin')], max_length=8)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='dashboard.system')),
            ],
        ),
        migrations.CreateModel(
            name='Configuration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(blank=True, default='', max_length=120)),
                ('assignments', models.JSONField(default=dict)),
                ('identity', models.CharField(max_length=64)),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='configurations', to='dashboard.system')),
            ],
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('format', models.CharField(max_length=40)),
                ('digest', models.CharField(max_length=64)),
                ('source', models.CharField(blank=True, default='', max_length=400)),
                ('state', models.CharField(choices=[('writing', 'Writing'), ('visible', 'Visible')], default='writing', max_length=8)),
                ('manifest', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('written_at', models.DateTimeField(auto_now=True)),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batches', to='dashboard.system')),
            ],
        ),
        migrations.CreateModel(
            name='Workload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('description', models.TextField(blank=True, default='')),
                ('parameters', models.JSONField(default=dict)),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='workloads', to='dashboard.system')),
            ],
        ),
        migrations.CreateModel(
            name='Series',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject_kind', models.CharField(choices=[('configuration', 'Configuration'), ('benchmark', 'Benchmark'), ('term', 'Term'), ('region', 'Region')], max_length=16)),
                ('subject', models.CharField(max_length=400)),
                ('benchmark_version', models.CharField(blank=True, default='', max_length=80)),
                ('identity', models.CharField(max_length=64, unique=True)),
                ('data_version', models.PositiveBigIntegerField(default=0)),
                ('environment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.environment')),
                ('metric', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.metric')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='series', to='dashboard.system')),
                ('workload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.workload')),
            ],
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('repetition', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('plain', 'Plain'), ('profiled', 'Profiled')], max_length=8)),
                ('status', models.CharField(choices=[('ok', 'Ok'), ('failed', 'Failed'), ('timeout', 'Timeout'), ('killed', 'Killed')], default='ok', max_length=8)),
                ('message', models.CharField(blank=True, default='', max_length=400)),
                ('output_tail', models.TextField(blank=True, default='')),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('invalid_reason', models.CharField(blank=True, default='', max_length=400)),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='dashboard.batch')),
                ('configuration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='dashboard.configuration')),
                ('environment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='dashboard.environment')),
                ('invalidated_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='dashboard.revision')),
                ('workload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='dashboard.workload')),
            ],
        ),
        migrations.CreateModel(
            name='Analysis',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('partitioned', 'Partitioned'), ('exhaustive', 'Exhaustive')], max_length=16)),
                ('aggregate_repetitions', models.CharField(choices=[('median', 'Median'), ('mean', 'Mean')], max_length=8)),
                ('aggregate_configurations', models.CharField(choices=[('median', 'Median'), ('mean', 'Mean')], max_length=8)),
                ('program_region_offset', models.FloatField(default=0.0)),
                ('options', models.JSONField(default=list)),
                ('published_correction', models.CharField(blank=True, default='', max_length=80)),
                ('data_version', models.PositiveBigIntegerField(default=0)),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='dashboard.batch')),
                ('environment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.environment')),
                ('region_metric', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.metric')),
                ('total_metric', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.metric')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='dashboard.revision')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='dashboard.system')),
                ('workload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.workload')),
            ],
        ),
        migrations.CreateModel(
            name='Correction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('intercept', models.FloatField()),
                ('slope', models.FloatField()),
                ('r_squared', models.FloatField(blank=True, null=True)),
                ('analysis', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='corrections', to='dashboard.analysis')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('analysis', 'name'), name='correction_unique')],
            },
        ),
        migrations.CreateModel(
            name='ModelFit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('data_version', models.PositiveBigIntegerField()),
                ('settings_digest', models.CharField(max_length=64)),
                ('code_version', models.CharField(max_length=40)),
                ('payload', models.BinaryField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('analysis', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fits', to='dashboard.analysis')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('analysis', 'data_version', 'settings_digest', 'code_version'), name='model_fit_unique')],
            },
        ),
        migrations.CreateModel(
            name='Level',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('value', models.JSONField()),
                ('label', models.CharField(max_length=120)),
                ('option', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='levels', to='dashboard.option')),
            ],
            options={
                'ordering': ('position',),
                'constraints': [models.UniqueConstraint(fields=('option', 'position'), name='level_position_unique'), models.UniqueConstraint(fields=('option', 'label'), name='level_label_unique')],
            },
        ),
        migrations.CreateModel(
            name='PublishedPrediction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField()),
                ('analysis', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='predictions', to='dashboard.analysis')),
                ('configuration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.configuration')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('analysis', 'configuration'), name='prediction_unique')],
            },
        ),
        migrations.CreateModel(
            name='Partition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('formulas', models.JSONField()),
                ('analysis', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='partitions', to='dashboard.analysis')),
                ('region', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='partitions', to='dashboard.region')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('analysis', 'region'), name='partition_unique')],
            },
        ),
        migrations.CreateModel(
            name='OrderPosition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('order', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='dashboard.order')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='dashboard.revision')),
            ],
            options={
                'ordering': ('position',),
                'constraints': [models.UniqueConstraint(fields=('order', 'revision'), name='place_revision_unique'), models.UniqueConstraint(fields=('order', 'position'), name='place_position_unique')],
            },
        ),
        migrations.CreateModel(
            name='RegionMeasurement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField()),
                ('lines', models.JSONField(blank=True, null=True)),
                ('metric', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.metric')),
                ('region', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='measurements', to='dashboard.region')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='region_measurements', to='dashboard.run')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'region', 'metric'), name='region_measurement_unique')],
            },
        ),
        migrations.CreateModel(
            name='Measurement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField()),
                ('metric', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.metric')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='measurements', to='dashboard.run')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'metric'), name='measurement_unique')],
            },
        ),
        migrations.CreateModel(
            name='Point',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('n', models.PositiveIntegerField()),
                ('median', models.FloatField()),
                ('spread', models.FloatField(blank=True, null=True)),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='points', to='dashboard.batch')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='points', to='dashboard.revision')),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='points', to='dashboard.series')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('series', 'revision'), name='point_unique')],
            },
        ),
        migrations.CreateModel(
            name='HistoryFit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('data_version', models.PositiveBigIntegerField()),
                ('settings_digest', models.CharField(max_length=64)),
                ('code_version', models.CharField(max_length=40)),
                ('payload', models.BinaryField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fits', to='dashboard.series')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('series', 'data_version', 'settings_digest', 'code_version'), name='history_fit_unique')],
            },
        ),
        migrations.CreateModel(
            name='RegionVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file', models.CharField(blank=True, default='', max_length=400)),
                ('first_line', models.PositiveIntegerField(default=0)),
                ('last_line', models.PositiveIntegerField(default=0)),
                ('body_digest', models.CharField(blank=True, default='', max_length=64)),
                ('region', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='dashboard.region')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='region_versions', to='dashboard.revision')),
                ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='dashboard.sourcetext')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('region', 'revision'), name='region_version_unique')],
            },
        ),
        migrations.CreateModel(
            name='Subject',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, unique=True)),
                ('folder', models.CharField(max_length=1000)),
                ('digest', models.CharField(max_length=64)),
                ('definition', models.JSONField(default=dict)),
                ('registered_at', models.DateTimeField(auto_now=True)),
                ('system', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='subject', to='dashboard.system')),
            ],
            options={
                'ordering': ('name',),
                'constraints': [models.CheckConstraint(condition=models.Q(('folder', ''), _negated=True), name='subject_folder_given')],
            },
        ),
    ),
        migrations.AddConstraint(
            model_name='revision',
            constraint=models.UniqueConstraint(fields=('system', 'name'), name='revision_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='region',
            constraint=models.UniqueConstraint(fields=('system', 'key'), name='region_key_unique'),
        ),
        migrations.AddConstraint(
            model_name='order',
            constraint=models.UniqueConstraint(fields=('system', 'name'), name='order_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='option',
            constraint=models.UniqueConstraint(fields=('system', 'name'), name='option_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='option',
            constraint=models.UniqueConstraint(fields=('system', 'position'), name='option_position_unique'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('system', 'user'), name='membership_unique'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['state', 'lease_expires_at'], name='dashboard_j_state_1e73fe_idx'),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.CheckConstraint(condition=models.Q(('progress__gte', 0.0), ('progress__lte', 1.0)), name='job_progress_is_a_share'),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), _negated=True), ('lease_expires_at__isnull', False), _connector='OR'), name='job_running_has_a_lease'),
        ),
        migrations.AddConstraint(
            model_name='configuration',
            constraint=models.UniqueConstraint(fields=('system', 'identity'), name='configuration_identity_unique'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'visible')), fields=('system', 'digest'), name='batch_imported_once'),
        ),
        migrations.AddConstraint(
            model_name='workload',
            constraint=models.UniqueConstraint(fields=('system', 'name'), name='workload_name_unique'),
        ),
        migrations.AddIndex(
            model_name='series',
            index=models.Index(fields=['system', 'subject_kind'], name='dashboard_s_system__613fa5_idx'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['revision', 'workload', 'environment', 'kind', 'configuration'], name='dashboard_r_revisio_203bb7_idx'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.UniqueConstraint(fields=('batch', 'revision', 'configuration', 'workload', 'environment', 'kind', 'repetition'), name='run_once_in_a_batch'),
        ),
        migrations.AddConstraint(
            model_name='analysis',
            constraint=models.UniqueConstraint(fields=('revision', 'workload', 'environment', 'kind', 'batch'), name='analysis_unique'),
        ),
        migrations.AddField(
            model_name='job',
            name='progress_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='job',
            name='seconds_left',
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='job',
            name='sent_at',
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.CreateModel(
            name='ApproachComparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('settings', models.JSONField()),
                ('settings_digest', models.CharField(max_length=64)),
                ('data_version', models.PositiveBigIntegerField()),
                ('payload', models.JSONField()),
                ('created_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'ordering': ('-created_at', '-pk'),
            },
        ),
        migrations.CreateModel(
            name='FeatureLocation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('feature', models.CharField(max_length=120)),
                ('file', models.CharField(max_length=400)),
                ('first_line', models.PositiveIntegerField()),
                ('first_column', models.PositiveIntegerField()),
                ('last_line', models.PositiveIntegerField()),
                ('last_column', models.PositiveIntegerField()),
                ('first_revision', models.CharField(blank=True, default='', max_length=120)),
                ('removed_in', models.CharField(blank=True, default='', max_length=120)),
                ('category', models.CharField(choices=[('necessary', 'Necessary'), ('inessential', 'Inessential')], max_length=16)),
                ('member', models.CharField(blank=True, default='', max_length=400)),
            ],
        ),
        migrations.CreateModel(
            name='FeatureModel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('digest', models.CharField(max_length=64)),
                ('payload', models.JSONField()),
                ('path', models.CharField(blank=True, default='', max_length=400)),
                ('commit', models.CharField(blank=True, default='', max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='PublishedCoefficient',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('term', models.CharField(max_length=400)),
                ('levels', models.JSONField(blank=True, null=True)),
                ('value', models.FloatField()),
            ],
        ),
        migrations.CreateModel(
            name='Tracing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('found', models.JSONField(default=dict)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='analysis',
            name='analysis_unique',
        ),
        migrations.RemoveField(
            model_name='historyfit',
            name='payload',
        ),
        migrations.AddField(
            model_name='analysis',
            name='settings',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='analysis',
            name='uncovered_is_zero',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='certainty_gap',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='changes',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='enough_data',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='largest_after',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.revision'),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='largest_before',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.revision'),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='largest_change',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='largest_is_worse',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='last_after',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.revision'),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='last_before',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.revision'),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='last_change',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='last_is_worse',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='latest',
            field=models.FloatField(default=0.0),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='latest_revision',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.revision'),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='measured',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='historyfit',
            name='packed',
            field=models.BinaryField(default=b''),
        ),
        migrations.AddField(
            model_name='measurement',
            name='deviation',
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='measurement',
            name='n',
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='revision',
            name='content',
            field=models.CharField(blank=True, default='', max_length=64),
        ),
        migrations.AddField(
            model_name='series',
            name='label',
            field=models.CharField(blank=True, default='', max_length=400),
        ),
        migrations.AlterField(
            model_name='analysis',
            name='kind',
            field=models.CharField(choices=[('partitioned', 'Partitioned'), ('exhaustive', 'Exhaustive'), ('learned', 'Learned')], max_length=16),
        ),
        migrations.AlterField(
            model_name='point',
            name='batch',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='points', to='dashboard.batch'),
        ),
        migrations.AlterField(
            model_name='point',
            name='revision',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='points', to='dashboard.revision'),
        ),
        migrations.AlterField(
            model_name='point',
            name='series',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='points', to='dashboard.series'),
        ),
        migrations.AddConstraint(
            model_name='analysis',
            constraint=models.UniqueConstraint(fields=('revision', 'workload', 'environment', 'kind', 'batch', 'total_metric'), name='analysis_unique'),
        ),
        migrations.AddConstraint(
            model_name='analysis',
            constraint=models.UniqueConstraint(condition=models.Q(('kind', 'learned')), fields=('revision', 'workload', 'environment', 'total_metric'), name='analysis_learned_once'),
        ),
        migrations.AddConstraint(
            model_name='measurement',
            constraint=models.CheckConstraint(condition=models.Q(('n__gte', 1)), name='measurement_stands_for_some'),
        ),
        migrations.AddField(
            model_name='approachcomparison',
            name='environment',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.environment'),
        ),
        migrations.AddField(
            model_name='approachcomparison',
            name='metric',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.metric'),
        ),
        migrations.AddField(
            model_name='approachcomparison',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='dashboard.revision'),
        ),
        migrations.AddField(
            model_name='approachcomparison',
            name='system',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='dashboard.system'),
        ),
        migrations.AddField(
            model_name='approachcomparison',
            name='workload',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.workload'),
        ),
        migrations.AddField(
            model_name='featuremodel',
            name='batch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='feature_models', to='dashboard.batch'),
        ),
        migrations.AddField(
            model_name='featuremodel',
            name='system',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='feature_models', to='dashboard.system'),
        ),
        migrations.AddField(
            model_name='featurelocation',
            name='feature_model',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='locations', to='dashboard.featuremodel'),
        ),
        migrations.AddField(
            model_name='publishedcoefficient',
            name='batch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='published_coefficients', to='dashboard.batch'),
        ),
        migrations.AddField(
            model_name='publishedcoefficient',
            name='metric',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.metric'),
        ),
        migrations.AddField(
            model_name='publishedcoefficient',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='published_coefficients', to='dashboard.revision'),
        ),
        migrations.AddField(
            model_name='publishedcoefficient',
            name='system',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='published_coefficients', to='dashboard.system'),
        ),
        migrations.AddField(
            model_name='tracing',
            name='batch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tracings', to='dashboard.batch'),
        ),
        migrations.AddField(
            model_name='tracing',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tracings', to='dashboard.revision'),
        ),
        migrations.AddField(
            model_name='tracing',
            name='system',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tracings', to='dashboard.system'),
        ),
        migrations.AddField(
            model_name='tracing',
            name='workload',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.workload'),
        ),
        migrations.AddConstraint(
            model_name='approachcomparison',
            constraint=models.UniqueConstraint(fields=('revision', 'workload', 'environment', 'metric', 'settings_digest'), name='comparison_unique'),
        ),
        migrations.AddConstraint(
            model_name='featuremodel',
            constraint=models.UniqueConstraint(fields=('batch',), name='feature_model_batch_unique'),
        ),
        migrations.AddIndex(
            model_name='featurelocation',
            index=models.Index(fields=['feature_model', 'file'], name='feature_location_file'),
        ),
        migrations.AddConstraint(
            model_name='featurelocation',
            constraint=models.CheckConstraint(condition=models.Q(('first_line__gte', 1), ('last_line__gte', models.F('first_line'))), name='feature_location_lines_in_order'),
        ),
        migrations.AddConstraint(
            model_name='publishedcoefficient',
            constraint=models.UniqueConstraint(fields=('batch', 'revision', 'metric', 'term'), name='published_coefficient_unique'),
        ),
        migrations.AddConstraint(
            model_name='tracing',
            constraint=models.UniqueConstraint(fields=('batch',), name='tracing_batch_unique'),
        ),
        migrations.AddField(
            model_name='job',
            name='pause_requested',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='revision',
            name='changed_lines',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='job',
            name='state',
            field=models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('paused', 'Paused'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=9),
        ),
        migrations.CreateModel(
            name='Counting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('counts', models.BinaryField()),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='countings', to='dashboard.batch')),
                ('configuration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.configuration')),
                ('environment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dashboard.environment')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='countings', to='dashboard.revision')),
                ('workload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.workload')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('batch', 'revision', 'configuration', 'workload', 'environment'), name='counting_once_in_a_batch')],
            },
        ),
        migrations.CreateModel(
            name='CountSites',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sites', models.BinaryField()),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='count_sites', to='dashboard.batch')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.revision')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('batch', 'revision'), name='count_sites_unique')],
            },
        ),
        migrations.AlterField(
            model_name='region',
            name='name',
            field=models.CharField(max_length=2000),
        ),
        migrations.RemoveConstraint(
            model_name='analysis',
            name='analysis_learned_once',
        ),
        migrations.AlterField(
            model_name='analysis',
            name='kind',
            field=models.CharField(choices=[('partitioned', 'Partitioned'), ('exhaustive', 'Exhaustive'), ('learned', 'Learned'), ('hybrid', 'Hybrid')], max_length=16),
        ),
        migrations.AddConstraint(
            model_name='analysis',
            constraint=models.UniqueConstraint(condition=models.Q(('kind__in', ['learned', 'hybrid'])), fields=('revision', 'workload', 'environment', 'total_metric', 'kind'), name='analysis_learned_once'),
        ),
        migrations.AddField(
            model_name='counting',
            name='cpu_seconds',
            field=models.FloatField(null=True),
        ),
    ]
