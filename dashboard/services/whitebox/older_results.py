"""What older approaches have found, kept beside the analyses by taints and counts."""

from django.db.models import F

from analytics.whitebox.evidence import OlderApproach
from analytics.whitebox.result import WhiteBoxResult
from dashboard.models import Batch, WhiteBoxAnalysis
from dashboard.services.measuring.subject_jobs import SubjectJob


def keep_older_result(
    job: SubjectJob,
    batch: Batch,
    result: WhiteBoxResult,
    approach: OlderApproach,
    *,
    revision: str,
    workload: str,
) -> None:
    """Store what an older approach has found so far. Raises `LeaseLost`."""
    with job.context.fenced():
        stored = WhiteBoxAnalysis.objects.filter(batch=batch)
        if not stored.update(result=result, data_version=F("data_version") + 1):
            WhiteBoxAnalysis.objects.create(
                batch=batch,
                system=batch.system,
                revision=job.system.revisions.get(name=revision),
                workload=job.system.workloads.get(name=workload),
                approach=approach,
                result=result,
            )
