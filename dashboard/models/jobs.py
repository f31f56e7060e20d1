"""Jobs: the row is the truth, a message carries only its id."""

from collections.abc import Sequence

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from dashboard.models.rows import Row
from dashboard.models.systems import System

# What takes longer than was expected is not over in no time: it goes on for so much of what has passed since.
_OVERDUE = 1 / 8


class Job(Row):
    """Work that outlives a request: claimed with a lease, fenced by owner, resumed from its checkpoint."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        PAUSED = "paused"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Queue(models.TextChoices):
        DEFAULT = "default"
        MEASURE = "measure"

    # It waits for a worker, or one has it.
    ACTIVE = (State.QUEUED, State.RUNNING)
    # Of its log, what a selector has read: oldest first.
    lines: Sequence["JobLogLine"] = ()
    # And of the jobs that it is cut into, without what they were asked for and what came of it: in order.
    parts: Sequence["Job"] = ()

    kind = models.CharField(max_length=40)
    queue = models.CharField(max_length=8, choices=Queue.choices, default=Queue.DEFAULT)
    # The digest of the environment whose machines ask for it themselves; blank for what a worker of this installation does.
    environment = models.CharField(max_length=64, blank=True, default="", db_default="")
    system = models.ForeignKey(System, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="children"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    # Queued at the command line, by whoever owns the database; else by an account, which may be gone by now.
    by_operator = models.BooleanField(default=False)
    title = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict)
    state = models.CharField(max_length=9, choices=State.choices, default=State.QUEUED)
    progress = models.FloatField(default=0.0)
    # When the progress was last reported, and how long the rest was then expected to take.
    progress_at = models.DateTimeField(null=True, blank=True)
    seconds_left = models.FloatField(null=True, blank=True)
    message = models.CharField(max_length=400, blank=True, default="")
    checkpoint = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    error = models.TextField(blank=True, default="")
    owner = models.CharField(max_length=120, blank=True, default="")
    # Counts the claims since the checkpoint last moved: a job that gets on may be interrupted any number of times.
    attempt = models.PositiveIntegerField(default=0)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    cancel_requested = models.BooleanField(default=False)
    # Of a running job: it is to stop, and to wait until somebody resumes it.
    pause_requested = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    # When its last message went out: messages get lost, rows do not.
    sent_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(progress__gte=0.0, progress__lte=1.0), name="job_progress_is_a_share"
            ),
            models.CheckConstraint(
                condition=~Q(state="running") | Q(lease_expires_at__isnull=False),
                name="job_running_has_a_lease",
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_expires_at"])]

    @property
    def active(self) -> bool:
        """Whether it still waits or runs."""
        return self.state in Job.ACTIVE

    @property
    def paused(self) -> bool:
        """Whether it was laid aside and can be resumed."""
        return self.state == Job.State.PAUSED

    @property
    def system_slug(self) -> str:
        """What addresses call its system; blank without one."""
        return self.system.slug if self.system else ""

    @property
    def sender(self) -> str:
        """The name of who queued it."""
        return self.created_by.get_username() if self.created_by else "operator"

    @property
    def remaining_seconds(self) -> float | None:
        """What is expected now by the last report; None while nobody can tell."""
        if self.seconds_left is None or self.progress_at is None or self.state != Job.State.RUNNING:
            return None
        return expected_left(self.seconds_left, (timezone.now() - self.progress_at).total_seconds())


def expected_left(seconds: float, passed: float) -> float:
    """The seconds that are left where so many were, and so many have passed since."""
    return max(seconds - passed, _OVERDUE * passed)


class JobLogLine(Row):
    """One line of a job's log."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="log_lines")
    at = models.DateTimeField(auto_now_add=True)
    text = models.CharField(max_length=1000)

    class Meta:
        ordering = ("pk",)


class Worker(Row):
    """A process that takes jobs of one queue. It writes its row again and again, and takes it away when it ends in order."""

    # As the owner of a lease: machine, process id and start time.
    name = models.CharField(max_length=120)
    queue = models.CharField(max_length=8)
    host = models.CharField(max_length=255)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "queue"], name="worker_once_a_queue")]
