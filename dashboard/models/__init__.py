"""Tables and constraints; no logic."""

from dashboard.models.access import AuditEntry, LoginToken, Membership
from dashboard.models.analyses import (
    Analysis,
    ApproachComparison,
    Correction,
    ModelFit,
    Partition,
    PublishedCoefficient,
    PublishedPrediction,
)
from dashboard.models.counts import Counting, CountSites
from dashboard.models.feature_models import FeatureLocation, FeatureModel
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
from dashboard.models.tracings import Tracing

__all__ = [
    "Analysis",
    "ApproachComparison",
    "AuditEntry",
    "Batch",
    "Configuration",
    "Correction",
    "CountSites",
    "Counting",
    "Environment",
    "FeatureLocation",
    "FeatureModel",
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
    "PublishedCoefficient",
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
    "Tracing",
    "Workload",
]
