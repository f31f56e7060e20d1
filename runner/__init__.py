"""Runs subjects: their revisions, environments, configurations and executions, apart from everything of ours.

In order: `load_subject`, `open_state`, `list_revisions`, `configurations`, `plan`, `prepare`, and under the
`measuring_lock` one `execute` for every planned run. Nothing here knows of a database or of Django.
"""

from .environments import Prepared, Unprepared, prepare
from .errors import (
    IsolationImpossible,
    MachineBusy,
    RevisionsUnavailable,
    RunnerError,
    SelectionInvalid,
    SubjectFault,
    SubjectInvalid,
)
from .executions import Execution, execute
from .fingerprints import MachineFingerprint
from .plans import PlannedRun, plan
from .results import ClockResult, FunctionResult, Profile, RegionTime
from .revisions import list_revisions, select_revisions
from .selections import SelectedConfiguration, configurations
from .source_revisions import SourceRevision
from .state import RunnerState, measuring_lock, open_state
from .subject_files import load_subject
from .subjects import SubjectDefinition

__all__ = [
    "ClockResult",
    "Execution",
    "FunctionResult",
    "IsolationImpossible",
    "MachineBusy",
    "MachineFingerprint",
    "PlannedRun",
    "Prepared",
    "Profile",
    "RegionTime",
    "RevisionsUnavailable",
    "RunnerError",
    "RunnerState",
    "SelectedConfiguration",
    "SelectionInvalid",
    "SourceRevision",
    "SubjectDefinition",
    "SubjectFault",
    "SubjectInvalid",
    "Unprepared",
    "configurations",
    "execute",
    "list_revisions",
    "load_subject",
    "measuring_lock",
    "open_state",
    "plan",
    "prepare",
    "select_revisions",
]
