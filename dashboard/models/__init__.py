"""Tables and constraints; no logic."""

from dashboard.models.access import AuditEntry, LoginToken, Membership
from dashboard.models.analyses import Analysis, Correction, ModelFit, Partition, PublishedPrediction
from dashboard.models.histories import HistoryFit, Point, Series
from dashboard.models.jobs import Job, JobLogLine
from dashboard.models.measurements import Batch, Measurement, Metric, RegionMeasurement, Run
from dashboard.models.regions import Region, RegionVersion, SourceText
from dashboard.models.reports import Report, ShareLink
from dashboard.models.systems import (
    Configuration,
    Environment,
    Level,
    Option,
    Order,
    OrderPosition,
    Revision,
    Subject,
    System,
    Workload,
)

__all__ = [
    "Analysis",
    "AuditEntry",
    "Batch",
    "Configuration",
    "Correction",
    "Environment",
    "HistoryFit",
    "Job",
    "JobLogLine",
    "Level",
    "LoginToken",
    "Measurement",
    "Membership",
    "Metric",
    "ModelFit",
    "Option",
    "Order",
    "OrderPosition",
    "Partition",
    "Point",
    "PublishedPrediction",
    "Region",
    "RegionMeasurement",
    "RegionVersion",
    "Report",
    "Revision",
    "Run",
    "Series",
    "ShareLink",
    "SourceText",
    "Subject",
    "System",
    "Workload",
]
