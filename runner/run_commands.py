"""What one run starts, and every variable that it sees."""

import json
import shutil
from pathlib import Path

from .commands import command_line
from .environments import Prepared
from .fingerprints import FIXED_VARIABLES
from .pip import SEARCH_PATH, plain_variables
from .plans import PlannedRun
from .sources import PROBE_NAME, instrumented_folder

# Where a run leaves code that it rewrote, to count or to trace.
INSTRUMENTED = "rewritten"


def words_of_run(
    prepared: Prepared,
    planned: PlannedRun,
    scratch: Path,
    result: Path,
    *,
    asked: dict[str, object],
) -> tuple[str, ...]:
    """Return what to start; for a callable, write the probe's job first."""
    subject = prepared.subject
    source = prepared.source or prepared.files
    if subject.entry.callable is None:
        places = {
            "source": str(source),
            "subject": str(prepared.files),
            "python": str(prepared.python),
            "revision": prepared.revision.identifier,
        }
        words = command_line(
            subject, levels=planned.configuration.texts, workload=planned.workload, places=places
        )
        # A program's bare name is looked for where the run itself would look.
        program = shutil.which(words[0], path=variables_of_run(prepared, scratch, planned)["PATH"])
        return (program or words[0], *words[1:])
    own = subject.entry.python_path or (() if prepared.installed else (".",))
    job = scratch / "job.json"
    job.write_text(
        json.dumps(
            {
                "entry": subject.entry.callable,
                "options": dict(planned.configuration.levels),
                "workload": subject.workloads[planned.workload],
                "packages": subject.regions,
                "path": [str(prepared.files), *(str((source / folder).resolve()) for folder in own)],
                "result": str(result),
                "sources": subject.sources,
                "kept": str(instrumented_folder(prepared.folder, prepared.probe)),
                "made": str(scratch / INSTRUMENTED),
                **asked,
            }
        ),
        encoding="utf-8",
    )
    job.chmod(0o644)
    return (str(prepared.python), "-s", "-m", PROBE_NAME, str(job))


def variables_of_run(prepared: Prepared, scratch: Path, planned: PlannedRun) -> dict[str, str]:
    """Return every variable that a run sees: nothing of ours, no key, no address."""
    levels = dict(planned.configuration.levels)
    of_options = (one.variables(levels[name]) for name, one in prepared.subject.options.items())
    return {
        **plain_variables(scratch, f"{prepared.python.parent}:{SEARCH_PATH}"),
        "PYTHONPATH": str(prepared.probe),
        "PYTHONDONTWRITEBYTECODE": "1",
        **FIXED_VARIABLES,
        **prepared.base.environment,
        **prepared.subject.entry.environment,
        **{name: value for one in of_options for name, value in one.items()},
    }
