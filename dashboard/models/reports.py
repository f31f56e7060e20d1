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
    """A read-only link to one report; the token is stored hashed."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="links")
    token_digest = models.CharField(max_length=64, unique=True)
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
