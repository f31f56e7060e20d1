"""Machines of others that measure for this installation: they ask for their jobs, nobody calls them."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.models.rows import Row
from dashboard.models.systems import System

# One that works or waits shows itself every few seconds.
SILENT = timedelta(minutes=2)


class Machine(Row):
    """A host that measures for its owner's systems. Its secret, stored hashed, opens nothing but jobs for its environments."""

    name = models.CharField(max_length=80)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="machines")
    token_digest = models.CharField(max_length=64, unique=True)
    # A paused one gets no further job.
    paused = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="machine_name_unique")]

    @property
    def is_silent(self) -> bool:
        """Whether it has not asked for so long that it seems not to be there."""
        return self.seen_at is None or self.seen_at < timezone.now() - SILENT


class MachineSubject(Row):
    """A subject that is registered on a machine as it is here, and the environment that its times there belong to."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="subjects")
    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="+")
    # Of the subject's folder there: times of another one are not comparable.
    digest = models.CharField(max_length=64)
    environment = models.CharField(max_length=64)
    environment_name = models.CharField(max_length=200)

    class Meta:
        ordering = ("system__name",)
        constraints = [models.UniqueConstraint(fields=["machine", "system"], name="machine_subject_unique")]
