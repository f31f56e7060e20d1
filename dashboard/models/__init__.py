"""Tables and constraints; no logic."""

from dashboard.models.access import (
    ApiToken,
    AuditEntry,
    Invitation,
    LoginToken,
    Membership,
    OpenIdentity,
    SignIn,
    TryCount,
)
from dashboard.models.alerts import Alert, AlertDelivery, AlertRecipient, AlertRule, Badge, KnownChange
from dashboard.models.call_paths import RunCallPaths
from dashboard.models.counts import CountedRun, CountSites
from dashboard.models.feature_models import FeatureLocation, StoredFeatureModel
from dashboard.models.histories import Annotation, HistoryFit, Point, Series
from dashboard.models.jobs import Job, JobLogLine, Worker
from dashboard.models.machines import Machine, MachineSubject
from dashboard.models.measurements import Batch, Measurement, Metric, RegionMeasurement, Run
from dashboard.models.performance_models import (
    ModelCorrection,
    ModelEvaluation,
    ModelFit,
    PerformanceModel,
    PublishedCoefficient,
    PublishedPrediction,
    RegionPartition,
)
from dashboard.models.region_changes import RegionChanges, RegionSearch
from dashboard.models.regions import Region, RegionVersion, SourceText
from dashboard.models.reports import LinkVisit, Report, SavedView, ShareLink
from dashboard.models.systems import (
    Configuration,
    Environment,
    Level,
    Order,
    OrderPosition,
    Revision,
    Subject,
    System,
    SystemOption,
    Workload,
)
from dashboard.models.teams import Team, TeamMember, TeamRole
from dashboard.models.triage import TriagedChange, TriageEntry, TriageState
from dashboard.models.whitebox import WhiteBoxAnalysis
