"""An analysis by the options that a program reads (SPLat): each run tells which, and the next one differs in one of them."""

import time
from typing import Any

from analytics.configurations.options import IntArray
from analytics.whitebox.option_reads import ReadingRun, next_to_read
from analytics.whitebox.result import WhiteBoxResult
from dashboard.models import Batch, WhiteBoxAnalysis
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.whitebox.older_results import keep_older_result
from dashboard.services.whitebox.run_results import check_any_ran, ended_run
from runner.environments import Prepared
from runner.executions import execute
from runner.plans import PlannedRun


class ReadsWalk:
    """The walk of one batch, stored as it gets on; made anew, it goes on from there."""

    def __init__(self, job: SubjectJob, batch: Batch, prepared: Prepared, *, workload: str) -> None:
        self._job, self._batch, self._prepared, self._workload = job, batch, prepared, workload
        self.configurations = SubjectConfigurations.of(job.system, job.subject)
        stored = WhiteBoxAnalysis.objects.filter(batch=batch).first()
        self.result = stored.result if stored else WhiteBoxResult.of_options(job.subject.options)
        self._began = time.monotonic() - job.checkpoint.spent

    def run(self, budget: int, minutes: float | None) -> dict[str, Any]:
        """Run configurations until none is left that differs in what is read; what the job tells. Sets `result.ended`.

        That is "complete", or "budget" after so many runs, or "minutes". Raises `JobError` where no run came to its end, and as `JobContext.check`.
        """
        while True:
            made, spent = len(self.result.counted), time.monotonic() - self._began
            found = next_to_read(self.configurations.valid, self._runs())
            if found is None:
                ended = "complete"
            elif made >= budget:
                ended = "budget"
            elif made and minutes is not None and spent >= 60 * minutes:
                ended = "minutes"
            else:
                self._job.context.progress(
                    min(made / budget, 0.99), f"{made} configurations that differ in what is read"
                )
                self._run(*found)
                continue
            self._keep(self.result.model_copy(update={"ended": ended}))
            break
        check_any_ran(self.result)
        return {
            "configurations": made,
            "valid": self.configurations.valid.count(),
            "unread": list(self.result.never_read),
            "failed": [run.model_dump(mode="json") for run in self.result.failed],
            "ended": ended,
        }

    def _runs(self) -> list[ReadingRun]:
        space = self.configurations.space
        return [
            ReadingRun(self.configurations.row(run.levels), tuple(map(space.position, run.reads or ())))
            for run in self.result.counted
        ]

    def _run(self, row: IntArray, sure: tuple[int, ...]) -> None:
        """Run a configuration. One that told nothing, as one that was killed, has read what it was chosen for."""
        context, space = self._job.context, self.configurations.space
        planned = PlannedRun(
            position=len(self.result.counted),
            revision=self._prepared.revision.identifier,
            configuration=self.configurations.configuration(row),
            workload=self._workload,
            repetition=1,
        )
        execution = execute(
            self._prepared,
            planned,
            profile=False,
            mode="reads",
            cancelled=context.cancelled,
            held=context.held,
        )
        context.check()
        read = execution.result.reads
        if read is None:
            read = tuple(space.names[one] for one in sure)
        run = ended_run(execution, self.configurations.labels(row)).model_copy(update={"reads": read})
        self._keep(self.result.model_copy(update={"counted": (*self.result.counted, run)}))
        self._job.save_checkpoint(spent=time.monotonic() - self._began)

    def _keep(self, result: WhiteBoxResult) -> None:
        self.result = result
        revision = self._prepared.revision.identifier
        keep_older_result(self._job, self._batch, result, "reads", revision=revision, workload=self._workload)
