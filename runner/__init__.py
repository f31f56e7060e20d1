"""Runs subjects: their revisions, environments, configurations and executions, apart from everything of ours.

In order: `load_subject`, `open_state`, `list_revisions`, `configurations`, `plan`, `prepare`, and under the
`measuring_lock` one `execute` for every planned run. Nothing here knows of a database or of Django.
"""

from .environments import Prepared, Unprepared, prepare
from .errors import (
    Fault,
    IsolationImpossible,
    MachineBusy,
    RevisionsUnavailable,
    RunnerError,
    SelectionInvalid,
    SubjectInvalid,
)
from .executions import Execution, execute
from .fingerprints import Environment
from .plans import PlannedRun, plan
from .results import Function, Profile, RegionTime, Timing
from .revisions import Revision, list_revisions, select_revisions
from .selections import Configuration, configurations, reference
from .state import State, measuring_lock, open_state
from .subject_files import load_subject
from .subjects import Subject, level_text

__all__ = [
    "Configuration",
    "Environment",
    "Execution",
    "Fault",
    "Function",
    "IsolationImpossible",
    "MachineBusy",
    "PlannedRun",
    "Prepared",
    "Profile",
    "RegionTime",
    "Revision",
    "RevisionsUnavailable",
    "RunnerError",
    "SelectionInvalid",
    "State",
    "Subject",
    "SubjectInvalid",
    "Timing",
    "Unprepared",
    "configurations",
    "execute",
    "level_text",
    "list_revisions",
    "load_subject",
    "measuring_lock",
    "open_state",
    "plan",
    "prepare",
    "reference",
    "select_revisions",
]
