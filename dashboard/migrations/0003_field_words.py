"""Tables and columns get the words of the glossary; what is stored stays."""

import django.db.models.deletion
from django.db import migrations, models


def name_full_factorial(apps, schema_editor):
    """Models over all combinations of measured options are called as the field calls that design."""
    apps.get_model("dashboard", "PerformanceModel").objects.filter(kind="exhaustive").update(kind="full_factorial")


def name_exhaustive(apps, schema_editor):
    """The way back."""
    apps.get_model("dashboard", "PerformanceModel").objects.filter(kind="full_factorial").update(kind="exhaustive")


def keep_ends_with_analyses(apps, schema_editor):
    """How an analysis ended and in which packages nothing ran lay in its job; analyses without a run go."""
    analyses = apps.get_model("dashboard", "WhiteBoxAnalysis").objects
    analyses.exclude(result__has_key="sites").delete()
    for job in apps.get_model("dashboard", "Job").objects.filter(kind="analyze", checkpoint__has_key="batch"):
        row = analyses.filter(batch=job.checkpoint["batch"], system=job.system_id).first()
        if row is not None and job.result.get("ended"):
            row.result |= {"ended": job.result["ended"], "unexecuted_packages": job.result.get("idle", [])}
            row.save(update_fields=["result"])


def mark_operator(apps, schema_editor):
    """Jobs without an account were queued at the command line, as far as that can be told."""
    apps.get_model("dashboard", "Job").objects.filter(created_by=None).update(by_operator=True)


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0002_listed_positions")]

    operations = [
        migrations.RenameModel("Analysis", "PerformanceModel"),
        migrations.RenameModel("Tracing", "WhiteBoxAnalysis"),
        migrations.RenameModel("ApproachComparison", "ModelEvaluation"),
        migrations.RenameModel("Partition", "RegionPartition"),
        migrations.RenameModel("Correction", "ModelCorrection"),
        migrations.RenameModel("Counting", "CountedRun"),
        migrations.RenameModel("Option", "SystemOption"),
        migrations.RenameModel("FeatureModel", "StoredFeatureModel"),
        migrations.RemoveConstraint(
            model_name='countedrun',
            name='counting_once_in_a_batch',
        ),
        migrations.RemoveConstraint(
            model_name='historyfit',
            name='history_fit_unique',
        ),
        migrations.RemoveConstraint(
            model_name='modelcorrection',
            name='correction_unique',
        ),
        migrations.RemoveConstraint(
            model_name='modelevaluation',
            name='comparison_unique',
        ),
        migrations.RemoveConstraint(
            model_name='modelfit',
            name='model_fit_unique',
        ),
        migrations.RemoveConstraint(
            model_name='performancemodel',
            name='analysis_unique',
        ),
        migrations.RemoveConstraint(
            model_name='performancemodel',
            name='analysis_learned_once',
        ),
        migrations.RemoveConstraint(
            model_name='publishedprediction',
            name='prediction_unique',
        ),
        migrations.RemoveConstraint(
            model_name='regionpartition',
            name='partition_unique',
        ),
        migrations.RemoveConstraint(
            model_name='whiteboxanalysis',
            name='tracing_batch_unique',
        ),
        migrations.RenameField("RegionPartition", "analysis", "model"),
        migrations.RenameField("ModelCorrection", "analysis", "model"),
        migrations.RenameField("PublishedPrediction", "analysis", "model"),
        migrations.RenameField("ModelFit", "analysis", "model"),
        migrations.RenameField("WhiteBoxAnalysis", "found", "result"),
        migrations.RenameField("ModelFit", "code_version", "method_version"),
        migrations.RenameField("HistoryFit", "code_version", "method_version"),
        migrations.AlterField(
            model_name='countedrun',
            name='batch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='counted_runs', to='dashboard.batch'),
        ),
        migrations.AlterField(
            model_name='countedrun',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='counted_runs', to='dashboard.revision'),
        ),
        migrations.AlterField(
            model_name='modelevaluation',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='dashboard.revision'),
        ),
        migrations.AlterField(
            model_name='modelevaluation',
            name='system',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='dashboard.system'),
        ),
        migrations.AlterField(
            model_name='orderposition',
            name='order',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='positions', to='dashboard.order'),
        ),
        migrations.AlterField(
            model_name='orderposition',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='positions', to='dashboard.revision'),
        ),
        migrations.AlterField(
            model_name='performancemodel',
            name='batch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='performance_models', to='dashboard.batch'),
        ),
        migrations.AlterField(
            model_name='performancemodel',
            name='kind',
            field=models.CharField(choices=[('partitioned', 'Partitioned'), ('full_factorial', 'Full Factorial'), ('learned', 'Learned'), ('hybrid', 'Hybrid')], max_length=16),
        ),
        migrations.AlterField(
            model_name='performancemodel',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='performance_models', to='dashboard.revision'),
        ),
        migrations.AlterField(
            model_name='performancemodel',
            name='system',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='performance_models', to='dashboard.system'),
        ),
        migrations.AlterField(
            model_name='whiteboxanalysis',
            name='batch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='white_box_analyses', to='dashboard.batch'),
        ),
        migrations.AlterField(
            model_name='whiteboxanalysis',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='white_box_analyses', to='dashboard.revision'),
        ),
        migrations.AlterField(
            model_name='whiteboxanalysis',
            name='system',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='white_box_analyses', to='dashboard.system'),
        ),
        migrations.AddConstraint(
            model_name='countedrun',
            constraint=models.UniqueConstraint(fields=('batch', 'revision', 'configuration', 'workload', 'environment'), name='counted_run_once_in_a_batch'),
        ),
        migrations.AddConstraint(
            model_name='historyfit',
            constraint=models.UniqueConstraint(fields=('series', 'data_version', 'settings_digest', 'method_version'), name='history_fit_unique'),
        ),
        migrations.AddConstraint(
            model_name='modelcorrection',
            constraint=models.UniqueConstraint(fields=('model', 'name'), name='correction_unique'),
        ),
        migrations.AddConstraint(
            model_name='modelevaluation',
            constraint=models.UniqueConstraint(fields=('revision', 'workload', 'environment', 'metric', 'settings_digest'), name='evaluation_unique'),
        ),
        migrations.AddConstraint(
            model_name='modelfit',
            constraint=models.UniqueConstraint(fields=('model', 'data_version', 'settings_digest', 'method_version'), name='model_fit_unique'),
        ),
        migrations.AddConstraint(
            model_name='performancemodel',
            constraint=models.UniqueConstraint(fields=('revision', 'workload', 'environment', 'kind', 'batch', 'total_metric'), name='performance_model_unique'),
        ),
        migrations.AddConstraint(
            model_name='performancemodel',
            constraint=models.UniqueConstraint(condition=models.Q(('kind__in', ['learned', 'hybrid'])), fields=('revision', 'workload', 'environment', 'total_metric', 'kind'), name='performance_model_learned_once'),
        ),
        migrations.AddConstraint(
            model_name='publishedprediction',
            constraint=models.UniqueConstraint(fields=('model', 'configuration'), name='prediction_unique'),
        ),
        migrations.AddConstraint(
            model_name='regionpartition',
            constraint=models.UniqueConstraint(fields=('model', 'region'), name='partition_unique'),
        ),
        migrations.AddConstraint(
            model_name='whiteboxanalysis',
            constraint=models.UniqueConstraint(fields=('batch',), name='white_box_analysis_batch_unique'),
        ),
        migrations.AlterField(
            model_name='whiteboxanalysis',
            name='result',
            field=models.JSONField(),
        ),
        migrations.AddField("job", "by_operator", models.BooleanField(default=False)),
        migrations.RunPython(mark_operator, migrations.RunPython.noop),
        migrations.RunPython(name_full_factorial, name_exhaustive),
        migrations.RunPython(keep_ends_with_analyses, migrations.RunPython.noop),
        migrations.AddField("Series", "kernel", models.JSONField(blank=True, default=dict)),
    ]
