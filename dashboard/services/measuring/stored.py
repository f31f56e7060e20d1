"""Which runs of a measuring job are stored already: a job that was interrupted makes none of them again."""

from dashboard.models import Batch, CountedRun, Run
from dashboard.services.identities import configuration_identity
from dashboard.services.subjects import assignments_of
from runner.environments import Unprepared
from runner.executions import Execution
from runner.plans import PlannedRun
from runner.subjects import SubjectDefinition

# A revision and the identity of a configuration.
_Cell = tuple[str, str]


class Stored:
    """What is in the batch of a job, read once and kept as runs are made."""

    def __init__(self, batch: Batch, subject: SubjectDefinition) -> None:
        self._subject = subject
        rows = batch.runs.filter(kind=Run.Kind.PLAIN).values_list(
            "revision__name", "configuration__identity", "repetition", "status"
        )
        self._status = {((revision, identity), at): status for revision, identity, at, status in rows}
        self._counted = set(
            CountedRun.objects.filter(batch=batch).values_list("revision__name", "configuration__identity")
        )

    def made(self, run: PlannedRun) -> bool:
        """Whether it was made, however it ended."""
        return (self._cell(run), run.repetition) in self._status

    def add(self, run: PlannedRun, made: Execution | Unprepared) -> None:
        """Remember a run that was just made."""
        self._status[self._cell(run), run.repetition] = made.status

    def uncounted(self, run: PlannedRun) -> bool:
        """Whether to count after it: after the first repetition, if that ran to its end."""
        cell = self._cell(run)
        ended_well = self._status.get((cell, 1)) == Run.Status.OK
        return run.repetition == 1 and ended_well and cell not in self._counted

    def _cell(self, run: PlannedRun) -> _Cell:
        return run.revision, configuration_identity(assignments_of(run.configuration, self._subject))
