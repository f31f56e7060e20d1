"""Analyses that an earlier release stored are read: with how they ended, which lay in their job."""

from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from dashboard.models import WhiteBoxAnalysis
from tests.dashboard.whitebox.stored import FOO, found

BEFORE = ("dashboard", "0002_listed_positions")
RUN = {"status": "ok", "message": "", "place": "", "seconds": 0.5, "said": "d" * 64, "returned": True}
EARLIER = {
    "counted": [{"levels": {"A": "on"}, **RUN}],
    "unsteady": [[FOO, 8, 4, "if"]],
    "missed": [],
    "unexplained": [],
}


def take_all_tables_away() -> None:
    """At once: to go back through the migrations takes as long as to go forward."""
    with connection.schema_editor() as editor:
        for model in apps.get_app_config("dashboard").get_models():
            editor.delete_model(model)
    MigrationRecorder(connection).migration_qs.filter(app="dashboard").delete()


def stored_by_an_earlier_release(models: Any) -> None:
    """Two analyses: one that ended, with its job, and one that was stopped before its first run."""
    system = models.get_model("dashboard", "System").objects.create(name="Small", slug="small", visible=True)
    place = {
        "system": system,
        "revision": models.get_model("dashboard", "Revision").objects.create(system=system, name="1.0"),
        "workload": models.get_model("dashboard", "Workload").objects.create(system=system, name="small"),
    }
    for digest, result in (("1", found(**EARLIER)), ("2", {})):
        batch = models.get_model("dashboard", "Batch").objects.create(
            system=system, format="analyze", digest=digest, state="visible"
        )
        models.get_model("dashboard", "Tracing").objects.create(batch=batch, found=result, **place)
        models.get_model("dashboard", "Job").objects.create(
            kind="analyze",
            title="Analyze",
            system=system,
            checkpoint={"batch": batch.pk},
            result={"ended": "budget", "idle": ["lost"]} if result else {},
        )


@pytest.mark.slow("takes all tables away, and goes through all migrations")
@pytest.mark.django_db(transaction=True)
def test_an_analysis_of_an_earlier_release_is_read_as_it_was_stored() -> None:
    """Its database goes on step by step; a new one has all tables by the one migration that stands for all of them."""
    take_all_tables_away()
    try:
        step_by_step = MigrationExecutor(connection)
        step_by_step.loader = MigrationLoader(connection, replace_migrations=False)
        step_by_step.migrate([BEFORE])
        stored_by_an_earlier_release(MigrationExecutor(connection).loader.project_state([BEFORE]).apps)
    finally:
        MigrationExecutor(connection).migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())
    (analysis,) = WhiteBoxAnalysis.objects.all()
    result = analysis.result
    assert (result.ended, result.unexecuted_packages) == ("budget", ("lost",))
    assert result.nondeterministic_regions == (FOO,)
    assert [run.output_digest for run in result.counted] == ["d" * 64]
    assert len(result.traced) == 2
