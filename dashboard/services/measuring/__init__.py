"""Measuring a registered subject; `subject_jobs` holds what all jobs of a subject share."""

from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.services.measuring.job import measure, start_measuring

__all__ = ["MeasuringRequest", "measure", "start_measuring"]
