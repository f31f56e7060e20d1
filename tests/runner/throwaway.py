"""Throw-away subjects: written, prepared and run within a test."""

import subprocess
import zipfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from runner.environments import Prepared, prepare
from runner.executions import Execution, Mode, execute
from runner.plans import plan
from runner.processes import never
from runner.revisions import list_revisions
from runner.selections import configurations
from runner.state import RunnerState
from runner.subject_files import load_subject
from runner.subjects import SubjectDefinition

SUBJECT = """
name = "Tiny"
regions = ["tiny"]
[revisions]
source = "folder"
path = "program"
[options.fast]
levels = [false, true]
[workloads.regular]
seed = 1
size = 3
[workloads.small]
seed = 1
size = 1
[entry]
callable = "entry:run"
[limits]
timeout_seconds = 30
memory_megabytes = 512
output_megabytes = 1
"""
ENTRY = "def run(options, workload):\n    return 1\n"
PROGRAM = "def twice(x):\n    return 2 * x\n"

RunProgram = Callable[..., Execution]


def git(place: Path, *arguments: str, given: str = "") -> str:
    """What git says, asked inside the folder `place` by somebody with a name, and given this to read."""
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    command = ["git", *settings, "-C", str(place), *arguments]
    return subprocess.run(command, check=True, capture_output=True, input=given.encode()).stdout.decode()


def write_subject(folder: Path, *, entry: str = ENTRY, toml: str = SUBJECT, program: str = PROGRAM) -> Path:
    """Write a subject with its entry and a program of one module, and return its folder."""
    (folder / "program").mkdir(parents=True, exist_ok=True)
    (folder / "subject.toml").write_text(toml, encoding="utf-8")
    (folder / "entry.py").write_text(entry, encoding="utf-8")
    (folder / "program" / "tiny.py").write_text(program, encoding="utf-8")
    return folder


def prepared_subject(subject: SubjectDefinition, state: RunnerState) -> Prepared:
    """Return the newest revision of `subject`, prepared."""
    prepared = prepare(subject, list_revisions(subject, state)[-1], state=state)
    assert isinstance(prepared, Prepared), prepared.output
    return prepared


def run_once(
    folder: Path,
    state: RunnerState,
    *,
    select: str = "default",
    profile: bool = False,
    mode: Mode = "plain",
    uncounted: Collection[str] | None = None,
    cancelled: Callable[[], bool] = never,
    **texts: str,
) -> Execution:
    """Write a subject into `folder` and run it once, in the configuration selected."""
    subject = load_subject(write_subject(folder, **texts))
    prepared = prepared_subject(subject, state)
    chosen = configurations(subject, [select])
    planned = plan(chosen, [prepared.revision.identifier], repetitions=1, seed=1, workload="regular")[0]
    return execute(
        prepared,
        planned,
        profile=profile,
        interval_seconds=0.0005,
        mode=mode,
        uncounted=uncounted,
        cancelled=cancelled,
    )


def with_limits(**limits: float) -> str:
    """Return the text of a subject with other limits."""
    named: Mapping[str, float] = {
        "timeout_seconds": 30,
        "memory_megabytes": 512,
        "output_megabytes": 1,
    } | limits
    head = SUBJECT.partition("[limits]")[0]
    return head + "[limits]\n" + "\n".join(f"{name} = {value}" for name, value in named.items())


def write_wheel(folder: Path, version: str, needs: str = "") -> None:
    """Write a release of the package tiny-thing, which asks for the package `needs`."""
    info = f"tiny_thing-{version}.dist-info"
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    files = {
        "tiny.py": f"VERSION = '{version}'\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: tiny-thing\nVersion: {version}\n{requires}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    path = folder / f"tiny_thing-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(zipfile.ZipInfo(name, date_time=(2021, 5, 4, 3, 2, 0)), text)
    path.chmod(0o644)
