"""The rows that go through to pages as they are: these may not import models."""

from dashboard.models import Job, Metric, Report, ShareLink

__all__ = ["Job", "Metric", "Report", "ShareLink"]
