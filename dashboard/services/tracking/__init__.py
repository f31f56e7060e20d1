"""Jobs that choose the revisions to measure themselves: tracking a history, and bisecting for a change."""

from dashboard.services.tracking.tracking import KIND, TrackingRequest, start_tracking, track

__all__ = ["KIND", "TrackingRequest", "start_tracking", "track"]
