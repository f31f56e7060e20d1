"""What people keep of views: saved ones, frozen reports, and the links that show those."""

from django.conf import settings
from django.db import models

from dashboard.models.rows import Row
from dashboard.models.systems import System


class SavedView(Row):
    """A page of a system with all that is selected there; it shows the data of the day on which it is opened."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="saved_views")
    # None once the account is gone: what was shared stays, for admins of the system to change.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    name = models.CharField(max_length=100)
    # Whether all who may see the system see it, or its owner alone.
    is_shared = models.BooleanField(default=False)
    # As an address of the explorer says it: the section, one thing of it, and the query string without "?".
    section = models.CharField(max_length=40, blank=True, default="")
    key = models.TextField(blank=True, default="")
    query = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    # Kept for a day, so that it can be taken back.
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=["system", "owner", "name"],
                condition=models.Q(deleted_at=None),
                name="saved_view_name_of_owner",
            )
        ]


class Report(Row):
    """A view frozen with its numbers: later data never changes it."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="reports")
    title = models.CharField(max_length=200)
    view = models.CharField(max_length=40)
    # Figures, tables and text as they were shown, and the address of the live view.
    payload = models.JSONField()
    data_version = models.PositiveBigIntegerField()
    software_version = models.CharField(max_length=40)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="reports"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at",)


class ShareLink(Row):
    """A read-only link to one report; the token is stored hashed, and so is the password that it may ask for."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="links")
    token_digest = models.CharField(max_length=64, unique=True)
    # As Django stores passwords; blank where it asks for none.
    password = models.CharField(max_length=128, blank=True, default="")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    opened_count = models.PositiveIntegerField(default=0)
    last_opened_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)


class LinkVisit(Row):
    """That a share link was opened: when, roughly from where, by which family of browsers. No one is told by it."""

    class What(models.TextChoices):
        PAGE = "page"
        TABLE = "table"
        FILE = "file"

    link = models.ForeignKey(ShareLink, on_delete=models.CASCADE, related_name="visits")
    at = models.DateTimeField()
    what = models.CharField(max_length=5, choices=What.choices)
    # The network alone: 192.0.2.0/24.
    address = models.CharField(max_length=60, blank=True, default="")
    browser = models.CharField(max_length=40)

    class Meta:
        ordering = ("-pk",)
