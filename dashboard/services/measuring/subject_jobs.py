"""What every job of a registered subject begins with: the subject, its revisions, an environment, the machine."""

import errno
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from dashboard.full_disk import is_full
from dashboard.models import Batch, System
from dashboard.selectors.batch_manifests import BatchManifest, manifest_of, save_manifest
from dashboard.selectors.job_columns import MeasuringRequest, SubjectCheckpoint
from dashboard.services.jobs.context import JobContext, JobError
from dashboard.services.measuring.plans import select
from dashboard.services.subjects import registered_subject, runner_state, stored_revisions
from runner.environments import Prepared, Unprepared, prepare
from runner.sandboxes import sandbox_words
from runner.selections import SelectedConfiguration
from runner.source_revisions import SourceRevision
from runner.state import RunnerState
from runner.subjects import SubjectDefinition


@dataclass(frozen=True, slots=True)
class SubjectJob:
    """A job of a registered subject: measure, track, bisect, analyze and evaluate all begin with `begin`."""

    context: JobContext
    system: System
    subject: SubjectDefinition
    state: RunnerState

    @classmethod
    def begin(cls, context: JobContext) -> Self:
        """The job with its subject as the folder is now. Raises `NotFound` and `Refused`."""
        system, state = context.access.system, runner_state()
        state.clear_scratch()
        return cls(context, system, registered_subject(slug=system.slug), state)

    @property
    def checkpoint(self) -> SubjectCheckpoint:
        """How far the job has got."""
        return SubjectCheckpoint.model_validate(self.context.checkpoint)

    def save_checkpoint(self, **changes: object) -> None:
        """Store how far the job has got, in these fields. Raises as `JobContext.save_checkpoint`."""
        self.context.save_checkpoint(self.checkpoint.changed(**changes))

    def select(
        self, request: MeasuringRequest
    ) -> tuple[tuple[SelectedConfiguration, ...], tuple[SourceRevision, ...]]:
        """What the request means, of the revisions that are stored now. Raises `Refused`."""
        stored = stored_revisions(slug=self.system.slug, subject=self.subject, ids=request.revision_ids)
        return select(self.subject, stored, request)

    def prepare(self, revision: SourceRevision, *, counting: bool = False) -> Prepared | Unprepared:
        """The environment of a revision, made if need be. Raises as `JobContext.check` and `room_on_disk`.

        `counting`: one that a command is built in with counters.
        """
        self.context.log(f"preparing revision {revision.identifier}{' with counters' if counting else ''}")
        with self.room_on_disk():
            cancelled = self.context.cancelled
            made = prepare(self.subject, revision, state=self.state, cancelled=cancelled, counting=counting)
            self.context.check()
            if isinstance(made, Unprepared) and os.strerror(errno.ENOSPC) in made.output:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return made

    def prepared(self, identifier: str, *, counting: bool = False) -> Prepared:
        """The environment of the one revision that the job is about; see `prepare`. Raises `JobError`, and as `prepare`."""
        stored = stored_revisions(slug=self.system.slug, subject=self.subject)
        (revision,) = (one for one in stored if one.identifier == identifier)
        made = self.prepare(revision, counting=counting)
        if isinstance(made, Unprepared):
            self.context.log(made.output)
            how = " with counters" if counting else ""
            raise JobError(f"revision {identifier} cannot be built{how}: {made.message}")
        return made

    def batch(self, manifest: Mapping[str, Any]) -> Batch:
        """The batch of the job, from its checkpoint or new.

        It is visible at once: results are looked at while they arrive. It says whether runs have a sandbox. Raises
        `IsolationImpossible` where they must have one and there is none.
        """
        context = self.context
        sandbox = sandbox_words(self.state, network=self.subject.sandbox.network)
        context.log(f"runs are made {sandbox}")
        known = Batch.objects.filter(pk=self.checkpoint.batch, system=self.system).first()
        if known is not None:
            said = manifest_of(known).sandbox
            if sandbox not in said:
                with context.fenced():
                    save_manifest(known, sandbox=(*said, sandbox))
            return known
        with context.fenced():
            batch = Batch.objects.create(
                system=self.system,
                format=context.job.kind,
                # Measuring the same again is no second import of the same: the digest is this batch's alone.
                digest=secrets.token_hex(32),
                source=f"job {context.job_id}",
                state=Batch.State.VISIBLE,
                manifest=BatchManifest.model_validate(
                    {"title": context.job.title, "sandbox": (sandbox,), **manifest}
                ).as_json(),
            )
            self.save_checkpoint(batch=batch.pk)
        return batch

    @contextmanager
    def room_on_disk(self) -> Iterator[None]:
        """Say what to do where the disk is full: that is no fault of what is measured. Raises `JobError`."""
        try:
            yield
        except OSError as error:
            if not is_full(error):
                raise
            raise JobError(
                f"no room is left on the disk of {self.state.root}: free some, then resume the job; what was measured "
                "is kept"
            ) from error
