"""The rows that go through to pages as they are: these may not import models."""

from dashboard.models import Job, LinkVisit, Metric, Report, SavedView, ShareLink

__all__ = ["Job", "LinkVisit", "Metric", "Report", "SavedView", "ShareLink"]
