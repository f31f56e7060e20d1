"""Measuring a registered subject; `subject_jobs` holds what all jobs of a subject share."""

from dashboard.selectors.measuring.requests import MeasuringRequest
from dashboard.services.measuring.job import KIND, measure, start_measuring
from dashboard.services.measuring.plans import MeasuringError

__all__ = ["KIND", "MeasuringError", "MeasuringRequest", "measure", "start_measuring"]
