"""Frozen reports and the links that show them."""

from django.conf import settings
from django.db import models

from dashboard.models.rows import Row
from dashboard.models.systems import System


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
