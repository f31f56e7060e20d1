"""Regions (functions), their versions and source excerpts."""

from django.db import models

from dashboard.models.rows import Row
from dashboard.models.systems import Revision, System


class Region(Row):
    """A piece of code that is measured alone: a function or method, or the program region for the rest."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="regions")
    key = models.CharField(max_length=400)
    package = models.CharField(max_length=200, blank=True, default="")
    name = models.CharField(max_length=2000)
    is_program = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["system", "key"], name="region_key_unique")]


class SourceText(Row):
    """A source excerpt, stored once by the hash of its content."""

    digest = models.CharField(max_length=64, unique=True)
    text = models.TextField()


class RegionVersion(Row):
    """A region as it stands in one revision: file, lines, hash of its body."""

    region = models.ForeignKey(Region, on_delete=models.CASCADE, related_name="versions")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="region_versions")
    file = models.CharField(max_length=400, blank=True, default="")
    first_line = models.PositiveIntegerField(default=0)
    last_line = models.PositiveIntegerField(default=0)
    body_digest = models.CharField(max_length=64, blank=True, default="")
    source = models.ForeignKey(SourceText, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["region", "revision"], name="region_version_unique")]
