"""Jobs that choose the revisions to measure themselves: tracking a history, and bisecting for a change."""

from dashboard.services.tracking.loop import TrackingRequest
from dashboard.services.tracking.tracking import start_tracking, track

__all__ = ["TrackingRequest", "start_tracking", "track"]
