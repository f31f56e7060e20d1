"""What people said of changes. It is kept by series and revision, so that no new fit and no new import takes it away."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from dashboard.models.rows import Row
from dashboard.models.systems import Revision, System


class TriageState(models.TextChoices):
    """What somebody made of a change; `new` where nobody did."""

    NEW = "new"
    ACKNOWLEDGED = "acknowledged"
    EXPECTED = "expected"
    NOISE = "noise"
    FIXED = "fixed"
    INFRASTRUCTURE = "infrastructure"


class TriagedChange(Row):
    """A change of one series that people spoke of, where it was when they last did, and what holds of it now."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="triaged_changes")
    # That of the series, no reference to its row: what is imported again has a new row and the same identity.
    series_identity = models.CharField(max_length=64)
    before = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+", db_index=False)
    after = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    is_worse = models.BooleanField()
    is_slow = models.BooleanField(default=False)
    state = models.CharField(max_length=16, choices=TriageState.choices, default=TriageState.NEW)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    note = models.TextField(blank=True, default="")
    link = models.CharField(max_length=500, blank=True, default="")
    # Of the newest entry.
    said_by = models.CharField(max_length=150, blank=True, default="")
    said_at = models.DateTimeField(null=True)
    # It was fixed, and a later fit finds it no more: whatever comes at its place then is another change.
    closed = models.BooleanField(default=False)

    # Where somebody says that it lies, whatever the search says; "" and null where nobody did. Its size is kept where no fit
    # tells one: a share of the level before.
    placed_by = models.CharField(max_length=150, blank=True, default="")
    placed_before = models.ForeignKey(
        Revision, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    placed_after = models.ForeignKey(
        Revision, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    placed_relative = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["system", "series_identity", "before", "after", "is_worse", "is_slow"],
                condition=Q(closed=False),
                name="triaged_change_unique",
            )
        ]


class TriageEntry(Row):
    """What one person said of one change at one time. Entries are added and never changed; the newest one holds."""

    change = models.ForeignKey(TriagedChange, on_delete=models.CASCADE, related_name="entries")
    # What was said of several changes at once has one number, to be taken back as one.
    action = models.UUIDField(db_index=True)
    state = models.CharField(max_length=16, choices=TriageState.choices)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    note = models.TextField(blank=True, default="")
    link = models.CharField(max_length=500, blank=True, default="")
    # The name stays where the account goes.
    author = models.CharField(max_length=150)
    # The revisions between which it was set by hand, in words, where that was what was done.
    placed = models.CharField(max_length=260, blank=True, default="")
    is_undo = models.BooleanField(default=False)
    said_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
